// Package datasets keeps the tables of a workspace: what they are called, their
// immutable versions, and what may be asked of them.
package datasets

import (
	"context"

	"ambit/internal/clock"
	"ambit/internal/page"
)

// Dataset is a named table. What it holds is in its versions.
type Dataset struct {
	ID          string     `json:"id"`
	Workspace   string     `json:"workspace_id"`
	Name        string     `json:"name"` // unique in the workspace, without regard to case
	Description string     `json:"description,omitempty"`
	Latest      string     `json:"latest_version_id"` // id of the newest version
	CreatedAt   clock.Time `json:"created_at"`
	CreatedBy   string     `json:"created_by"`
	DeletedAt   clock.Time `json:"-"`
}

// Version is one immutable content of a dataset.
type Version struct {
	ID            string     `json:"id"`
	Workspace     string     `json:"workspace_id"`
	Dataset       string     `json:"dataset_id"`
	Number        int        `json:"version"` // from 1
	Rows          int64      `json:"rows"`
	Columns       []Column   `json:"columns"`
	Fingerprint   string     `json:"fingerprint"`
	Bytes         int64      `json:"bytes"`
	Format        Format     `json:"format"`
	SourceSHA256  string     `json:"source_sha256"`
	EngineVersion string     `json:"engine_version"`
	Profile       Profile    `json:"-"`
	Warnings      []Warning  `json:"warnings"`
	CreatedAt     clock.Time `json:"created_at"`
	CreatedBy     string     `json:"created_by"`
}

// Store keeps datasets. Every method is limited to one workspace.
type Store interface {
	// InsertDataset fails with conflict if the name is taken.
	InsertDataset(ctx context.Context, d Dataset) error
	// InsertVersion keeps a version and makes it the dataset's latest.
	InsertVersion(ctx context.Context, v Version) error
	// Dataset and Version fail with not_found if there is none that is not deleted.
	Dataset(ctx context.Context, workspace, id string) (Dataset, error)
	Version(ctx context.Context, workspace, id string) (Version, error)
	// Datasets returns the newest first; Named all of them by name, with their latest version.
	Datasets(ctx context.Context, workspace string, p page.Page) ([]Dataset, error)
	Named(ctx context.Context, workspace string) ([]Named, error)
	// VersionExists reports whether a table file belongs to a version.
	VersionExists(ctx context.Context, workspace, id string) (bool, error)
	// DeleteDataset hides a dataset.
	DeleteDataset(ctx context.Context, workspace, id string, at clock.Time) error
	// References names what refers to a dataset: plans that may launch, and models.
	References(ctx context.Context, workspace, id string) ([]string, error)
}

// Named is a dataset with its latest version.
type Named struct {
	Dataset Dataset
	Version Version
}
