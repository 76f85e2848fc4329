package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"ambit/internal/clock"
	"ambit/runs"
)

// held is the condition under which a worker may write to a run.
const held = "id = ? AND lease_epoch = ? AND state = 'running'"

// ClaimRun takes a queued run whose epoch is the job's, and makes its epoch the
// next one: the worker writes under epoch + 1. False: there is nothing to do.
func (db *DB) ClaimRun(ctx context.Context, id, owner string, epoch int64, now, until clock.Time) (claimed bool, err error) {
	err = db.write(ctx, func(q *gorm.DB) error {
		r := q.Model(&runRow{}).Where("id = ? AND state = ? AND lease_epoch = ?", id, runs.Queued, epoch).Updates(map[string]any{
			"state": runs.Running, "lease_owner": owner, "lease_epoch": epoch + 1, "lease_until": until,
			"started_at": gorm.Expr("CASE WHEN started_at = 0 THEN ? ELSE started_at END", now),
		})
		claimed = r.RowsAffected == 1
		return r.Error
	})
	return claimed, err
}

// ExtendLeases extends every lease of the owner in one statement, and returns
// them. A run that the owner misses among them is another worker's.
func (db *DB) ExtendLeases(ctx context.Context, owner string, until clock.Time) ([]runs.Lease, error) {
	var rows []runRow
	err := db.write(ctx, func(q *gorm.DB) error {
		returning := clause.Returning{Columns: []clause.Column{{Name: "id"}, {Name: "lease_epoch"}, {Name: "abort_at"}}}
		return q.Model(&rows).Clauses(returning).Where("lease_owner = ? AND state = 'running'", owner).Update("lease_until", until).Error
	})
	return converted(rows, func(r runRow) runs.Lease {
		return runs.Lease{Run: r.ID, Epoch: r.LeaseEpoch, AbortAt: r.AbortAt}
	}), err
}

// LostRuns returns running runs whose lease ended before now, the longest lost first.
func (db *DB) LostRuns(ctx context.Context, now clock.Time) ([]runs.Run, error) {
	rows, err := find[runRow](ctx, db, "lease_until", "state = 'running' AND lease_until < ?", now)
	return converted(rows, runRow.run), err
}

// QueuedRuns returns every queued run, the oldest first.
func (db *DB) QueuedRuns(ctx context.Context) ([]runs.Run, error) {
	rows, err := find[runRow](ctx, db, "created_at, id", "state = ?", runs.Queued)
	return converted(rows, runRow.run), err
}

// RenewRun puts a queued run under the next job and the next epoch, if its epoch
// is still e: a job of e, wherever it is, then does nothing. The job must carry e + 1.
func (db *DB) RenewRun(ctx context.Context, id string, e, jobID int64) (renewed bool, err error) {
	err = db.write(ctx, func(q *gorm.DB) error {
		r := q.Model(&runRow{}).Where("id = ? AND lease_epoch = ? AND state = ?", id, e, runs.Queued).
			Updates(map[string]any{"lease_epoch": e + 1, "job_id": jobID})
		renewed = r.RowsAffected == 1
		return r.Error
	})
	return renewed, err
}

// RequeueRun gives a running run back to the queue under the next job, if its
// epoch is still e. The job must carry e.
func (db *DB) RequeueRun(ctx context.Context, id string, e, jobID int64, attempt int) (requeued bool, err error) {
	err = db.write(ctx, func(q *gorm.DB) error {
		r := q.Model(&runRow{}).Where(held, id, e).Updates(map[string]any{
			"state": runs.Queued, "lease_owner": "", "lease_until": 0, "job_id": jobID, "attempt": attempt,
		})
		requeued = r.RowsAffected == 1
		return r.Error
	})
	return requeued, err
}

// SetProgress says what is being done, and how far all of it is.
func (db *DB) SetProgress(ctx context.Context, id string, epoch int64, phase string, progress float64) error {
	return db.fenced(ctx, id, epoch, map[string]any{"phase": phase, "progress": progress}, nil)
}

// FinishRun ends a run and lets go of its lease.
func (db *DB) FinishRun(ctx context.Context, id string, epoch int64, s runs.State, f runs.Failure, at clock.Time) error {
	row := runRow{Failure: f}
	return db.write(ctx, func(q *gorm.DB) error {
		row.State, row.EndedAt = s, at
		r := q.Model(&runRow{}).Where(held, id, epoch).
			Select("state", "failure", "ended_at", "lease_owner", "lease_until").Updates(row)
		return lost(r)
	})
}

// fenced changes columns of a run that the worker of the epoch has, and then
// runs f in the same transaction, in which no other worker can take the run.
func (db *DB) fenced(ctx context.Context, id string, epoch int64, columns map[string]any, f func(q *gorm.DB) error) error {
	return db.write(ctx, func(q *gorm.DB) error {
		if err := lost(q.Model(&runRow{}).Where(held, id, epoch).Updates(columns)); err != nil || f == nil {
			return err
		}
		return f(q)
	})
}

// lost makes ErrFenced of an update that met no row.
func lost(r *gorm.DB) error {
	if r.Error == nil && r.RowsAffected == 0 {
		return runs.ErrFenced
	}
	return r.Error
}
