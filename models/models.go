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
	ID         string     `json:"id"`
	Workspace  string     `json:"workspace_id"`
	Name       string     `json:"name"` // unique in the workspace
	Status     Status     `json:"status"`
	Run        string     `json:"run_id"`
	Trial      string     `json:"trial_id"`
	Plan       string     `json:"plan_id"`
	Dataset    string     `json:"dataset_id"`
	Family     string     `json:"family"`
	TrialName  string     `json:"trial_name"`
	Task       string     `json:"task"`
	Target     string     `json:"target"`
	Metric     string     `json:"metric"`
	CV         float64    `json:"cv"`
	SE         float64    `json:"se"`
	SHA256     string     `json:"sha256"` // of the artifact, hex
	Bytes      int64      `json:"bytes"`
	Artifact   string     `json:"-"` // blob key
	Evaluation string     `json:"-"` // blob key
	CreatedAt  clock.Time `json:"created_at"`
	CreatedBy  string     `json:"created_by"`
	PromotedAt clock.Time `json:"promoted_at"`
	PromotedBy string     `json:"promoted_by,omitempty"`
	DeletedAt  clock.Time `json:"-"`
}

// Store keeps models. Every method is limited to one workspace.
type Store interface {
	// InsertModel fails with conflict if the name is taken.
	InsertModel(ctx context.Context, m Model) error
	// Model fails with not_found if there is none that is not deleted.
	Model(ctx context.Context, workspace, id string) (Model, error)
	Models(ctx context.Context, workspace string, p page.Page) ([]Model, error)
	// ModelsOfRun returns the ids of the models that came of a run.
	ModelsOfRun(ctx context.Context, workspace, run string) ([]string, error)
	// Champion fails with not_found if the workspace has none.
	Champion(ctx context.Context, workspace string) (Model, error)
	// SetStatus changes the status, and who promoted it when it becomes champion.
	SetStatus(ctx context.Context, workspace, id string, s Status, by string, at clock.Time) error
	DeleteModel(ctx context.Context, workspace, id string, at clock.Time) error
}
