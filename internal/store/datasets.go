package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"gorm.io/gorm"

	"ambit/datasets"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/plans"
	"ambit/runs"
)

var _ datasets.Store = (*DB)(nil)

type datasetRow struct {
	ID          string `gorm:"primaryKey"`
	Workspace   string `gorm:"column:workspace_id"`
	Name        string
	Description string
	Latest      string     `gorm:"column:latest_version_id"`
	CreatedAt   clock.Time `gorm:"autoCreateTime:false"`
	CreatedBy   string
	DeletedAt   clock.Time
}

func (datasetRow) TableName() string { return "datasets" }

func (r datasetRow) dataset() datasets.Dataset { return datasets.Dataset(r) }

// namedRow is a dataset with the form of its name that is unique.
type namedRow struct {
	Row     datasetRow `gorm:"embedded"`
	NameKey string
}

func (namedRow) TableName() string { return "datasets" }

type versionRow struct {
	ID            string `gorm:"primaryKey"`
	Workspace     string `gorm:"column:workspace_id"`
	Dataset       string `gorm:"column:dataset_id"`
	Number        int
	Rows          int64             `gorm:"column:row_count"`
	Columns       []datasets.Column `gorm:"column:column_list;serializer:json;not null"`
	Fingerprint   string
	Bytes         int64
	Format        datasets.Format
	SourceSHA256  string `gorm:"column:source_sha256"`
	EngineVersion string
	Profile       datasets.Profile   `gorm:"serializer:json;not null"`
	Warnings      []datasets.Warning `gorm:"serializer:json;not null"`
	CreatedAt     clock.Time         `gorm:"autoCreateTime:false"`
	CreatedBy     string
}

func (versionRow) TableName() string { return "dataset_versions" }

// live is the condition of what a workspace has and nobody deleted.
const live = "workspace_id = ? AND deleted_at = 0"

// InsertDataset keeps a new dataset. Fault: conflict if the name is taken.
func (db *DB) InsertDataset(ctx context.Context, d datasets.Dataset) error {
	row := namedRow{Row: datasetRow(d), NameKey: folded(d.Name)}
	added, err := insert(ctx, db, &row)
	if err == nil && !added {
		return fault.New(fault.Conflict, "The workspace has a dataset with this name.").
			WithFix("Choose another name, or add a version to that dataset.")
	}
	return err
}

// InsertVersion keeps a version and makes it the dataset's latest.
// Faults: not_found (no dataset that is not deleted); conflict if the number is taken.
func (db *DB) InsertVersion(ctx context.Context, v datasets.Version) error {
	return db.Tx(ctx, func(ctx context.Context) error {
		if _, err := takeLocked[datasetRow](ctx, db, "dataset", live+" AND id = ?", v.Workspace, v.Dataset); err != nil {
			return err
		}
		row := versionRow(v)
		added, err := insert(ctx, db, &row)
		if err == nil && !added {
			return fault.New(fault.Conflict, "The dataset has got another version in the meantime.").WithFix("Try again.")
		}
		if err != nil {
			return err
		}
		return update[datasetRow](ctx, db, "dataset", map[string]any{"latest_version_id": v.ID}, "id = ?", v.Dataset)
	})
}

// Dataset returns a dataset. Fault: not_found.
func (db *DB) Dataset(ctx context.Context, workspace, id string) (datasets.Dataset, error) {
	row, err := take[datasetRow](ctx, db, "dataset", live+" AND id = ?", workspace, id)
	return row.dataset(), err
}

// Version returns a version of a dataset that is not deleted. Fault: not_found.
func (db *DB) Version(ctx context.Context, workspace, id string) (datasets.Version, error) {
	row, err := take[versionRow](ctx, db, "dataset version", "workspace_id = ? AND id = ? AND "+ofLiveDataset, workspace, id)
	return datasets.Version(row), err
}

// ofLiveDataset is the condition of a version whose dataset is not deleted.
const ofLiveDataset = "EXISTS (SELECT 1 FROM datasets d WHERE d.id = dataset_id AND d.deleted_at = 0)"

// Datasets returns a page of the newest, and one more.
func (db *DB) Datasets(ctx context.Context, workspace string, p page.Page) ([]datasets.Dataset, error) {
	rows, err := newest[datasetRow](ctx, db, p, live, workspace)
	return converted(rows, datasetRow.dataset), err
}

// Named returns every dataset that has a version, by name in order of bytes,
// with its latest version.
func (db *DB) Named(ctx context.Context, workspace string) ([]datasets.Named, error) {
	rows, err := find[datasetRow](ctx, db, "id", live, workspace)
	if err != nil {
		return nil, err
	}
	versions, err := find[versionRow](ctx, db, "id",
		"id IN (SELECT latest_version_id FROM datasets WHERE workspace_id = ? AND deleted_at = 0)", workspace)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]versionRow, len(versions))
	for _, v := range versions {
		byID[v.ID] = v
	}
	named := make([]datasets.Named, 0, len(rows))
	for _, row := range rows {
		if v, ok := byID[row.Latest]; ok {
			named = append(named, datasets.Named{Dataset: row.dataset(), Version: datasets.Version(v)})
		}
	}
	slices.SortFunc(named, func(a, b datasets.Named) int { return cmp.Compare(a.Dataset.Name, b.Dataset.Name) })
	return named, nil
}

// VersionExists reports whether a table file belongs to a version; that its
// dataset is deleted does not count, for models still refer to it.
func (db *DB) VersionExists(ctx context.Context, workspace, id string) (bool, error) {
	var n int64
	err := db.read(ctx, func(q *gorm.DB) error {
		return q.Model(&versionRow{}).Where("workspace_id = ? AND id = ?", workspace, id).Count(&n).Error
	})
	return n > 0, err
}

// DeleteDataset hides a dataset, and sets its name free. Fault: not_found.
func (db *DB) DeleteDataset(ctx context.Context, workspace, id string, at clock.Time) error {
	return update[datasetRow](ctx, db, "dataset", map[string]any{"deleted_at": at}, live+" AND id = ?", workspace, id)
}

// maxReferences bounds each kind of what References names.
const maxReferences = 20

// References names what refers to a dataset, as "plan:<id>", "run:<id>" and
// "model:<id>", at most 20 of a kind: plans that may launch, runs that are not
// over, and models.
func (db *DB) References(ctx context.Context, workspace, id string) ([]string, error) {
	var out []string
	err := db.read(ctx, func(q *gorm.DB) error {
		return errors.Join(
			references(q.Model(&planRow{}).Where(live+" AND dataset_id = ? AND state = ? AND expires_at > ?", workspace, id, plans.Ready, db.now()), "plan", &out),
			references(q.Model(&runRow{}).Where(live+" AND state IN ? AND plan_id IN (SELECT p.id FROM plans p WHERE p.dataset_id = ?)",
				workspace, []runs.State{runs.Queued, runs.Running}, id), "run", &out),
			references(q.Model(&modelRow{}).Where(live+" AND dataset_id = ?", workspace, id), "model", &out),
		)
	})
	return out, err
}

func references(q *gorm.DB, kind string, out *[]string) error {
	var ids []string
	err := q.Order("created_at DESC, id DESC").Limit(maxReferences).Pluck("id", &ids).Error
	for _, id := range ids {
		*out = append(*out, kind+":"+id)
	}
	return err
}
