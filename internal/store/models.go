package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/models"
)

var _ models.Store = (*DB)(nil)

type modelRow struct {
	ID         string `gorm:"primaryKey"`
	Workspace  string `gorm:"column:workspace_id"`
	Name       string
	Status     models.Status
	Run        string `gorm:"column:run_id"`
	Trial      string `gorm:"column:trial_id"`
	Plan       string `gorm:"column:plan_id"`
	Dataset    string `gorm:"column:dataset_id"`
	Family     string
	TrialName  string
	Task       string
	Target     string
	Metric     string
	CV         float64 `gorm:"column:cv"`
	SE         float64 `gorm:"column:se"`
	SHA256     string  `gorm:"column:sha256"`
	Bytes      int64
	Artifact   string
	Evaluation string
	CreatedAt  clock.Time `gorm:"autoCreateTime:false"`
	CreatedBy  string
	PromotedAt clock.Time
	PromotedBy string
	DeletedAt  clock.Time
}

func (modelRow) TableName() string { return "models" }

func (r modelRow) model() models.Model { return models.Model(r) }

// InsertModel keeps a new model. Fault: conflict if the name is taken.
func (db *DB) InsertModel(ctx context.Context, m models.Model) error {
	row := modelRow(m)
	added, err := insert(ctx, db, &row)
	if err == nil && !added {
		return fault.New(fault.Conflict, "The workspace has a model with this name.").WithFix("Choose another name.")
	}
	return err
}

// Model returns a model. Fault: not_found.
func (db *DB) Model(ctx context.Context, workspace, id string) (models.Model, error) {
	row, err := take[modelRow](ctx, db, "model", live+" AND id = ?", workspace, id)
	return row.model(), err
}

// Models returns a page of the newest, and one more.
func (db *DB) Models(ctx context.Context, workspace string, p page.Page) ([]models.Model, error) {
	rows, err := newest[modelRow](ctx, db, p, live, workspace)
	return converted(rows, modelRow.model), err
}

// ModelsOfRun returns the ids of the models that came of a run, newest first.
func (db *DB) ModelsOfRun(ctx context.Context, workspace, run string) ([]string, error) {
	rows, err := find[modelRow](ctx, db, "created_at DESC, id DESC", live+" AND run_id = ?", workspace, run)
	return converted(rows, func(r modelRow) string { return r.ID }), err
}

// Champion returns the workspace's one champion. Fault: not_found.
func (db *DB) Champion(ctx context.Context, workspace string) (models.Model, error) {
	row, err := take[modelRow](ctx, db, "champion", live+" AND status = 'champion'", workspace)
	return row.model(), err
}

// SetStatus changes the status, and who promoted it when it becomes champion.
// Faults: not_found; conflict if the workspace has another champion.
func (db *DB) SetStatus(ctx context.Context, workspace, id string, s models.Status, by string, at clock.Time) error {
	columns := map[string]any{"status": s}
	if s == models.Champion {
		columns["promoted_by"], columns["promoted_at"] = by, at
	}
	err := update[modelRow](ctx, db, "model", columns, live+" AND id = ?", workspace, id)
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return fault.New(fault.Conflict, "The workspace has another champion.").WithFix("Try again; that one must be retired first.")
	}
	return err
}

// DeleteModel hides a model, and sets its name free. Fault: not_found.
func (db *DB) DeleteModel(ctx context.Context, workspace, id string, at clock.Time) error {
	return update[modelRow](ctx, db, "model", map[string]any{"deleted_at": at}, live+" AND id = ?", workspace, id)
}
