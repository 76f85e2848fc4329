package store

import (
	"context"

	"gorm.io/gorm"

	"ambit/internal/clock"
	"ambit/internal/page"
	"ambit/plans"
)

var _ plans.Store = (*DB)(nil)

type planRow struct {
	ID         string `gorm:"primaryKey"`
	Workspace  string `gorm:"column:workspace_id"`
	Dataset    string `gorm:"column:dataset_id"`
	State      plans.State
	Spec       plans.Spec `gorm:"serializer:json;not null"`
	Hash       string
	Note       string
	Hypothesis string
	Origin     plans.Origin `gorm:"serializer:json;not null"`
	CreatedAt  clock.Time   `gorm:"autoCreateTime:false"`
	ExpiresAt  clock.Time
	Run        string `gorm:"column:run_id"`
	DeletedAt  clock.Time
}

func (planRow) TableName() string { return "plans" }

func (r planRow) plan() plans.Plan { return plans.Plan(r) }

// InsertPlan keeps a new plan.
func (db *DB) InsertPlan(ctx context.Context, p plans.Plan) error {
	row := planRow(p)
	return db.write(ctx, func(q *gorm.DB) error { return q.Create(&row).Error })
}

// Plan returns a plan. Fault: not_found.
func (db *DB) Plan(ctx context.Context, workspace, id string) (plans.Plan, error) {
	row, err := take[planRow](ctx, db, "plan", live+" AND id = ?", workspace, id)
	return row.plan(), err
}

// Plans returns a page of the newest, and one more.
func (db *DB) Plans(ctx context.Context, workspace string, p page.Page) ([]plans.Plan, error) {
	rows, err := newest[planRow](ctx, db, p, live, workspace)
	return converted(rows, planRow.plan), err
}

// MovePlan changes the state if it is from, and reports whether it was. The
// database decides between two who move it at the same time.
func (db *DB) MovePlan(ctx context.Context, workspace, id string, from, to plans.State, run string) (moved bool, err error) {
	columns := map[string]any{"state": to}
	if run != "" {
		columns["run_id"] = run
	}
	err = db.write(ctx, func(q *gorm.DB) error {
		r := q.Model(&planRow{}).Where(live+" AND id = ? AND state = ?", workspace, id, from).Updates(columns)
		moved = r.RowsAffected == 1
		return r.Error
	})
	return moved, err
}

// DeletePlan hides a plan. Fault: not_found.
func (db *DB) DeletePlan(ctx context.Context, workspace, id string, at clock.Time) error {
	return update[planRow](ctx, db, "plan", map[string]any{"deleted_at": at}, live+" AND id = ?", workspace, id)
}
