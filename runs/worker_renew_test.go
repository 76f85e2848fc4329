package runs_test

import (
	"context"
	"testing"
	"time"

	"ambit/internal/clock"
	"ambit/runs"
)

// taker is a worker that takes a job, and is lost before it claims its run.
type taker chan struct{}

func (w taker) Work(ctx context.Context, _ string, _ int64) error {
	select {
	case w <- struct{}{}:
		<-ctx.Done()
	case <-ctx.Done():
	}
	return ctx.Err()
}

// take has a queue take the job of a run, and returns when it has.
func (b *bench) take(t *testing.T) {
	t.Helper()
	w := make(taker)
	q := b.newQueue(w)
	b.must(q.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		b.must(q.Stop(ctx))
	})
	select {
	case <-w:
	case <-time.After(patience):
		t.Fatal("the job was not taken")
	}
}

// A process that is killed between taking a job and claiming its run leaves a
// queued run that nobody would come for.
func TestReapDeliversAgain(t *testing.T) {
	ttl := clock.Time(runs.DefaultTTL.Milliseconds())
	tests := []struct {
		name  string
		taken bool
		ahead clock.Time // of the worker's clock after the job was taken
		all   bool
		want  string
	}{
		{"waits for its turn", false, 10 * ttl, true, "queued attempt 0 epoch 0"},
		{"was just taken", true, 0, false, "queued attempt 0 epoch 0"},
		{"was taken long ago", true, 2 * ttl, false, "queued attempt 0 epoch 1"},
		{"was taken, at the start of the only process", true, 10, true, "queued attempt 0 epoch 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.launch("run_1")
			first := b.run("run_1").JobID
			if tt.taken {
				b.take(t)
			}
			b.now.Store(int64(clock.Now() + tt.ahead)) // the queue has the system's clock
			reap := b.worker.ReapLost
			if tt.all {
				reap = b.worker.ReapAll
			}
			b.must(reap(t.Context()))
			b.now.Store(int64(clock.Now())) // the next job, if it is taken too, was just taken
			b.must(b.worker.ReapLost(t.Context()))
			if got := b.state("run_1"); got != tt.want {
				t.Errorf("run is %s, want %s", got, tt.want)
			}
			if r := b.run("run_1"); (r.JobID != first) != (r.LeaseEpoch == 1) {
				t.Errorf("job %d became %d in epoch %d", first, r.JobID, r.LeaseEpoch)
			}
		})
	}
}

// The worker that was thought lost comes back: its job claims nothing any more,
// the next one does, once.
func TestReapDeliversAgainOnce(t *testing.T) {
	b := newBench(t, func(context.Context, runs.Job, runs.Sink) error { return nil })
	b.launch("run_1")
	b.take(t)
	b.now.Store(int64(clock.Now() + clock.Time(time.Hour.Milliseconds())))
	b.must(b.worker.ReapLost(t.Context()))
	for _, delivery := range []struct {
		epoch int64
		want  string
	}{
		{0, "queued attempt 0 epoch 1"},
		{1, "succeeded attempt 0 epoch 2"},
		{1, "succeeded attempt 0 epoch 2"},
	} {
		b.must(b.worker.Work(t.Context(), "run_1", delivery.epoch))
		if got := b.state("run_1"); got != delivery.want {
			t.Errorf("after a job of epoch %d: run is %s, want %s", delivery.epoch, got, delivery.want)
		}
	}
}
