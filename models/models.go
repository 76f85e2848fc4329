// Package models is the registry: trials that were registered, what they
// promise, and what they answer.
package models

import (
	"context"

	"ambit/internal/clock"
	"ambit/internal/page"
)

// Status is how far a model has come. Only people make a champion.
type Status string

// Statuses.
const (
	Registered Status = "registered"
	Published  Status = "published"
	Champion   Status = "champion"
	Retired    Status = "retired" // a champion that another one took the place of
)

// Model is a registered trial.
type Model struct {
	ID         string
	Workspace  string
	Name       string // unique in the workspace
	Status     Status
	Run        string
	Trial      string
	Plan       string
	Dataset    string
	Family     string
	TrialName  string
	Task       string
	Target     string
	Metric     string
	CV         float64
	SE         float64
	SHA256     string // of the artifact, hex
	Bytes      int64
	Artifact   string // blob key
	Evaluation string // blob key
	CreatedAt  clock.Time
	CreatedBy  string
	PromotedAt clock.Time
	PromotedBy string
	DeletedAt  clock.Time
}

// Store keeps models. Every method is limited to one workspace.
type Store interface {
	// InsertModel fails with conflict if the name is taken.
	InsertModel(ctx context.Context, m Model) error
	// Model fails with not_found if there is none that is not deleted.
	Model(ctx context.Context, workspace, id string) (Model, error)
	Models(ctx context.Context, workspace string, p page.Page) ([]Model, error)
	// Champion fails with not_found if the workspace has none.
	Champion(ctx context.Context, workspace string) (Model, error)
	// SetStatus changes the status, and who promoted it when it becomes champion.
	SetStatus(ctx context.Context, workspace, id string, s Status, by string, at clock.Time) error
	DeleteModel(ctx context.Context, workspace, id string, at clock.Time) error
}
