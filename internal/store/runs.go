package store

import (
	"context"

	"gorm.io/gorm"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/runs"
)

var _ runs.Store = (*DB)(nil)

type runRow struct {
	ID         string `gorm:"primaryKey"`
	Workspace  string `gorm:"column:workspace_id"`
	Plan       string `gorm:"column:plan_id"`
	Token      string `gorm:"column:token_id"`
	Principal  string
	State      runs.State
	Phase      string
	Progress   float64
	Failure    runs.Failure `gorm:"serializer:json;not null"`
	Attempt    int
	LeaseOwner string
	LeaseEpoch int64
	LeaseUntil clock.Time
	JobID      int64
	AbortAt    clock.Time
	CreatedAt  clock.Time `gorm:"autoCreateTime:false"`
	StartedAt  clock.Time
	EndedAt    clock.Time
	DeletedAt  clock.Time
}

func (runRow) TableName() string { return "runs" }

func (r runRow) run() runs.Run { return runs.Run(r) }

// InsertRun keeps a new run. Fault: plan_already_launched, which names the run
// that the plan has.
func (db *DB) InsertRun(ctx context.Context, r runs.Run) error {
	row := runRow(r)
	return db.Tx(ctx, func(ctx context.Context) error {
		added, err := insert(ctx, db, &row)
		if err != nil || added {
			return err
		}
		other, err := take[runRow](ctx, db, "run", "plan_id = ?", r.Plan)
		if err != nil {
			return err
		}
		return fault.New(fault.PlanAlreadyLaunched, "The plan was launched.").
			WithFix("Look at the run; to train again, make a new plan.").With("run_id", other.ID)
	})
}

// SetRunJob notes which job will start the run. Fault: not_found.
func (db *DB) SetRunJob(ctx context.Context, id string, jobID int64) error {
	return update[runRow](ctx, db, "run", map[string]any{"job_id": jobID}, "id = ?", id)
}

// Run returns a run. Fault: not_found.
func (db *DB) Run(ctx context.Context, workspace, id string) (runs.Run, error) {
	row, err := take[runRow](ctx, db, "run", live+" AND id = ?", workspace, id)
	return row.run(), err
}

// RunOfPlan returns the run of a plan, a deleted one too. Fault: not_found.
func (db *DB) RunOfPlan(ctx context.Context, workspace, plan string) (runs.Run, error) {
	row, err := take[runRow](ctx, db, "run", "workspace_id = ? AND plan_id = ?", workspace, plan)
	return row.run(), err
}

// Runs returns a page of the newest, and one more.
func (db *DB) Runs(ctx context.Context, workspace string, p page.Page) ([]runs.Run, error) {
	rows, err := newest[runRow](ctx, db, p, live, workspace)
	return converted(rows, runRow.run), err
}

// LockRun returns the run and holds it until the transaction ends.
func (db *DB) LockRun(ctx context.Context, workspace, id string) (runs.Run, error) {
	row, err := takeLocked[runRow](ctx, db, "run", live+" AND id = ?", workspace, id)
	return row.run(), err
}

// RequestAbort marks a run that is not over, once. One that is over stays as it is.
func (db *DB) RequestAbort(ctx context.Context, id string, at clock.Time) error {
	return db.write(ctx, func(q *gorm.DB) error {
		return q.Model(&runRow{}).Where("id = ? AND abort_at = 0 AND state IN ?", id, []runs.State{runs.Queued, runs.Running}).
			Update("abort_at", at).Error
	})
}

// AbortQueued ends a run that no worker has. Fault: conflict if one has it or
// it is over.
func (db *DB) AbortQueued(ctx context.Context, id string, at clock.Time) error {
	return db.write(ctx, func(q *gorm.DB) error {
		r := q.Model(&runRow{}).Where("id = ? AND state = ?", id, runs.Queued).Updates(map[string]any{
			"state": runs.Aborted, "abort_at": gorm.Expr("CASE WHEN abort_at = 0 THEN ? ELSE abort_at END", at), "ended_at": at,
		})
		if r.Error == nil && r.RowsAffected == 0 {
			return fault.New(fault.Conflict, "The run is not waiting in the queue any more.").WithFix("Look at the run's state.")
		}
		return r.Error
	})
}

// DeleteRun hides a run. Fault: not_found.
func (db *DB) DeleteRun(ctx context.Context, workspace, id string, at clock.Time) error {
	return update[runRow](ctx, db, "run", map[string]any{"deleted_at": at}, live+" AND id = ?", workspace, id)
}

// RunByID returns a run of any workspace, deleted ones too.
func (db *DB) RunByID(ctx context.Context, id string) (runs.Run, error) {
	row, err := take[runRow](ctx, db, "run", "id = ?", id)
	return row.run(), err
}
