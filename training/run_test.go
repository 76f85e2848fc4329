package training_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ambit/internal/fault"
	"ambit/plans"
	"ambit/runs"
	"ambit/training"
)

// watchedEngine is an engine whose final fits also predict what they learnt
// from, for a test to look at, and whose fits a test can make fail.
type watchedEngine struct {
	training.Engine
	fail func(training.Fit) error

	mu      sync.Mutex
	margins map[string][]float32 // of final fits, by member
}

func (e *watchedEngine) Open(ctx context.Context, limits training.Limits) (training.Session, error) {
	s, err := e.Engine.Open(ctx, limits)
	return &watchedSession{s, e}, err
}

type watchedSession struct {
	training.Session
	engine *watchedEngine
}

func (s *watchedSession) Fit(ctx context.Context, fit training.Fit, progress func(training.Round)) (training.Fitted, error) {
	if s.engine.fail != nil {
		if err := s.engine.fail(fit); err != nil {
			return training.Fitted{}, err
		}
	}
	if fit.Valid != nil || len(fit.Predict) > 0 {
		return s.Session.Fit(ctx, fit, progress)
	}
	fit.Predict = []training.Matrix{fit.Train}
	done, err := s.Session.Fit(ctx, fit, progress)
	if err == nil {
		s.engine.keep(fit, done.Margins[0])
	}
	done.Margins = nil
	return done, err
}

func (e *watchedEngine) keep(fit training.Fit, margins []float32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.margins == nil {
		e.margins = map[string][]float32{}
	}
	e.margins[memberOf(fit)] = margins
}

func memberOf(fit training.Fit) string {
	switch {
	case fit.Params.Booster == "gblinear":
		return "linear"
	case fit.Params.Parallel != nil:
		return "forest"
	}
	return "ambit-0"
}

func TestAbortKeepsFinishedTrials(t *testing.T) {
	table := training.ReadTable(t, "wine.csv")
	cause := errors.New("somebody asked")
	ctx, abort := context.WithCancelCause(t.Context())
	out := newBoard()
	begun := false
	out.fail = func(what string) error {
		begun = begun || what == "ambit-0 running"
		if begun && what == "round" {
			abort(cause)
		}
		return nil
	}
	err := newTrainer(t, table).Train(ctx, newJob(t, table, reference("target")), out)
	if !errors.Is(err, cause) {
		t.Errorf("Train = %v, want %v", err, cause)
	}
	want := map[string]runs.State{"floor": runs.Succeeded, "linear": runs.Succeeded, "forest": runs.Succeeded, "ambit-0": runs.Aborted}
	if got := out.states(); !maps.Equal(got, want) {
		t.Errorf("trials = %v, want %v", got, want)
	}
	if trial := out.trials["linear"]; len(out.files[trial.Artifact]) != int(trial.Bytes) {
		t.Errorf("the linear model has %d bytes, want %d", len(out.files[trial.Artifact]), trial.Bytes)
	}
	if _, ok := out.files[out.trials["ambit-0"].ID+"/model.json"]; ok {
		t.Error("an aborted trial left a model")
	}
}

func TestTrialsFailAlone(t *testing.T) {
	forest := fault.New(fault.Memory, "The forest does not fit.").WithFix("Plant fewer trees.")
	tests := []struct {
		name string
		fail func(training.Fit) error
		want map[string]runs.State
		err  string
	}{
		{"one", func(f training.Fit) error {
			if memberOf(f) == "forest" {
				return forest
			}
			return nil
		}, map[string]runs.State{"floor": runs.Succeeded, "linear": runs.Succeeded, "forest": runs.Failed, "ambit-0": runs.Succeeded}, ""},
		{"all", func(training.Fit) error { return forest },
			map[string]runs.State{"floor": runs.Succeeded, "linear": runs.Failed, "forest": runs.Failed, "ambit-0": runs.Failed},
			"No model but the floor was fitted. The forest does not fit."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := training.ReadTable(t, "iris.csv")
			trainer, out := newTrainer(t, table), newBoard()
			trainer.Engine = &watchedEngine{Engine: trainer.Engine, fail: tt.fail}
			err := trainer.Train(t.Context(), newJob(t, table, reference("target")), out)
			if (err == nil) != (tt.err == "") || err != nil && fault.From(err).Detail != tt.err {
				t.Errorf("Train = %v, want %q", err, tt.err)
			}
			if got := out.states(); !maps.Equal(got, tt.want) {
				t.Errorf("trials = %v, want %v", got, tt.want)
			}
			if got := out.trials["forest"].Failure; got != (runs.Failure{Code: "memory", Detail: "The forest does not fit.", Fix: "Plant fewer trees."}) {
				t.Errorf("failure of the forest = %+v", got)
			}
			if trial := out.trials["floor"]; len(out.files[trial.Artifact]) == 0 {
				t.Error("the floor left no model")
			}
		})
	}
}

// A sink that fails stops the run: another worker has it.
func TestFencedRunStops(t *testing.T) {
	for _, where := range []string{"prepare", "linear running", "round", "put model.json", "floor succeeded"} {
		t.Run(where, func(t *testing.T) {
			table := training.ReadTable(t, "iris.csv")
			out := newBoard()
			fenced := false
			out.fail = func(what string) error {
				fenced = fenced || what == where
				if fenced {
					return runs.ErrFenced
				}
				return nil
			}
			if err := newTrainer(t, table).Train(t.Context(), newJob(t, table, reference("target")), out); !errors.Is(err, runs.ErrFenced) {
				t.Errorf("Train = %v, want ErrFenced", err)
			}
			if _, ok := out.trials["ambit-0"]; ok {
				t.Error("the run went on to ambit-0")
			}
		})
	}
}

