package training

import (
	"context"
	"sync"
	"time"

	"ambit/runs"
)

// roundEvery is the least time between two round events of a run.
const roundEvery = 100 * time.Millisecond

// reporter tells a sink how far a run is. A sink that fails stops the run.
type reporter struct {
	sink  runs.Sink
	stop  context.CancelCauseFunc
	total int // steps of the run

	mu    sync.Mutex
	phase string
	done  int

	rounds sync.Mutex
	last   time.Time // of a round event
}

func newReporter(sink runs.Sink, stop context.CancelCauseFunc, total int) *reporter {
	return &reporter{sink: sink, stop: stop, total: total}
}

// steps returns how many steps a run has: a model a fold and the final one of
// each member, the preparation and the end.
func steps(members, k int) int { return members*(k+1) + 2 }

// begin says that a phase begins.
func (p *reporter) begin(ctx context.Context, phase string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase = phase
	return p.tell(ctx)
}

// step says that n steps are done.
func (p *reporter) step(ctx context.Context, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	return p.tell(ctx)
}

func (p *reporter) tell(ctx context.Context) error {
	err := p.sink.Progress(ctx, p.phase, min(1, float64(p.done)/float64(p.total)))
	if err != nil {
		p.stop(err)
	}
	return err
}

// roundEvent is what a run's history tells of a round of boosting.
type roundEvent struct {
	Trial  string   `json:"trial_id"`
	Name   string   `json:"name"`
	Fold   *int     `json:"fold"` // null for the final model
	Round  int      `json:"round"`
	Rounds int      `json:"rounds"` // at most
	Metric *float64 `json:"metric"` // on the rows that stop the fit early
	Reason string   `json:"reason,omitempty"`
	MS     float64  `json:"ms"`
}

// round tells of a round, unless one was told of a moment ago or is being told.
func (p *reporter) round(ctx context.Context, e roundEvent) {
	if !p.rounds.TryLock() {
		return
	}
	defer p.rounds.Unlock()
	now := time.Now()
	if now.Sub(p.last) < roundEvery {
		return
	}
	p.last = now
	if err := p.sink.Event(ctx, "round", e); err != nil {
		p.stop(err)
	}
}
