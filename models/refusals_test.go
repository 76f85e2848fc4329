package models

import (
	"context"
	"strings"
	"testing"

	"ambit/internal/blobs"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/plans"
	"ambit/runs"
)

// Rows are looked at before anything is read: the service here has no store.
func TestScoreRefusesRows(t *testing.T) {
	tests := []struct {
		name string
		rows []map[string]any
		path string
	}{
		{"none", nil, "rows"},
		{"too many", make([]map[string]any, MaxScoreRows+1), "rows"},
		{"null among them", []map[string]any{{"a": 1}, nil}, "rows[1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := (&Service{}).Score(t.Context(), "ws_1", "mo_1", tt.rows)
			if f := fault.From(err); f.Code != fault.Invalid || f.Fields[0].Path != tt.path {
				t.Errorf("Score = %v, want invalid at %s", err, tt.path)
			}
		})
	}
}

// kept is a store with one model.
type kept struct {
	Store
	model Model
}

func (k kept) Model(context.Context, string, string) (Model, error) { return k.model, nil }

func TestConfirmation(t *testing.T) {
	tests := []struct {
		name string
		in   Confirm
		want fault.Code
	}{
		{"as asked", Confirm{"churn 7", "better on the holdout"}, ""},
		{"in few letters of another script", Confirm{"churn 7", "比以前的模型更准确可靠"}, ""},
		{"another name", Confirm{"churn 8", "better on the holdout"}, fault.ConfirmMismatch},
		{"the name with a space", Confirm{"churn 7 ", "better on the holdout"}, fault.ConfirmMismatch},
		{"no reason", Confirm{"churn 7", ""}, fault.Invalid},
		{"a reason of spaces", Confirm{"churn 7", strings.Repeat(" ", 20)}, fault.Invalid},
		{"four letters of three bytes", Confirm{"churn 7", "好好好好"}, fault.Invalid},
	}
	s := &Service{Store: kept{model: Model{Name: "churn 7"}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := s.confirmed(t.Context(), "ws_1", "mo_1", tt.in); fault.CodeOf(err) != tt.want {
				t.Errorf("confirmed(%+v) = %v, want %q", tt.in, err, tt.want)
			}
		})
	}
}

// A trial of a run that is not over may be gone when the run begins again.
func TestRegisterWaitsForTheRun(t *testing.T) {
	tests := []struct {
		run, trial runs.State
		artifact   string
		want       fault.Code
	}{
		{runs.Succeeded, runs.Succeeded, "key", ""},
		{runs.Aborted, runs.Succeeded, "key", ""},
		{runs.Failed, runs.Succeeded, "key", ""},
		{runs.Running, runs.Succeeded, "key", fault.Conflict},
		{runs.Queued, runs.Succeeded, "key", fault.Conflict},
		{runs.Aborted, runs.Aborted, "key", fault.Conflict},
		{runs.Succeeded, runs.Succeeded, "", fault.Conflict},
	}
	for _, tt := range tests {
		t.Run(string(tt.run)+" "+string(tt.trial)+" "+tt.artifact, func(t *testing.T) {
			s := &Service{
				Store: kept{}, Plans: plan{}, Now: func() clock.Time { return 7 },
				Runs: run{run: runs.Run{State: tt.run}, trial: runs.Trial{ID: "tr_1", Run: "run_1", State: tt.trial, Artifact: tt.artifact}},
			}
			_, err := s.Register(t.Context(), "ws_1", "run_1", RegisterRequest{TrialID: "tr_1", Name: "first"}, "cli")
			if fault.CodeOf(err) != tt.want {
				t.Errorf("Register = %v, want %q", err, tt.want)
			}
		})
	}
}

// run is a store with one run and one trial of it.
type run struct {
	runs.Store
	run   runs.Run
	trial runs.Trial
}

func (r run) Run(context.Context, string, string) (runs.Run, error)     { return r.run, nil }
func (r run) Trial(context.Context, string, string) (runs.Trial, error) { return r.trial, nil }

// plan is a store with one plan.
type plan struct{ plans.Store }

func (plan) Plan(context.Context, string, string) (plans.Plan, error) { return plans.Plan{}, nil }

func (kept) InsertModel(context.Context, Model) error { return nil }

// A file of ours that is missing is not a thing that the caller asked for in vain.
func TestMissingFileIsOurs(t *testing.T) {
	files, err := blobs.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	s := &Service{Store: kept{model: Model{Evaluation: "trials/a/evaluation.json", Artifact: "trials/a/model.json"}}, Blobs: files}
	if _, err := s.Evaluation(t.Context(), "ws_1", "mo_1"); fault.CodeOf(err) != fault.Internal {
		t.Errorf("Evaluation = %v, want internal", err)
	}
	if _, err := s.Score(t.Context(), "ws_1", "mo_1", []map[string]any{{}}); fault.CodeOf(err) != fault.Internal {
		t.Errorf("Score = %v, want internal", err)
	}
}
