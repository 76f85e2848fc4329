// Package brief tells an agent in one call what is in a workspace and what it
// may do next, and lists what can be read there.
package brief

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"ambit/datasets"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/models"
	"ambit/plans"
	"ambit/runs"
	"ambit/scopes"
	"ambit/tokens"
	"ambit/workspaces"
)

// Service reads across the nouns of a workspace.
type Service struct {
	Workspaces *workspaces.Service
	Datasets   *datasets.Service
	Plans      *plans.Service
	Runs       *runs.Service
	Models     *models.Service
}

// You is the caller of a brief.
type You struct {
	Kind   string             `json:"kind"`
	Scope  string             `json:"scope,omitempty"`
	Role   string             `json:"role,omitempty"`
	May    []string           `json:"may"`
	MayNot []string           `json:"may_not"`
	Budget *tokens.BudgetView `json:"budget,omitempty"`
}

// Brief is what is true of a workspace now. The same state gives the same bytes.
type Brief struct {
	Rev       string                `json:"rev"`
	Unchanged bool                  `json:"unchanged,omitempty"` // the rest is left out
	Workspace *workspaces.Workspace `json:"workspace,omitempty"`
	You       *You                  `json:"you,omitempty"`
	Datasets  []Dataset             `json:"datasets,omitempty"`
	Plans     []Plan                `json:"plans,omitempty"`
	Runs      []Run                 `json:"runs,omitempty"`
	Models    []Model               `json:"models,omitempty"`
	Champion  string                `json:"champion_model_id,omitempty"`
	Next      []Next                `json:"next,omitempty"`
}

// Dataset is a dataset in a brief.
type Dataset struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Version     int      `json:"version"`
	Rows        int64    `json:"rows"`
	Columns     []string `json:"columns"`
	MoreColumns int      `json:"more_columns,omitempty"`
	Fingerprint string   `json:"fingerprint"`
}

// Plan is a plan in a brief.
type Plan struct {
	ID       string      `json:"id"`
	State    plans.State `json:"state"`
	Target   string      `json:"target"`
	Sentence string      `json:"sentence"`
}

// Run is a run in a brief, with the best three rows of its leaderboard.
type Run struct {
	ID       string     `json:"id"`
	Plan     string     `json:"plan_id"`
	State    runs.State `json:"state"`
	Progress float64    `json:"progress"`
	Top      []runs.Row `json:"top,omitempty"`
}

// Model is a model in a brief.
type Model struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Status models.Status `json:"status"`
	Metric string        `json:"metric"`
	CV     float64       `json:"cv"`
	SE     float64       `json:"se"`
}

// Next is a call that makes sense now.
type Next struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
	Why  string         `json:"why"`
}

const (
	shortItems   = 5 // of each noun in a short brief
	fullItems    = 50
	shortColumns = 30
	fullColumns  = 200
)

// Options narrow a brief.
type Options struct {
	Full  bool
	IfRev string // answer "unchanged" if the state is still this
}

// Make writes the brief of a workspace for a caller.
// Fault: not_found.
func (s *Service) Make(ctx context.Context, workspace string, caller scopes.Caller, budget *tokens.BudgetView, o Options) (Brief, error) {
	b, err := s.gather(ctx, workspace, o.Full)
	if err != nil {
		return Brief{}, err
	}
	b.You = you(caller, budget)
	b.Next = next(b, caller)
	if b.Rev, err = rev(b); err != nil {
		return Brief{}, err
	}
	if o.IfRev == b.Rev {
		return Brief{Rev: b.Rev, Unchanged: true}, nil
	}
	return b, nil
}

// rev is a digest of everything in the brief but what a run has spent.
func rev(b Brief) (string, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8]), nil
}

func (s *Service) gather(ctx context.Context, workspace string, full bool) (b Brief, err error) {
	w, err := s.Workspaces.Get(ctx, workspace)
	if err != nil {
		return Brief{}, err
	}
	b.Workspace = &w
	items, columns := shortItems, shortColumns
	if full {
		items, columns = fullItems, fullColumns
	}
	p := page.Page{Limit: items}
	if b.Datasets, err = s.datasets(ctx, workspace, p, columns); err != nil {
		return Brief{}, err
	}
	if b.Plans, err = s.plans(ctx, workspace, p); err != nil {
		return Brief{}, err
	}
	if b.Runs, err = s.runs(ctx, workspace, p); err != nil {
		return Brief{}, err
	}
	if b.Models, err = s.models(ctx, workspace, p); err != nil {
		return Brief{}, err
	}
	b.Champion, err = s.champion(ctx, workspace)
	return b, err
}

