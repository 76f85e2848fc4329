// Package plans keeps requests to train: stored, validated and resolved in full,
// launched at most once.
package plans

import (
	"context"

	"ambit/datasets"
	"ambit/internal/clock"
	"ambit/internal/page"
)

// State is the state of a plan. Expired and stale are seen when it is read.
type State string

// States.
const (
	Ready     State = "ready"
	Launched  State = "launched"
	Cancelled State = "cancelled"
	Expired   State = "expired"
	Stale     State = "stale"
)

// Plan is a request to train that was validated and resolved.
type Plan struct {
	ID         string     `json:"id"`
	Workspace  string     `json:"workspace_id"`
	Dataset    string     `json:"dataset_id"`
	State      State      `json:"state"`
	Spec       Spec       `json:"spec"`
	Hash       string     `json:"hash"`                 // SHA-256 of the canonical Spec, hex: what an approval binds to
	Note       string     `json:"note,omitempty"`       // untrusted
	Hypothesis string     `json:"hypothesis,omitempty"` // untrusted
	Origin     Origin     `json:"created_by"`
	CreatedAt  clock.Time `json:"created_at"`
	ExpiresAt  clock.Time `json:"expires_at"`
	Run        string     `json:"run_id,omitempty"` // the run that it was launched as
	DeletedAt  clock.Time `json:"-"`
}

// Origin says where a plan came from.
type Origin struct {
	Principal string `json:"principal"`
	Token     string `json:"token,omitempty"`
	ActsFor   string `json:"acts_for,omitempty"`
	Tool      string `json:"tool,omitempty"` // claimed
	Host      string `json:"host,omitempty"` // claimed
}

// Task is a kind of prediction.
type Task string

// Tasks.
const (
	Binary     Task = "binary"
	Multiclass Task = "multiclass"
	Regression Task = "regression"
)

// Family is a kind of model. The floor is fitted always.
type Family string

// Families.
const (
	Floor  Family = "floor"  // prior or mean
	Linear Family = "linear" // logistic or ridge
	Forest Family = "forest" // random forest
	Trees  Family = "gbtree" // boosted trees; the fixed default is "ambit-0"
)

// Spec is what will be trained: nothing is left to be decided at launch.
type Spec struct {
	DatasetVersion string             `json:"dataset_version_id"`
	VersionNumber  int                `json:"dataset_version"`
	Fingerprint    string             `json:"fingerprint"`
	Rows           int                `json:"rows"`         // with a target
	DroppedRows    int                `json:"dropped_rows"` // without one
	Target         string             `json:"target"`
	Task           Task               `json:"task"`
	Classes        []Class            `json:"classes,omitempty"` // in ascending text order
	Positive       string             `json:"positive,omitempty"`
	Metric         Metric             `json:"metric"`
	Split          Split              `json:"split"`
	Features       []Feature          `json:"features"`
	Ignored        []Ignored          `json:"ignored"`
	Families       []Family           `json:"families"`
	Budget         Budget             `json:"budget"`
	Seed           int64              `json:"seed"`
	Engine         string             `json:"engine"` // name and version
	Warnings       []datasets.Warning `json:"warnings"`
}

// Class is a class of the target.
type Class struct {
	Value string `json:"value"`
	Rows  int    `json:"rows"`
}

// Metric is what a run is ranked by.
type Metric struct {
	Name           string `json:"name"` // auc, logloss, rmse
	HigherIsBetter bool   `json:"higher_is_better"`
}

// Split says how rows are dealt to folds (50-domain section 0).
type Split struct {
	Strategy string  `json:"strategy"` // stratified or random
	K        int     `json:"k"`
	Seed     int64   `json:"seed"`
	Holdout  float64 `json:"holdout"`  // share of rows sealed away
	ID       string  `json:"split_id"` // SHA-256 of the fold of each row, hex
}

// Feature is a column that is learnt from.
type Feature struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Encoding string `json:"encoding"` // number or one_hot
}

// Ignored is a column that is not learnt from, and why.
type Ignored struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Budget bounds a run.
type Budget struct {
	Seconds int `json:"time_s"`
	Threads int `json:"threads"`
}

// Store keeps plans. Every method is limited to one workspace.
type Store interface {
	InsertPlan(ctx context.Context, p Plan) error
	// Plan fails with not_found if there is none that is not deleted.
	Plan(ctx context.Context, workspace, id string) (Plan, error)
	Plans(ctx context.Context, workspace string, p page.Page) ([]Plan, error)
	// MovePlan changes the state if it is from, and reports whether it was. Run
	// is kept when it is not empty.
	MovePlan(ctx context.Context, workspace, id string, from, to State, run string) (bool, error)
	DeletePlan(ctx context.Context, workspace, id string, at clock.Time) error
}
