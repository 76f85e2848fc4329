package runs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/jobs"
)

// MaxAttempts is how many workers a run may lose before it fails: the second
// one lost is the run's own doing, more likely than not.
const MaxAttempts = 2

// never is later than any lease.
const never = clock.Time(math.MaxInt64)

// ReapLost takes back the runs whose leases have ended: once they are queued
// again, then they fail; a run that was to be aborted is. Queued runs whose jobs
// were lost get new ones.
func (w *Worker) ReapLost(ctx context.Context) error {
	now := w.Now()
	return errors.Join(w.reapBefore(ctx, now), w.deliverAgain(ctx, now.Add(-w.ttl())))
}

// ReapAll takes back every running run, and gives new jobs to the queued ones
// whose jobs were taken. It is for the start of a process that knows, by a lock
// on the data, that no other one is alive.
func (w *Worker) ReapAll(ctx context.Context) error {
	return errors.Join(w.reapBefore(ctx, never), w.deliverAgain(ctx, w.Now()))
}

func (w *Worker) reapBefore(ctx context.Context, now clock.Time) error {
	lost, err := w.Store.LostRuns(ctx, now)
	if err != nil {
		return fmt.Errorf("finding lost runs: %w", err)
	}
	var errs []error
	for _, run := range lost {
		errs = append(errs, w.takeBack(ctx, run, now))
	}
	return errors.Join(errs...)
}

// deliverAgain gives a new job to every queued run whose job was taken before
// the time and came to nothing: its worker was lost before it had claimed the run.
func (w *Worker) deliverAgain(ctx context.Context, before clock.Time) error {
	queued, err := w.Store.QueuedRuns(ctx)
	if err != nil || len(queued) == 0 {
		return err
	}
	ids := make([]int64, len(queued))
	for i, run := range queued {
		ids[i] = run.JobID
	}
	spent, err := w.Queue.Spent(ctx, ids, before.Std())
	if err != nil {
		return fmt.Errorf("finding lost jobs: %w", err)
	}
	var errs []error
	for _, run := range queued {
		if slices.Contains(spent, run.JobID) {
			errs = append(errs, w.renew(ctx, run))
		}
	}
	return errors.Join(errs...)
}

// renew puts a queued run under a new job and epoch, if it still has the job
// that was lost. Should that one's worker be alive, it cannot claim the run any more.
func (w *Worker) renew(ctx context.Context, lost Run) error {
	err := w.change(ctx, lost.ID, func(ctx context.Context) error {
		run, err := w.Store.LockRun(ctx, lost.Workspace, lost.ID)
		if err != nil || run.State != Queued || run.JobID != lost.JobID {
			return err
		}
		w.Log.WarnContext(ctx, "a job was lost before its run was claimed", "run", run.ID, "job", run.JobID)
		if err := w.Queue.Cancel(ctx, run.JobID); err != nil {
			return err
		}
		job, err := w.Queue.Enqueue(ctx, jobs.Train, run.ID, run.LeaseEpoch+1)
		if err != nil {
			return fmt.Errorf("queueing run %s again: %w", run.ID, err)
		}
		ok, err := w.Store.RenewRun(ctx, run.ID, run.LeaseEpoch, job)
		if err == nil && !ok {
			err = ErrFenced // rolls the job back too
		}
		return err
	})
	if errors.Is(err, ErrFenced) || fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// reapOrphans takes back the leases of this process that it does not work on:
// their outcome could not be written. Before is what was held before the leases
// were read: what ended since is no orphan.
func (w *Worker) reapOrphans(ctx context.Context, before []held, leases []Lease) error {
	busy := append(before, w.holding()...)
	var errs []error
	for _, l := range leases {
		if slices.ContainsFunc(busy, func(h held) bool { return h.id == l.Run }) {
			continue
		}
		run, err := w.Store.RunByID(ctx, l.Run)
		if err == nil && run.LeaseEpoch == l.Epoch {
			err = w.takeBack(ctx, run, never)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// takeBack decides what becomes of a run whose lease ended before now. The lease
// is looked at again under the run's lock: its worker may have come back.
func (w *Worker) takeBack(ctx context.Context, lost Run, now clock.Time) error {
	err := w.change(ctx, lost.ID, func(ctx context.Context) error {
		run, err := w.Store.LockRun(ctx, lost.Workspace, lost.ID)
		if err != nil {
			return err
		}
		if run.State != Running || run.LeaseEpoch != lost.LeaseEpoch || run.LeaseUntil >= now {
			return nil
		}
		return w.settle(ctx, run)
	})
	if err != nil && !errors.Is(err, ErrFenced) && !fault.Is(err, fault.NotFound) {
		return fmt.Errorf("taking back run %s: %w", lost.ID, err)
	}
	return nil
}

// settle ends a lost run or queues it again, in the transaction of ctx.
func (w *Worker) settle(ctx context.Context, run Run) error {
	w.Log.WarnContext(ctx, "a run was lost", "run", run.ID, "owner", run.LeaseOwner, "attempt", run.Attempt)
	if err := w.Queue.Cancel(ctx, run.JobID); err != nil {
		return err
	}
	if run.AbortAt == 0 && run.Attempt+1 < MaxAttempts {
		return w.requeue(ctx, run, run.Attempt+1)
	}
	state, why := Aborted, Failure{}
	if run.AbortAt == 0 {
		state, why = Failed, workerLost()
	}
	if err := w.Store.FinishRun(ctx, run.ID, run.LeaseEpoch, state, why, w.Now()); err != nil {
		return err
	}
	return w.stateEvent(ctx, run.ID, state, why)
}

// requeue gives the run back to the queue, in the transaction of ctx. The claim
// of the next worker begins an epoch of its own, which ends the rights of this one.
func (w *Worker) requeue(ctx context.Context, run Run, attempt int) error {
	job, err := w.Queue.Enqueue(ctx, jobs.Train, run.ID, run.LeaseEpoch)
	if err != nil {
		return fmt.Errorf("queueing run %s again: %w", run.ID, err)
	}
	ok, err := w.Store.RequeueRun(ctx, run.ID, run.LeaseEpoch, job, attempt)
	if err != nil {
		return err
	}
	if !ok {
		return ErrFenced // rolls the job back too
	}
	return w.stateEvent(ctx, run.ID, Queued, Failure{})
}

func workerLost() Failure {
	return Failure{
		Code:   "worker_lost",
		Detail: fmt.Sprintf("The worker of this run ended before the run did, %d times.", MaxAttempts),
		Fix:    "Give the workers more memory, or make a plan of a smaller table.",
	}
}
