package training_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ambit/metrics"
	"ambit/plans"
	"ambit/runs"
	"ambit/training"
)

// TestReferenceScores compares with scikit-learn (floor, linear, forest) and with
// XGBoost in Python (ambit-0) on the same folds. Forests of other makers differ
// by more than a fitted optimum does.
func TestReferenceScores(t *testing.T) {
	type want map[string]struct{ cv, tolerance float64 }
	tests := []struct {
		file, target string
		want         want
	}{
		{"credit-g.csv", "class", want{"floor": {0.5, 0}, "linear": {0.78150, 1e-4}, "forest": {0.79562, 0.015}, "ambit-0": {0.79314, 0.015}}},
		{"concrete.csv", "compressive_strength", want{"floor": {16.68598, 1e-5}, "linear": {10.49007, 1e-4}, "forest": {4.76444, 0.14}, "ambit-0": {4.00007, 0.12}}},
		{"wine.csv", "target", want{"floor": {1.08632, 1e-5}, "linear": {0.07478, 1e-4}, "forest": {0.13144, 0.013}, "ambit-0": {0.06981, 0.0021}}},
		{"iris.csv", "target", want{"floor": {1.09861, 1e-5}, "linear": {0.15867, 1e-4}, "forest": {0.12557, 0.074}, "ambit-0": {0.20210, 0.0061}}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			got := trainOn(t, tt.file, reference(tt.target))
			for name, want := range tt.want {
				trial := got.trials[name]
				t.Logf("%-8s %.5f ± %.5f, %d rounds, %.1f s, %d bytes", name, trial.CV, trial.SE, trial.Rounds, trial.Seconds, trial.Bytes)
				if trial.State != runs.Succeeded || math.Abs(trial.CV-want.cv) > want.tolerance {
					t.Errorf("%s is %s with %.5f, want succeeded with %.5f ± %g", name, trial.State, trial.CV, want.cv, want.tolerance)
				}
			}
		})
	}
}

// TestTrialOfCredit looks at all that is kept of one run.
func TestTrialOfCredit(t *testing.T) {
	table := training.ReadTable(t, "credit-g.csv")
	job := newJob(t, table, reference("class"))
	out := newBoard()
	trainer, watched := newTrainer(t, table), &watchedEngine{Engine: newEngine(t)}
	trainer.Engine = watched
	if err := trainer.Train(t.Context(), job, out); err != nil {
		t.Fatal(err)
	}
	if want := []string{"prepare", "floor", "linear", "forest", "gbtree", "finish"}; !slices.Equal(out.phases, want) || out.last != 1 {
		t.Errorf("phases %v to %v, want %v to 1", out.phases, out.last, want)
	}
	for _, name := range []string{"floor", "linear", "forest", "ambit-0"} {
		t.Run(name, func(t *testing.T) {
			trial := out.trials[name]
			checkPredictions(t, table, out, trial)
			checkPredictor(t, table, out, trial, watched.margins[name])
		})
	}
	if got := string(out.trials["floor"].Params); got != "{}" {
		t.Errorf("params of the floor = %s, want none", got)
	}
	if string(out.files[out.trials["linear"].Evaluation]) != `{"rows":1000}` {
		t.Errorf("evaluation = %s, want of 1000 rows", out.files[out.trials["linear"].Evaluation])
	}
	rows := runs.Rank(slices.Collect(func(yield func(runs.Trial) bool) {
		for _, trial := range out.trials {
			if !yield(trial) {
				return
			}
		}
	}), job.Plan.Spec.Metric)
	if last := rows[3]; last.Name != "floor" || rows[0].Rank != 1 || *rows[0].OverFloor < 0.28 {
		t.Errorf("leaderboard ends with %s, its best is %.3f over the floor, want floor, 0.28 or more", last.Name, *rows[0].OverFloor)
	}
}

// checkPredictions measures the kept predictions again.
func checkPredictions(t *testing.T, table *training.Table, out *board, trial runs.Trial) {
	t.Helper()
	var p training.Predictions
	if err := json.Unmarshal(out.files[trial.ID+"/oof.json"], &p); err != nil {
		t.Fatal(err)
	}
	labels := table.Cells[slices.Index(table.Names, "class")]
	if want := training.Folds(labels, 5, 42, true); !slices.Equal(p.Fold, want) || p.Label != "oof" || p.Positive != "bad" {
		t.Errorf("predictions are %s of %s on other folds", p.Label, p.Positive)
	}
	for i, row := range p.Rows {
		if row != i || (p.Truth[i] == 1) != (labels[i] == "bad") {
			t.Fatalf("row %d is %d with truth %v, want %s", i, row, p.Truth[i], labels[i])
		}
	}
	sum := 0.0
	for fold := range 5 {
		y, s := []float64{}, []float64{}
		for i, f := range p.Fold {
			if f == fold {
				y, s = append(y, p.Truth[i]), append(s, p.Scores[i])
			}
		}
		auc := metrics.AUC(y, s, nil).V
		if auc != trial.Folds[fold] {
			t.Errorf("fold %d has AUC %v, the trial says %v", fold, auc, trial.Folds[fold])
		}
		sum += auc
	}
	if math.Abs(sum/5-trial.CV) > 1e-12 {
		t.Errorf("mean AUC = %v, the trial says %v", sum/5, trial.CV)
	}
}

