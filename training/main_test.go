package training_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"

	"ambit/engines/xgboost"
	"ambit/internal/clock"
	"ambit/plans"
	"ambit/runs"
	"ambit/training"
)

// TestMain is also the engine's child: it starts this binary again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "trainer" {
		os.Exit(xgboost.ChildMain(os.Args[2:], os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// newEngine returns the engine on the system's library. Without one tests are
// skipped, or fail where services are required.
func newEngine(t testing.TB) training.Engine {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := xgboost.New(xgboost.Config{Command: []string{binary, "trainer"}, Library: os.Getenv("XGBOOST_LIB")})
	if _, err := engine.Version(); err != nil {
		if os.Getenv("REQUIRE_SERVICES") == "1" {
			t.Fatalf("the library is needed here (package libxgboost0): %v", err)
		}
		t.Skipf("needs the package libxgboost0: %v", err)
	}
	return engine
}

func parseBooster(model []byte) (training.Booster, error) { return xgboost.Parse(model) }

// board is a sink that remembers.
type board struct {
	mu     sync.Mutex
	trials map[string]runs.Trial
	files  map[string][]byte
	phases []string
	last   float64
	events []string // kinds
	fail   func(what string) error
}

func newBoard() *board { return &board{trials: map[string]runs.Trial{}, files: map[string][]byte{}} }

func (b *board) refuse(what string) error {
	if b.fail == nil {
		return nil
	}
	return b.fail(what)
}

func (b *board) Progress(_ context.Context, phase string, progress float64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.phases) == 0 || b.phases[len(b.phases)-1] != phase {
		b.phases = append(b.phases, phase)
	}
	if progress < b.last {
		return fmt.Errorf("progress went back from %v to %v", b.last, progress)
	}
	b.last = progress
	return b.refuse(phase)
}

func (b *board) SaveTrial(_ context.Context, t runs.Trial) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trials[t.Name] = t
	return b.refuse(t.Name + " " + string(t.State))
}

func (b *board) Event(_ context.Context, kind string, data any) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := json.Marshal(data); err != nil {
		return err
	}
	b.events = append(b.events, kind)
	return b.refuse(kind)
}

func (b *board) Put(_ context.Context, trial, name string, content []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := trial + "/" + name
	if _, ok := b.files[key]; ok {
		return "", fmt.Errorf("%s is written twice", key)
	}
	b.files[key] = bytes.Clone(content)
	return key, b.refuse("put " + name)
}

// states returns the trials' states by name.
func (b *board) states() map[string]runs.State {
	out := map[string]runs.State{}
	for name, t := range b.trials {
		out[name] = t.State
	}
	return out
}

// countEvaluator says nothing of predictions but how many there are.
type countEvaluator struct{}

func (countEvaluator) Evaluate(p training.Predictions) (json.RawMessage, error) {
	return json.RawMessage(fmt.Sprintf(`{"rows":%d}`, len(p.Rows))), nil
}

// newTrainer returns a trainer of a table on the real engine.
func newTrainer(t testing.TB, table *training.Table) *training.Trainer {
	t.Helper()
	return &training.Trainer{
		Engine: newEngine(t), Tables: table, Evaluator: countEvaluator{}, Scratch: t.TempDir(), NewID: newIDs(),
	}
}

func newIDs() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("trial_%d", n) }
}

// newJob resolves a request into a job.
func newJob(t testing.TB, table *training.Table, ask plans.Request) runs.Job {
	t.Helper()
	spec, err := training.Resolver{Tables: table, Engine: newEngine(t)}.Resolve(t.Context(), table.Version(), ask)
	if err != nil {
		t.Fatalf("Resolve(%+v): %v", ask, err)
	}
	plan := plans.Plan{ID: "pl_1", Workspace: "ws_1", Spec: spec, Hash: spec.Digest()}
	return runs.Job{Run: runs.Run{ID: "run_1", Workspace: "ws_1", CreatedAt: clock.Time(1)}, Plan: plan}
}

// trainOn trains on a file of testdata with the folds of the reference metrics.
func trainOn(t testing.TB, file string, ask plans.Request) *board {
	t.Helper()
	table := training.ReadTable(t, file)
	out := newBoard()
	if err := newTrainer(t, table).Train(t.Context(), newJob(t, table, ask), out); err != nil {
		t.Fatalf("Train(%s): %v", file, err)
	}
	return out
}

func reference(target string) plans.Request {
	seed, holdout := int64(42), 0.0
	return plans.Request{DatasetID: "ds_1", Target: target, Split: &plans.SplitRequest{K: 5, Seed: &seed, Holdout: &holdout}}
}
