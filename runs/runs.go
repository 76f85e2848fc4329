// Package runs launches plans and keeps what comes of them: runs, trials, the
// leaderboard, progress.
package runs

import (
	"context"
	"encoding/json"

	"ambit/internal/clock"
	"ambit/internal/page"
)

// State is the state of a run.
type State string

// States.
const (
	Queued    State = "queued"
	Running   State = "running"
	Succeeded State = "succeeded"
	Failed    State = "failed"
	Aborted   State = "aborted"
)

// Ended reports whether a run in the state is over.
func (s State) Ended() bool { return s == Succeeded || s == Failed || s == Aborted }

// Run is one launch of a plan.
type Run struct {
	ID         string     `json:"id"`
	Workspace  string     `json:"workspace_id"`
	Plan       string     `json:"plan_id"` // unique: a plan is launched at most once
	Token      string     `json:"-"`       // whose budget it takes; empty for a person
	Principal  string     `json:"started_by"`
	State      State      `json:"state"`
	Phase      string     `json:"phase"`    // what is being done: prepare, floor, linear, forest, gbtree, finish
	Progress   float64    `json:"progress"` // 0 to 1
	Failure    Failure    `json:"-"`
	Attempt    int        `json:"attempt"` // workers lost so far
	LeaseOwner string     `json:"-"`       // the worker that has it
	LeaseEpoch int64      `json:"-"`
	LeaseUntil clock.Time `json:"-"`
	JobID      int64      `json:"-"`
	AbortAt    clock.Time `json:"abort_requested_at"` // when somebody asked for it to stop
	CreatedAt  clock.Time `json:"created_at"`
	StartedAt  clock.Time `json:"started_at"`
	EndedAt    clock.Time `json:"ended_at"`
	DeletedAt  clock.Time `json:"-"`
}

// Failure says why a run failed; zero when it did not.
type Failure struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// Trial is one model fit in a run. Scores are of the plan's metric, cross-validated.
type Trial struct {
	ID         string
	Workspace  string
	Run        string
	Position   int    // order in the run, from 0
	Name       string // "floor", "linear", "forest", "ambit-0"
	Family     string
	State      State
	Params     json.RawMessage
	Folds      []float64 // a score a fold
	CV         float64   // mean over folds
	SE         float64   // sd over folds / sqrt(k)
	Rounds     int
	Seconds    float64
	Bytes      int64
	SHA256     string // of the artifact, hex
	Artifact   string // blob key of the model bundle
	Evaluation string // blob key of the evaluation
	Failure    Failure
}

// Event is one line of a run's history.
type Event struct {
	Run  string          `json:"run_id"`
	Seq  int64           `json:"seq"` // from 1, without gaps in a run
	At   clock.Time      `json:"at"`
	Kind string          `json:"kind"` // state, phase, trial, round, log
	Data json.RawMessage `json:"data"`
}

// Lease is what a worker learns when it extends its leases.
type Lease struct {
	Run     string
	Epoch   int64
	AbortAt clock.Time
}

// Store keeps runs. Methods for callers are limited to one workspace; the rest
// are the workers', fenced by the lease epoch: they fail with ErrFenced when
// another worker has the run.
type Store interface {
	// InsertRun fails with plan_already_launched if the plan has a run.
	InsertRun(ctx context.Context, r Run) error
	SetRunJob(ctx context.Context, id string, jobID int64) error
	// Run fails with not_found if there is none that is not deleted.
	Run(ctx context.Context, workspace, id string) (Run, error)
	// RunOfPlan fails with not_found if the plan has none.
	RunOfPlan(ctx context.Context, workspace, plan string) (Run, error)
	Runs(ctx context.Context, workspace string, p page.Page) ([]Run, error)
	Trials(ctx context.Context, workspace, run string) ([]Trial, error)
	Trial(ctx context.Context, workspace, id string) (Trial, error)
	// Events returns at most limit events after seq, in order.
	Events(ctx context.Context, workspace, run string, after int64, limit int) ([]Event, error)
	// LastSeq returns the number of the run's last event, 0 if there is none.
	LastSeq(ctx context.Context, run string) (int64, error)
	// LockRun returns the run and holds it until the transaction ends.
	LockRun(ctx context.Context, workspace, id string) (Run, error)
	// RequestAbort marks a run that is not over.
	RequestAbort(ctx context.Context, id string, at clock.Time) error
	// AbortQueued ends a run that no worker has.
	AbortQueued(ctx context.Context, id string, at clock.Time) error
	DeleteRun(ctx context.Context, workspace, id string, at clock.Time) error

	// RunByID is the workers'.
	RunByID(ctx context.Context, id string) (Run, error)
	// ClaimRun takes a queued run whose epoch is the job's; false: nothing to do.
	ClaimRun(ctx context.Context, id, owner string, epoch int64, now, until clock.Time) (bool, error)
	// ExtendLeases extends every lease of the owner and returns them.
	ExtendLeases(ctx context.Context, owner string, until clock.Time) ([]Lease, error)
	// LostRuns returns running runs whose lease ended before now.
	LostRuns(ctx context.Context, now clock.Time) ([]Run, error)
	// QueuedRuns returns every queued run, the oldest first.
	QueuedRuns(ctx context.Context) ([]Run, error)
	// RenewRun puts a queued run under the next job and the next epoch, if its epoch is still e.
	RenewRun(ctx context.Context, id string, e int64, jobID int64) (bool, error)
	// RequeueRun gives a running run back to the queue under the next job, if its epoch is still e.
	RequeueRun(ctx context.Context, id string, e int64, jobID int64, attempt int) (bool, error)
	SetProgress(ctx context.Context, id string, epoch int64, phase string, progress float64) error
	// SaveTrial inserts or replaces a trial.
	SaveTrial(ctx context.Context, epoch int64, t Trial) error
	// ClearTrials removes what an earlier attempt left.
	ClearTrials(ctx context.Context, run string, epoch int64) error
	// AppendEvent sets Seq and returns it.
	AppendEvent(ctx context.Context, e Event) (int64, error)
	// FinishRun ends a run.
	FinishRun(ctx context.Context, id string, epoch int64, s State, f Failure, at clock.Time) error
}
