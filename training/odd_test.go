package training_test

import (
	"fmt"
	"maps"
	"os"
	"testing"

	"ambit/engines/xgboost"
	"ambit/internal/fault"
	"ambit/plans"
	"ambit/runs"
	"ambit/training"
)

// column makes n cells.
func column(n int, cell func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = cell(i)
	}
	return out
}

// Small and odd tables give a model of each family, not an error.
func TestSmallAndOddTables(t *testing.T) {
	tests := []struct {
		name   string
		rows   int
		target func(i int) string
		k      int
	}{
		{"20 rows", 20, func(i int) string { return []string{"no", "yes"}[i%2] }, 5},
		{"the fewest rows, as amounts", 10, func(i int) string { return fmt.Sprint(float64(i*i) + 0.5) }, 5},
		{"a class of two rows", 60, func(i int) string { return []string{"common", "rare"}[min(1, i/58)] }, 2},
		{"a class of two rows among three", 60, func(i int) string { return []string{"a", "b", "rare"}[i%2+i/58*(2-i%2)] }, 2},
		{"large amounts", 50, func(i int) string { return fmt.Sprint(1e9 + float64(i)) }, 5},
		{"missing targets", 40, func(i int) string { return []string{"", "no", "yes", "no"}[i%4] }, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := &training.Table{}
			table.Add("y", column(tt.rows, tt.target)...)
			table.Add("number", column(tt.rows, func(i int) string { return []string{"", "1.5", "Inf", "-3"}[i%4] })...)
			table.Add("level", column(tt.rows, func(i int) string { return []string{"", "a", "b"}[i*7%3] })...)
			table.Add("day", column(tt.rows, func(i int) string { return fmt.Sprintf("2024-01-%02d", 1+i%28) })...)
			table.Types[3] = "DATE"
			table.Add("constant", column(tt.rows, func(int) string { return "7" })...)
			table.Add("empty", column(tt.rows, func(int) string { return "" })...)
			table.Add("id", column(tt.rows, func(i int) string { return fmt.Sprintf("id-%d", i) })...)
			job, out := newJob(t, table, plans.Request{DatasetID: "ds_1", Target: "y"}), newBoard()
			if got := len(job.Plan.Spec.Features); got != 3 || job.Plan.Spec.Split.K != tt.k {
				t.Errorf("%d features, %d folds, want 3, %d", got, job.Plan.Spec.Split.K, tt.k)
			}
			if err := newTrainer(t, table).Train(t.Context(), job, out); err != nil {
				t.Fatal(err)
			}
			for name, trial := range out.trials {
				if trial.State != runs.Succeeded {
					t.Errorf("%s is %s: %+v", name, trial.State, trial.Failure)
					continue
				}
				p, err := training.Open(out.files[trial.Artifact], parseBooster)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if _, err := p.Predict(map[string]any{"number": 2, "level": "new", "day": "2025-02-28"}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// Without the engine's library the floor is there all the same.
func TestWithoutTheLibrary(t *testing.T) {
	table := training.ReadTable(t, "iris.csv")
	job := newJob(t, table, reference("target"))
	trainer, out := newTrainer(t, table), newBoard()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trainer.Engine = xgboost.New(xgboost.Config{Command: []string{binary, "trainer"}, Library: "libxgboost-that-is-not-there.so"})
	if err := trainer.Train(t.Context(), job, out); !fault.Is(err, fault.EngineUnavailable) {
		t.Errorf("Train = %v, want engine_unavailable", err)
	}
	want := map[string]runs.State{"floor": runs.Succeeded, "linear": runs.Failed, "forest": runs.Failed, "ambit-0": runs.Failed}
	if got := out.states(); !maps.Equal(got, want) {
		t.Errorf("trials = %v, want %v", got, want)
	}
}