func TestPlanOfOtherRowsOrEngine(t *testing.T) {
	tests := []struct {
		name   string
		change func(*plans.Spec)
	}{
		{"split", func(s *plans.Spec) { s.Split.ID = strings.Repeat("0", 64) }},
		{"engine", func(s *plans.Spec) { s.Engine = "xgboost 9.9.9" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := training.ReadTable(t, "iris.csv")
			job := newJob(t, table, reference("target"))
			tt.change(&job.Plan.Spec)
			if err := newTrainer(t, table).Train(t.Context(), job, newBoard()); !fault.Is(err, fault.PlanStale) {
				t.Errorf("Train = %v, want plan_stale", err)
			}
		})
	}
}

// slowEngine takes a second a round of time that is not real. A deaf child does
// not hear that it should stop.
type slowEngine struct{ deaf bool }

func (slowEngine) Version() (string, error) { return "xgboost 1.7.4", nil }

func (e slowEngine) Open(context.Context, training.Limits) (training.Session, error) {
	return &slowSession{deaf: e.deaf, closed: make(chan struct{})}, nil
}

type slowSession struct {
	deaf   bool
	closed chan struct{}
	once   sync.Once
}

func (s *slowSession) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *slowSession) Fit(ctx context.Context, fit training.Fit, _ func(training.Round)) (training.Fitted, error) {
	for range fit.Rounds {
		select {
		case <-time.After(time.Second):
		case <-s.closed:
			return training.Fitted{}, fmt.Errorf("closed")
		}
		if ctx.Err() != nil && !s.deaf {
			return training.Fitted{}, context.Cause(ctx)
		}
	}
	done := training.Fitted{Model: []byte(`{}`), Rounds: fit.Rounds}
	for i, m := range fit.Predict {
		done.Margins = append(done.Margins, make([]float32, m.Rows))
		for r := range done.Margins[i] {
			done.Margins[i][r] = float32(r % 2)
		}
	}
	return done, nil
}

// The clock of these runs is not real, so that the bound is exact on any machine.
func TestDeadline(t *testing.T) {
	timeout := func(s runs.Failure) bool { return s.Code == string(fault.Timeout) && s.Fix != "" }
	tests := []struct {
		name     string
		engine   slowEngine
		families []plans.Family
		want     map[string]runs.State
		code     fault.Code
		least    time.Duration // what time is left is used
	}{
		{"the forest is quick, the rest is not", slowEngine{}, nil,
			map[string]runs.State{"floor": runs.Succeeded, "linear": runs.Failed, "forest": runs.Succeeded, "ambit-0": runs.Failed}, "", 57 * time.Second},
		{"nothing is done in time", slowEngine{}, []plans.Family{plans.Linear},
			map[string]runs.State{"floor": runs.Succeeded, "linear": runs.Failed}, fault.Timeout, 57 * time.Second},
		{"children that do not stop", slowEngine{deaf: true}, []plans.Family{plans.Linear, plans.Trees},
			map[string]runs.State{"floor": runs.Succeeded, "linear": runs.Failed, "ambit-0": runs.Failed}, fault.Timeout, 57 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table := training.ReadTable(t, "credit-g.csv")
				ask := reference("class")
				ask.Families, ask.Budget = tt.families, &plans.BudgetRequest{Seconds: 60, Threads: 2}
				spec, err := training.Resolver{Tables: table, Engine: tt.engine}.Resolve(t.Context(), table.Version(), ask)
				if err != nil {
					t.Fatal(err)
				}
				scratch, out := t.TempDir(), newBoard()
				trainer := training.Trainer{Engine: tt.engine, Tables: table, Evaluator: countEvaluator{}, Scratch: scratch, NewID: newIDs()}
				begin := time.Now()
				err = trainer.Train(t.Context(), runs.Job{Plan: plans.Plan{Spec: spec}}, out)
				if took := time.Since(begin); took < tt.least || took > 65*time.Second {
					t.Errorf("the run of 60 s took %v, want at most 1.05 × 60 s + 2 s", took)
				}
				if got := fault.CodeOf(err); got != tt.code {
					t.Errorf("Train = %v, want %q", err, tt.code)
				}
				if got := out.states(); !maps.Equal(got, tt.want) {
					t.Errorf("trials = %v, want %v", got, tt.want)
				}
				for name, trial := range out.trials {
					if trial.State == runs.Failed && !timeout(trial.Failure) {
						t.Errorf("failure of %s = %+v, want timeout", name, trial.Failure)
					}
				}
				if left, _ := os.ReadDir(scratch); len(left) > 0 {
					t.Errorf("%d folders are left", len(left))
				}
			})
		})
	}
}

// The same with children that are real: what is finished is kept.
func TestDeadlineOfRealChildren(t *testing.T) {
	table := training.ReadTable(t, "iris.csv")
	cells := make([]string, 0, 60*table.Rows)
	big := &training.Table{}
	for c, name := range table.Names {
		cells = cells[:0:0]
		for range 60 {
			cells = append(cells, table.Cells[c]...)
		}
		big.Add(name, cells...)
	}
	ask := reference("target")
	ask.Budget = &plans.BudgetRequest{Seconds: 1, Threads: 2}
	out := newBoard()
	err := newTrainer(t, big).Train(t.Context(), newJob(t, big, ask), out)
	if trial := out.trials["ambit-0"]; trial.State != runs.Failed || trial.Failure.Code != "timeout" {
		t.Errorf("ambit-0 is %s, %+v, want failed with timeout", trial.State, trial.Failure)
	}
	if out.trials["floor"].State != runs.Succeeded {
		t.Errorf("the floor is %s, want succeeded (%v)", out.trials["floor"].State, err)
	}
}
