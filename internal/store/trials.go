package store

import (
	"context"
	"encoding/json"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"ambit/internal/clock"
	"ambit/runs"
)

type trialRow struct {
	ID         string `gorm:"primaryKey"`
	Workspace  string `gorm:"column:workspace_id"`
	Run        string `gorm:"column:run_id"`
	Position   int
	Name       string
	Family     string
	State      runs.State
	Params     json.RawMessage `gorm:"serializer:json;not null"`
	Folds      []float64       `gorm:"serializer:json;not null"`
	CV         float64         `gorm:"column:cv"`
	SE         float64         `gorm:"column:se"`
	Rounds     int
	Seconds    float64
	Bytes      int64
	SHA256     string `gorm:"column:sha256"`
	Artifact   string
	Evaluation string
	Failure    runs.Failure `gorm:"serializer:json;not null"`
}

func (trialRow) TableName() string { return "trials" }

func (r trialRow) trial() runs.Trial { return runs.Trial(r) }

type eventRow struct {
	Run  string `gorm:"column:run_id;primaryKey"`
	Seq  int64  `gorm:"primaryKey;autoIncrement:false"`
	At   clock.Time
	Kind string
	Data json.RawMessage `gorm:"serializer:json;not null"`
}

func (eventRow) TableName() string { return "run_events" }

// ofLiveRun is the condition of what belongs to a run that is not deleted.
const ofLiveRun = "EXISTS (SELECT 1 FROM runs r WHERE r.id = run_id AND r.deleted_at = 0)"

// Trials returns the trials of a run by position; none if there is no such run.
func (db *DB) Trials(ctx context.Context, workspace, run string) ([]runs.Trial, error) {
	rows, err := find[trialRow](ctx, db, "position, id", "workspace_id = ? AND run_id = ? AND "+ofLiveRun, workspace, run)
	return converted(rows, trialRow.trial), err
}

// Trial fails with not_found if there is none of a run that is not deleted.
func (db *DB) Trial(ctx context.Context, workspace, id string) (runs.Trial, error) {
	row, err := take[trialRow](ctx, db, "trial", "workspace_id = ? AND id = ? AND "+ofLiveRun, workspace, id)
	return row.trial(), err
}

// SaveTrial inserts or replaces a trial of a run that the worker of the epoch has.
func (db *DB) SaveTrial(ctx context.Context, epoch int64, t runs.Trial) error {
	return db.fenced(ctx, t.Run, epoch, keepLease(epoch), func(q *gorm.DB) error {
		row := trialRow(t)
		return q.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "id"}},
			Where:     clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "trials.run_id = ?", Vars: []any{t.Run}}}},
			UpdateAll: true,
		}).Create(&row).Error
	})
}

// ClearTrials removes what an earlier attempt left.
func (db *DB) ClearTrials(ctx context.Context, run string, epoch int64) error {
	return db.fenced(ctx, run, epoch, keepLease(epoch), func(q *gorm.DB) error {
		return q.Where("run_id = ?", run).Delete(&trialRow{}).Error
	})
}

// keepLease changes nothing, and so locks the run's row.
func keepLease(epoch int64) map[string]any { return map[string]any{"lease_epoch": epoch} }

// AppendEvent gives the event the run's next number and returns it. It locks
// the run, so that numbers have no gaps and become visible in order.
// Fault: not_found if there is no such run.
func (db *DB) AppendEvent(ctx context.Context, e runs.Event) (int64, error) {
	row := eventRow(e)
	err := db.Tx(ctx, func(ctx context.Context) error {
		if _, err := takeLocked[runRow](ctx, db, "run", "id = ?", e.Run); err != nil {
			return err
		}
		return db.write(ctx, func(q *gorm.DB) error {
			if err := lastSeq(q, e.Run, &row.Seq); err != nil {
				return err
			}
			row.Seq++
			return q.Create(&row).Error
		})
	})
	if err != nil {
		return 0, err
	}
	return row.Seq, nil
}

// Events returns at most limit events after seq, in order; none if there is no
// such run that is not deleted.
func (db *DB) Events(ctx context.Context, workspace, run string, after int64, limit int) ([]runs.Event, error) {
	const ofRun = "EXISTS (SELECT 1 FROM runs r WHERE r.id = run_id AND r.workspace_id = ? AND r.deleted_at = 0)"
	var rows []eventRow
	err := db.read(ctx, func(q *gorm.DB) error {
		return q.Where("run_id = ? AND seq > ? AND "+ofRun, run, after, workspace).Order("seq").Limit(max(limit, 0)).Find(&rows).Error
	})
	return converted(rows, func(r eventRow) runs.Event { return runs.Event(r) }), err
}

// LastSeq returns the number of the run's last event, 0 if there is none.
func (db *DB) LastSeq(ctx context.Context, run string) (seq int64, err error) {
	err = db.read(ctx, func(q *gorm.DB) error { return lastSeq(q, run, &seq) })
	return seq, err
}

func lastSeq(q *gorm.DB, run string, seq *int64) error {
	return q.Model(&eventRow{}).Where("run_id = ?", run).Select("coalesce(max(seq), 0)").Scan(seq).Error
}
