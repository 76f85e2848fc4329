package runs

import (
	"context"
	"encoding/json"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/internal/jobs"
	"ambit/internal/page"
	"ambit/plans"
	"ambit/scopes"
)

// Plans is what launching needs of plans.
type Plans interface {
	// Take moves a plan to launched, once.
	Take(ctx context.Context, workspace, id, hash, run string) (plans.Plan, error)
	Get(ctx context.Context, workspace, id string) (plans.View, error)
}

// Service launches, watches and aborts runs.
type Service struct {
	Store Store
	Plans Plans
	Queue jobs.Queue
	Hub   *Hub
	Now   clock.Clock
}

// View is a run as it is shown.
type View struct {
	Run
	Failure *Failure `json:"failure,omitempty"`
	Trials  int      `json:"trials"`   // finished
	LastSeq int64    `json:"last_seq"` // of its events
}

// Board is the leaderboard of a run.
type Board struct {
	Run    string       `json:"run_id"`
	State  State        `json:"state"`
	Metric plans.Metric `json:"metric"`
	Rows   []Row        `json:"rows"`
	Note   string       `json:"note"` // how to read it
}

// Launch starts a plan, in the caller's transaction: the plan is moved, the run
// and its job are made, or nothing is. The caller's budget was taken before.
// Faults: those of plans.Service.Take.
func (s *Service) Launch(ctx context.Context, workspace, plan, hash string, by scopes.Caller) (Run, error) {
	run := Run{ID: ids.New("run"), Workspace: workspace, Plan: plan, Principal: by.Principal(), State: Queued, CreatedAt: s.Now()}
	if by.Kind == scopes.Token {
		run.Token = by.ID
	}
	if _, err := s.Plans.Take(ctx, workspace, plan, hash, run.ID); err != nil {
		return Run{}, err
	}
	if err := s.Store.InsertRun(ctx, run); err != nil {
		return Run{}, err
	}
	if err := s.event(ctx, run.ID, "state", map[string]any{"state": Queued}); err != nil {
		return Run{}, err
	}
	job, err := s.Queue.Enqueue(ctx, jobs.Train, run.ID, run.LeaseEpoch)
	if err != nil {
		return Run{}, err
	}
	run.JobID = job
	return run, s.Store.SetRunJob(ctx, run.ID, job)
}

func (s *Service) event(ctx context.Context, run, kind string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_, err = s.Store.AppendEvent(ctx, Event{Run: run, At: s.Now(), Kind: kind, Data: raw})
	return err
}

// Get returns a run.
func (s *Service) Get(ctx context.Context, workspace, id string) (View, error) {
	run, err := s.Store.Run(ctx, workspace, id)
	if err != nil {
		return View{}, err
	}
	return s.view(ctx, run)
}

func (s *Service) view(ctx context.Context, run Run) (View, error) {
	v := View{Run: run}
	if run.Failure != (Failure{}) {
		v.Failure = &run.Failure
	}
	trials, err := s.Store.Trials(ctx, run.Workspace, run.ID)
	if err != nil {
		return View{}, err
	}
	for _, t := range trials {
		if t.State == Succeeded {
			v.Trials++
		}
	}
	v.LastSeq, err = s.Store.LastSeq(ctx, run.ID)
	return v, err
}

// Wait returns a run when something happened to it after seq, when it is over,
// or when ctx ends, whichever is first.
func (s *Service) Wait(ctx context.Context, workspace, id string, seq int64) (View, error) {
	changed, release := s.Hub.Watch(id)
	defer release()
	for {
		v, err := s.Get(context.WithoutCancel(ctx), workspace, id)
		if err != nil || v.State.Ended() || v.LastSeq > seq {
			return v, err
		}
		select {
		case <-changed:
		case <-time.After(pollEvery): // another process may have written
		case <-ctx.Done():
			return v, nil
		}
	}
}

// pollEvery bounds how late a change of another process is seen.
const pollEvery = time.Second

// List returns the newest runs first.
func (s *Service) List(ctx context.Context, workspace string, p page.Page) (page.List[Run], error) {
	found, err := s.Store.Runs(ctx, workspace, p)
	if err != nil {
		return page.List[Run]{}, err
	}
	return page.Cut(found, p.Limit, func(r Run) page.Cursor { return page.Cursor{At: r.CreatedAt, ID: r.ID} }), nil
}

// Leaderboard returns the trials of a run, ranked.
func (s *Service) Leaderboard(ctx context.Context, workspace, id string) (Board, error) {
	run, err := s.Store.Run(ctx, workspace, id)
	if err != nil {
		return Board{}, err
	}
	plan, err := s.Plans.Get(ctx, workspace, run.Plan)
	if err != nil {
		return Board{}, err
	}
	trials, err := s.Store.Trials(ctx, workspace, id)
	if err != nil {
		return Board{}, err
	}
	return Board{
		Run: id, State: run.State, Metric: plan.Spec.Metric, Rows: Rank(trials, plan.Spec.Metric),
		Note: "Scores are cross-validated means; rows within one standard error of each other are a tie.",
	}, nil
}

// Events returns events of a run after seq.
func (s *Service) Events(ctx context.Context, workspace, id string, after int64, limit int) ([]Event, error) {
	if _, err := s.Store.Run(ctx, workspace, id); err != nil {
		return nil, err
	}
	return s.Store.Events(ctx, workspace, id, after, limit)
}

// Abort asks a run to stop, and keeps its finished trials. Asking again changes nothing.
// Fault: not_found.
func (s *Service) Abort(ctx context.Context, workspace, id string) (View, error) {
	run, err := s.Store.LockRun(ctx, workspace, id)
	if err != nil {
		return View{}, err
	}
	if !run.State.Ended() && run.AbortAt == 0 {
		if err := s.abort(ctx, run); err != nil {
			return View{}, err
		}
	}
	return s.Get(ctx, workspace, id)
}

func (s *Service) abort(ctx context.Context, run Run) error {
	if err := s.Queue.Cancel(ctx, run.JobID); err != nil {
		return err
	}
	if run.State == Queued {
		if err := s.Store.AbortQueued(ctx, run.ID, s.Now()); err != nil {
			return err
		}
		return s.event(ctx, run.ID, "state", map[string]any{"state": Aborted})
	}
	if err := s.Store.RequestAbort(ctx, run.ID, s.Now()); err != nil {
		return err
	}
	return s.event(ctx, run.ID, "log", map[string]any{"message": "asked to stop"})
}

// Delete hides a run. Faults: not_found, conflict (still at work), in_use (a model came of it).
func (s *Service) Delete(ctx context.Context, workspace, id string, modelsOf func(ctx context.Context, run string) ([]string, error)) error {
	run, err := s.Store.LockRun(ctx, workspace, id)
	if err != nil {
		return err
	}
	if !run.State.Ended() {
		return fault.New(fault.Conflict, "The run is %s.", run.State).WithFix("Abort it first.")
	}
	found, err := modelsOf(ctx, id)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fault.New(fault.InUse, "%d registered models came of this run.", len(found)).WithFix("Delete the models first.").With("models", found)
	}
	return s.Store.DeleteRun(ctx, workspace, id, s.Now())
}