// champion returns the champion's id, however old it is; "" if there is none.
func (s *Service) champion(ctx context.Context, workspace string) (string, error) {
	m, err := s.Models.Store.Champion(ctx, workspace)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return m.ID, err
}

func (s *Service) datasets(ctx context.Context, workspace string, p page.Page, columns int) ([]Dataset, error) {
	list, err := s.Datasets.List(ctx, workspace, p)
	if err != nil {
		return nil, err
	}
	var out []Dataset
	for _, d := range list.Items {
		v, err := s.Datasets.Get(ctx, workspace, d.ID)
		if err != nil {
			return nil, err
		}
		item := Dataset{ID: d.ID, Name: d.Name, Version: v.Number, Rows: v.Rows, Fingerprint: v.Fingerprint}
		for _, c := range v.Columns[:min(columns, len(v.Columns))] {
			item.Columns = append(item.Columns, c.Name)
		}
		item.MoreColumns = len(v.Columns) - len(item.Columns)
		out = append(out, item)
	}
	return out, nil
}

func (s *Service) plans(ctx context.Context, workspace string, p page.Page) ([]Plan, error) {
	list, err := s.Plans.List(ctx, workspace, p)
	var out []Plan
	for _, v := range list.Items {
		out = append(out, Plan{ID: v.ID, State: v.State, Target: v.Spec.Target, Sentence: v.Sentence})
	}
	return out, err
}

func (s *Service) runs(ctx context.Context, workspace string, p page.Page) ([]Run, error) {
	list, err := s.Runs.List(ctx, workspace, p)
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, r := range list.Items {
		board, err := s.Runs.Leaderboard(ctx, workspace, r.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, Run{ID: r.ID, Plan: r.Plan, State: r.State, Progress: r.Progress, Top: board.Rows[:min(3, len(board.Rows))]})
	}
	return out, nil
}

func (s *Service) models(ctx context.Context, workspace string, p page.Page) ([]Model, error) {
	list, err := s.Models.List(ctx, workspace, p)
	var out []Model
	for _, m := range list.Items {
		out = append(out, Model{ID: m.ID, Name: m.Name, Status: m.Status, Metric: m.Metric, CV: m.CV, SE: m.SE})
	}
	return out, err
}

// you says what a caller may do, in the words of its scope or role.
func you(c scopes.Caller, budget *tokens.BudgetView) *You {
	y := &You{Kind: c.Kind.String(), Scope: c.Scope.String(), Role: c.Role.String(), Budget: budget, MayNot: []string{}}
	y.May = []string{"read and query data", "read plans, runs, models and evaluations"}
	if c.Kind == scopes.Token {
		y.MayNot = []string{"promote", "delete", "change settings", "reach another workspace"}
	}
	if c.Kind == scopes.Person && c.Role < scopes.Operator || c.Kind == scopes.Token && c.Scope < scopes.Compute {
		return y
	}
	y.May = append(y.May, "score rows")
	if c.Kind == scopes.Person || c.Scope == scopes.Builder {
		y.May = append(y.May, "make, launch and cancel plans", "abort runs", "register models")
	}
	return y
}

// next suggests calls by rule: what the workspace lacks for the main job.
func next(b Brief, c scopes.Caller) []Next {
	builder := c.Kind == scopes.Token && c.Scope == scopes.Builder
	if len(b.Datasets) == 0 {
		return []Next{{Tool: "list_resources", Args: map[string]any{"workspace_id": b.Workspace.ID}, Why: "There is no data yet: a person uploads it."}}
	}
	first := b.Datasets[0]
	out := []Next{{Tool: "profile", Args: map[string]any{"workspace_id": b.Workspace.ID, "dataset_id": first.ID}, Why: "See what the newest dataset holds."}}
	for _, p := range b.Plans {
		if p.State == plans.Ready && builder {
			out = append(out, Next{Tool: "launch_plan", Args: map[string]any{"plan_id": p.ID}, Why: "The plan is ready."})
			break
		}
	}
	for _, r := range b.Runs {
		if !r.State.Ended() {
			out = append(out, Next{Tool: "run_status", Args: map[string]any{"run_id": r.ID}, Why: "The run is at work."})
			break
		}
	}
	if len(b.Plans) == 0 && builder {
		out = append(out, Next{Tool: "plan", Args: map[string]any{"action": "create", "workspace_id": b.Workspace.ID, "dataset_id": first.ID}, Why: "Nothing is planned yet: name the target."})
	}
	if len(b.Models) > 0 {
		out = append(out, Next{Tool: "evaluation", Args: map[string]any{"model_id": b.Models[0].ID}, Why: "Read how good the newest model is."})
	}
	return out
}
