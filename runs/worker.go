package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"ambit/internal/blobs"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/jobs"
	"ambit/plans"
)

// Trainer fits what the plan of a run asks for.
type Trainer interface {
	// Train fits the models of the job's plan, reports them to sink as they
	// finish, and returns nil if the run is a success. When ctx ends it stops
	// within a round, leaves finished trials as they are, and returns ctx's cause.
	// An error of sink means: stop.
	Train(ctx context.Context, job Job, sink Sink) error
}

// Job is a run with what it was launched from.
type Job struct {
	Run  Run
	Plan plans.Plan
}

// Sink takes what a training brings forth. Its methods may be called by several
// goroutines, and work on after the run's context has ended, so that what is
// finished can be kept. They fail with ErrFenced once another worker has the run.
type Sink interface {
	// Progress says what is being done and how far the run is, from 0 to 1.
	Progress(ctx context.Context, phase string, progress float64) error
	// SaveTrial inserts or replaces a trial; its workspace and run are set here.
	SaveTrial(ctx context.Context, t Trial) error
	// Event adds a line to the run's history.
	Event(ctx context.Context, kind string, data any) error
	// Put keeps a file of a trial and returns its blob key. A name is written once.
	Put(ctx context.Context, trial, name string, content []byte) (key string, err error)
}

// PlanReader finds the plan of a run.
type PlanReader interface {
	// Plan fails with not_found if there is none that is not deleted.
	Plan(ctx context.Context, workspace, id string) (plans.Plan, error)
}

// Times of a lease, where a Worker does not set its own.
const (
	DefaultTTL   = 30 * time.Second
	DefaultBeat  = 5 * time.Second
	DefaultReap  = 5 * time.Second
	DefaultRetry = time.Second
)

// lastWords bounds what is written after a run's context has ended.
const lastWords = 15 * time.Second

// tries is how often a claim and an end are written before that is given up: a
// job is delivered once, and a database may be away for a moment.
const tries = 5

// Causes that end the context of a run, besides ErrFenced and the end of the process.
var errAbort = errors.New("somebody asked for the run to stop")

// Worker carries runs from claim to end: it holds a lease on each run that it
// works on, and takes back those of workers that are gone. It is a jobs.Worker.
// One Worker serves a process; Keep must go on until every Work has returned.
type Worker struct {
	Store   Store
	Plans   PlanReader
	Trainer Trainer
	Queue   jobs.Queue
	Blobs   blobs.Store
	Hub     *Hub // told of every change
	// Tx runs fn in one transaction, which the context given to fn carries.
	Tx    func(ctx context.Context, fn func(context.Context) error) error
	Owner string // unique to this process: its leases are found by it
	Now   clock.Clock
	Log   *slog.Logger

	TTL   time.Duration // of a lease; 0 takes DefaultTTL
	Beat  time.Duration // between extensions; 0 takes DefaultBeat
	Reap  time.Duration // between searches for lost runs; 0 takes DefaultReap
	Retry time.Duration // between tries to write a claim or an end; 0 takes DefaultRetry

	mu   sync.Mutex
	held map[*held]bool
}

// Work trains a run, if it is still queued under the epoch, and ends it. An
// error means that its outcome could not be written; the lease will run out.
func (w *Worker) Work(ctx context.Context, id string, epoch int64) error {
	ctx, h := w.hold(ctx, id)
	defer w.drop(h)
	run, ok, err := w.claim(ctx, id, epoch)
	if err != nil {
		return fmt.Errorf("claiming run %s: %w", id, err)
	}
	if !ok {
		return nil
	}
	w.took(h, run)
	return w.end(ctx, run, w.train(ctx, run))
}

// claim takes the run and clears what an earlier attempt left of it.
func (w *Worker) claim(ctx context.Context, id string, epoch int64) (run Run, ok bool, err error) {
	var old []Trial
	err = w.insist(ctx, id, func(ctx context.Context) error {
		now := w.Now()
		if ok, err = w.Store.ClaimRun(ctx, id, w.Owner, epoch, now, now.Add(w.ttl())); err != nil || !ok {
			return err
		}
		if run, err = w.Store.RunByID(ctx, id); err != nil {
			return err
		}
		if old, err = w.Store.Trials(ctx, run.Workspace, id); err != nil {
			return err
		}
		if err := w.Store.ClearTrials(ctx, id, run.LeaseEpoch); err != nil {
			return err
		}
		return w.stateEvent(ctx, id, Running, Failure{})
	})
	if err != nil || !ok {
		return Run{}, false, err
	}
	w.removeFiles(ctx, old)
	return run, true, nil
}