// checkPredictor scores the table row by row in this process, and compares with
// what the engine's library said of the rows that it learnt from.
func checkPredictor(t *testing.T, table *training.Table, out *board, trial runs.Trial, margins []float32) {
	t.Helper()
	p, err := training.Open(out.files[trial.Artifact], parseBooster)
	if err != nil {
		t.Fatal(err)
	}
	if b := p.Bundle(); b.Rows != 1000 || b.Trial != trial.Name || b.Engine != "xgboost 1.7.4" {
		t.Errorf("bundle of %s on %d rows by %s", b.Trial, b.Rows, b.Engine)
	}
	for i := range 1000 {
		got, err := p.Predict(rowOf(table, i, "class"))
		if err != nil {
			t.Fatal(err)
		}
		want := 0.3
		switch trial.Name {
		case "linear", "ambit-0":
			want = 1 / (1 + math.Exp(-float64(margins[i])))
		case "forest":
			want = min(max(float64(margins[i]), 0), 1)
		}
		if *got.Probability != want {
			t.Fatalf("row %d: probability %v, the library says %v", i, *got.Probability, want)
		}
	}
}

// rowOf returns a row of a table as a caller would send it.
func rowOf(table *training.Table, i int, target string) map[string]any {
	row := map[string]any{}
	for c, name := range table.Names {
		if name != target {
			row[name] = table.Cells[c][i]
		}
	}
	return row
}

// A category of 600 levels that means nothing must look so: whatever is fitted on
// the rows of a test fold, be it only their levels, shows here.
func TestNoiseLooksLikeNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	level, target := make([]string, 4000), make([]string, 4000)
	for i := range level {
		level[i], target[i] = fmt.Sprintf("l%03d", r.IntN(600)), []string{"no", "yes"}[r.IntN(2)]
	}
	table := &training.Table{}
	table.Add("level", level...)
	table.Add("y", target...)
	out := newBoard()
	if err := newTrainer(t, table).Train(t.Context(), newJob(t, table, reference("y")), out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"linear", "forest", "ambit-0"} {
		if auc := out.trials[name].CV; !(auc > 0.47 && auc < 0.53) {
			t.Errorf("%s: AUC %.3f on noise, want 0.47 to 0.53", name, auc)
		}
	}
}

// Two runs of the same settings make the same bytes, whatever the order in which
// two children take the fits; another seed does not.
func TestSameSettingsSameBytes(t *testing.T) {
	digests := func(seed int64) map[string]string {
		ask := reference("target")
		ask.Seed = &seed
		out := map[string]string{}
		for name, trial := range trainOn(t, "wine.csv", ask).trials {
			out[name] = trial.SHA256
		}
		return out
	}
	first, second, other := digests(42), digests(42), digests(43)
	for _, name := range []string{"floor", "linear", "forest", "ambit-0"} {
		if len(first[name]) != 64 || first[name] != second[name] {
			t.Errorf("%s: %s, then %s", name, first[name], second[name])
		}
		if first[name] == other[name] {
			t.Errorf("%s: the same bytes for another seed", name)
		}
	}
}

// No sealed row reaches a model: changing one changes nothing.
func TestHoldoutIsSealed(t *testing.T) {
	share := 0.2
	ask := reference("class")
	ask.Split.Holdout, ask.Families = &share, []plans.Family{plans.Linear, plans.Trees}
	table := training.ReadTable(t, "credit-g.csv")
	job := newJob(t, table, ask)
	before := newBoard()
	if err := newTrainer(t, table).Train(t.Context(), job, before); err != nil {
		t.Fatal(err)
	}
	var p training.Predictions
	if err := json.Unmarshal(before.files[before.trials["linear"].ID+"/oof.json"], &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Rows) != 800 {
		t.Fatalf("%d rows were predicted, want 800", len(p.Rows))
	}
	for i := range table.Rows {
		if !slices.Contains(p.Rows, i) {
			for c, name := range table.Names {
				if name != "class" && table.Types[c] == "BIGINT" {
					table.Cells[c][i] = "99999"
				}
			}
		}
	}
	after := newBoard()
	if err := newTrainer(t, table).Train(t.Context(), job, after); err != nil {
		t.Fatal(err)
	}
	for name, trial := range before.trials {
		if again := after.trials[name]; again.SHA256 != trial.SHA256 || again.CV != trial.CV {
			t.Errorf("%s: %s with %v, then %s with %v", name, trial.SHA256, trial.CV, again.SHA256, again.CV)
		}
	}
}
