package runs

import (
	"cmp"
	"context"
	"maps"
	"time"

	"ambit/internal/clock"
)

// held is a run that this process works on, or is about to claim.
type held struct {
	id      string
	claimed bool
	epoch   int64      // of the claim
	until   clock.Time // end of the lease, as far as this process knows
	cancel  context.CancelCauseFunc
}

// hold registers a run and returns the context of its training. It comes before
// the claim: a lease of ours that is not registered is one that nobody works on.
func (w *Worker) hold(ctx context.Context, id string) (context.Context, *held) {
	ctx, cancel := context.WithCancelCause(ctx)
	h := &held{id: id, cancel: cancel}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == nil {
		w.held = map[*held]bool{}
	}
	w.held[h] = true
	return ctx, h
}

// took notes that the run was claimed.
func (w *Worker) took(h *held, run Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.claimed, h.epoch, h.until = true, run.LeaseEpoch, run.LeaseUntil
}

func (w *Worker) drop(h *held) {
	h.cancel(nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, h)
}

// holding returns a copy of what is held now.
func (w *Worker) holding() []held {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]held, 0, len(w.held))
	for h := range maps.Keys(w.held) {
		out = append(out, *h)
	}
	return out
}

// Keep extends the leases of this process and takes back those of lost workers,
// until ctx ends.
func (w *Worker) Keep(ctx context.Context) {
	beat := time.NewTicker(w.beatEvery())
	defer beat.Stop()
	reap := time.NewTicker(cmp.Or(w.Reap, DefaultReap))
	defer reap.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			w.report(ctx, "leases were not extended", w.beat(ctx))
		case <-reap.C:
			w.report(ctx, "lost runs were not taken back", w.ReapLost(ctx))
		}
	}
}

func (w *Worker) report(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		w.Log.ErrorContext(ctx, what, "err", err)
	}
}

func (w *Worker) ttl() time.Duration       { return cmp.Or(w.TTL, DefaultTTL) }
func (w *Worker) beatEvery() time.Duration { return cmp.Or(w.Beat, DefaultBeat) }

// beat extends the leases of this process, stops the runs that are to be aborted
// or that another worker has, and takes back those that nobody here works on.
func (w *Worker) beat(ctx context.Context) error {
	before := w.holding()
	until := w.Now().Add(w.ttl())
	leases, err := w.extend(ctx, until)
	if err != nil {
		w.expire()
		return err
	}
	for _, h := range before {
		if h.claimed {
			w.judge(h, leases, until)
		}
	}
	return w.reapOrphans(ctx, before, leases)
}

func (w *Worker) extend(ctx context.Context, until clock.Time) (leases []Lease, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.beatEvery())
	defer cancel()
	err = w.Tx(ctx, func(ctx context.Context) error {
		leases, err = w.Store.ExtendLeases(ctx, w.Owner, until)
		return err
	})
	return leases, err
}

// judge tells a claimed run what its lease says.
func (w *Worker) judge(h held, leases []Lease, until clock.Time) {
	for _, l := range leases {
		if l.Run != h.id || l.Epoch != h.epoch {
			continue
		}
		if l.AbortAt != 0 {
			h.cancel(errAbort)
		}
		w.extended(h, until)
		return
	}
	h.cancel(ErrFenced)
}

func (w *Worker) extended(known held, until clock.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for h := range w.held {
		if h.id == known.id && h.epoch == known.epoch && h.claimed {
			h.until = until
		}
	}
}

// expire stops the runs whose leases may end before the beat after next: by then
// another worker may have them.
func (w *Worker) expire() {
	limit := w.Now().Add(2 * w.beatEvery())
	w.mu.Lock()
	defer w.mu.Unlock()
	for h := range w.held {
		if h.claimed && h.until < limit {
			h.cancel(ErrFenced)
		}
	}
}
