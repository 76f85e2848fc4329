package training

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"ambit/internal/fault"
	"ambit/runs"
)

// Trainer carries out plans. It is a runs.Trainer.
type Trainer struct {
	Engine    Engine
	Tables    Tables
	Evaluator Evaluator
	Scratch   string        // folder for files of runs, which are removed with the run
	Memory    uint64        // bytes of a child; 0 takes the engine's default
	NewID     func() string // of trials
}

var _ runs.Trainer = (*Trainer)(nil)

// fittingTime is how much of a second of the budget goes to fitting. The rest is
// for measuring and keeping what is fitted last.
const fittingTime = 950 * time.Millisecond

// Train fits the floor and then the plan's families, each cross-validated on the
// plan's folds and then fitted on all rows that are not sealed. It ends within
// the plan's budget × 1.05 + 2 s with what is finished, and returns nil if that
// is more than the floor, or if the floor is all that was asked for.
// Faults: timeout, engine_unavailable, memory, invalid.
func (t *Trainer) Train(ctx context.Context, job runs.Job, sink runs.Sink) error {
	spec := job.Plan.Spec
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	timeUp := fault.New(fault.Timeout, "The time of the run, %d s, was up.", spec.Budget.Seconds).
		WithFix("Make a plan with more time (budget.time_s) or fewer families.")
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(spec.Budget.Seconds)*fittingTime, timeUp)
	defer cancel()
	if err := os.MkdirAll(t.Scratch, 0o700); err != nil {
		return fmt.Errorf("making the folder of runs: %w", err)
	}
	scratch, err := os.MkdirTemp(t.Scratch, "run-")
	if err != nil {
		return fmt.Errorf("making the run's folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	children := newPool(t.Engine, Limits{MemoryBytes: t.Memory, Scratch: scratch}, sideBySide(spec.Budget.Threads))
	defer children.close()
	chosen := chooseMembers(spec)
	r := &run{
		trainer: t, job: job, spec: &job.Plan.Spec, pool: children, members: chosen, timeUp: timeUp,
		report: newReporter(sink, stop, steps(len(chosen), spec.Split.K)),
	}
	return r.train(ctx)
}

// sideBySide returns how many fits of one thread go on at once.
func sideBySide(asked int) int { return max(1, min(asked, runtime.GOMAXPROCS(0))) }