// removeFiles deletes the files of trials that are no more. What cannot be
// deleted is only wasted space, so it does not stop the run.
func (w *Worker) removeFiles(ctx context.Context, trials []Trial) {
	for _, t := range trials {
		keys, err := w.Blobs.Keys(ctx, folder(t.Workspace, t.Run, t.ID)+"/")
		for _, key := range keys {
			err = errors.Join(err, w.Blobs.Delete(ctx, key))
		}
		if err != nil {
			w.Log.WarnContext(ctx, "files of an earlier attempt are left", "run", t.Run, "trial", t.ID, "err", err)
		}
	}
}

// train runs the trainer. A panic is a failed run: the lease must not be held by
// a run that nobody works on.
func (w *Worker) train(ctx context.Context, run Run) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("training panicked: %v\n%s", p, debug.Stack())
		}
	}()
	plan, err := w.Plans.Plan(ctx, run.Workspace, run.Plan)
	if err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	return w.Trainer.Train(ctx, Job{Run: run, Plan: plan}, &sink{w: w, run: run})
}

// end writes the outcome of a training that returned err.
func (w *Worker) end(ctx context.Context, run Run, err error) error {
	log := w.Log.With("run", run.ID, "epoch", run.LeaseEpoch)
	stopped, cause := ctx.Err() != nil, context.Cause(ctx)
	ctx, cancel := detach(ctx)
	defer cancel()
	switch {
	case errors.Is(err, ErrFenced), errors.Is(cause, ErrFenced):
		log.WarnContext(ctx, "lost the run to another worker")
		return nil
	case err == nil:
		return w.finish(ctx, run, Succeeded, Failure{})
	case !stopped:
		log.ErrorContext(ctx, "run failed", "err", err)
		return w.finish(ctx, run, Failed, failureOf(err))
	}
	if errors.Is(cause, errAbort) || w.abortAsked(ctx, run.ID) {
		return w.finish(ctx, run, Aborted, Failure{})
	}
	log.InfoContext(ctx, "giving the run back: this worker stops")
	return w.insist(ctx, run.ID, func(ctx context.Context) error { return w.requeue(ctx, run, run.Attempt) })
}

// abortAsked reports whether the row says so: a job may be cancelled before the
// heartbeat has seen the mark.
func (w *Worker) abortAsked(ctx context.Context, id string) bool {
	run, err := w.Store.RunByID(ctx, id)
	return err == nil && run.AbortAt != 0
}

// finish ends the run. If it was fenced in the meantime, there is nothing to do.
func (w *Worker) finish(ctx context.Context, run Run, state State, why Failure) error {
	err := w.insist(ctx, run.ID, func(ctx context.Context) error {
		if err := w.Store.FinishRun(ctx, run.ID, run.LeaseEpoch, state, why, w.Now()); err != nil {
			return err
		}
		return w.stateEvent(ctx, run.ID, state, why)
	})
	if err != nil && !errors.Is(err, ErrFenced) {
		return fmt.Errorf("ending run %s as %s: %w", run.ID, state, err)
	}
	return nil
}

// change runs fn in one transaction and tells who watches the run.
func (w *Worker) change(ctx context.Context, run string, fn func(context.Context) error) error {
	if err := w.Tx(ctx, fn); err != nil {
		return err
	}
	w.Hub.Poke(run)
	return nil
}

// insist is change, tried again for as long as that may help.
func (w *Worker) insist(ctx context.Context, run string, fn func(context.Context) error) error {
	for try := 1; ; try++ {
		err := w.change(ctx, run, fn)
		if err == nil || errors.Is(err, ErrFenced) || fault.Is(err, fault.NotFound) || try == tries {
			return err
		}
		w.Log.WarnContext(ctx, "the run could not be written", "run", run, "try", try, "err", err)
		select {
		case <-time.After(cmp.Or(w.Retry, DefaultRetry)):
		case <-ctx.Done():
			return err
		}
	}
}

// failureOf says why a run failed; what is internal stays in the log.
func failureOf(err error) Failure {
	f := fault.From(err)
	return Failure{Code: string(f.Code), Detail: f.Detail, Fix: f.Fix}
}

// detach returns a context that outlives ctx, for the last words of a run.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), lastWords)
}
