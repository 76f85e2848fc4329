package training

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"ambit/internal/fault"
	"ambit/plans"
)

// partOf makes a part of rows of one number and levels columns.
func partOf(task plans.Task, labels []float64, width, levels int) part {
	t := target{task: task, width: width, label: labels}
	for i, y := range labels {
		t.rows = append(t.rows, i)
		if task != plans.Regression {
			t.class = append(t.class, int(y))
		}
	}
	x := Matrix{Rows: len(labels), Cols: 1 + levels, Label: nil}
	x.Data = make([]float32, x.Rows*x.Cols)
	for i := range x.Rows {
		x.Data[i*x.Cols] = float32(i)
	}
	columns := []column{{feature: 0}}
	for range levels {
		columns = append(columns, column{feature: 1, level: true})
	}
	spec := &plans.Spec{Task: task, Seed: 7, Split: plans.Split{K: 5, Seed: 42}}
	return part{spec: spec, target: t, x: x, columns: columns}
}

// alternating returns n labels that go round from 0 to classes-1.
func alternating(n, classes int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i % classes)
	}
	return y
}

// recorder is a fitter that keeps what it is asked for; rounds is where a
// watched fit stops.
type recorder struct {
	fits   []Fit
	rounds int
}

func (r *recorder) fit(_ context.Context, f Fit) (Fitted, error) {
	r.fits = append(r.fits, f)
	done := Fitted{Model: []byte("{}"), Rounds: f.Rounds, Seconds: 2}
	if f.Valid != nil {
		done.Rounds = r.rounds
	}
	return done, nil
}

func TestAmbit0(t *testing.T) {
	tests := []struct {
		name           string
		part           part
		objective      string
		metric         string
		classes        int
		base           *float64
		columns        float64
		watched, found int // rows of the inner fold, rounds found
		rounds         int // of the final fit
	}{
		{"binary", partOf(plans.Binary, alternating(100, 2), 2, 4), "binary:logistic", "logloss", 0, ptr(0.5), 0.8, 20, 100, 110},
		{"few columns", partOf(plans.Binary, alternating(100, 2), 2, 3), "binary:logistic", "logloss", 0, ptr(0.5), 1, 20, 64, 70},
		{"several classes", partOf(plans.Multiclass, alternating(99, 3), 3, 4), "multi:softprob", "mlogloss", 3, nil, 0.8, 20, 1, 1},
		{"amounts", partOf(plans.Regression, alternating(50, 11), 1, 4), "reg:squarederror", "rmse", 0, ptr(4.7), 0.8, 10, 1000, 1100},
		{"too few rows to stop early", partOf(plans.Multiclass, alternating(12, 4), 4, 4), "multi:softprob", "mlogloss", 4, nil, 0.8, 0, 0, 110},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{rounds: tt.found}
			made, err := fitTrees(t.Context(), tt.part, r.fit)
			if err != nil {
				t.Fatal(err)
			}
			want := Params{
				Booster: "gbtree", Objective: tt.objective, Metric: tt.metric, Classes: tt.classes, Seed: 7, Threads: 1, TreeMethod: "hist",
				Eta: ptr(0.05), MaxDepth: ptr(6), MinChild: ptr(1.0), Subsample: ptr(0.8), ColTree: ptr(tt.columns), BaseScore: tt.base,
			}
			last := r.fits[len(r.fits)-1]
			if !reflect.DeepEqual(last.Params, want) {
				t.Errorf("params = %+v, want %+v", last.Params, want)
			}
			if last.Rounds != tt.rounds || last.Valid != nil || last.Train.Rows != tt.part.x.Rows || made.rounds != tt.rounds {
				t.Errorf("final fit of %d rounds on %d rows, want %d on all %d", last.Rounds, last.Train.Rows, tt.rounds, tt.part.x.Rows)
			}
			if tt.watched == 0 {
				if len(r.fits) != 1 {
					t.Errorf("%d fits, want the final one only", len(r.fits))
				}
				return
			}
			first := r.fits[0]
			if first.Valid.Rows != tt.watched || first.Train.Rows != tt.part.x.Rows-tt.watched || first.Rounds != 1000 || first.Patience != 50 {
				t.Errorf("first fit: %d rows watched, %d learnt, %d rounds, patience %d, want %d, the rest, 1000, 50",
					first.Valid.Rows, first.Train.Rows, first.Rounds, first.Patience, tt.watched)
			}
		})
	}
}

// The inner fold is fold 0 of the split rule with the next seed, on the part's rows.
func TestInnerFold(t *testing.T) {
	p := partOf(plans.Binary, alternating(20, 2), 2, 4)
	p.x.Label = labels(p.target.label)
	r := &recorder{rounds: 3}
	if _, err := fitTrees(t.Context(), p, r.fit); err != nil {
		t.Fatal(err)
	}
	want := []float32{}
	for i, f := range Folds([]string{"0", "1", "0", "1", "0", "1", "0", "1", "0", "1", "0", "1", "0", "1", "0", "1", "0", "1", "0", "1"}, 5, 43, true) {
		if f == 0 {
			want = append(want, float32(i))
		}
	}
	got := []float32{}
	for i := range r.fits[0].Valid.Rows {
		got = append(got, r.fits[0].Valid.Data[i*r.fits[0].Valid.Cols])
	}
	if !slices.Equal(got, want) {
		t.Errorf("watched rows = %v, want %v", got, want)
	}
}

func TestForest(t *testing.T) {
	tests := []struct {
		name    string
		part    part
		bases   []float64 // of each forest
		columns float64
		method  string
		trees   int
	}{
		{"binary", partOf(plans.Binary, alternating(100, 2), 2, 8), []float64{0.5}, 1. / 3, "exact", 300},
		{"several classes", partOf(plans.Multiclass, alternating(90, 3), 3, 15), []float64{1. / 3, 1. / 3, 1. / 3}, 0.25, "hist", 300},
		{"amounts", partOf(plans.Regression, alternating(50, 11), 1, 4), []float64{4.7}, 0.9, "exact", 300},
		{"few columns", partOf(plans.Binary, alternating(100, 2), 2, 3), []float64{0.5}, 1, "exact", 300},
		{"many rows", partOf(plans.Binary, alternating(10_000, 2), 2, 3), []float64{0.5}, 1, "hist", 300},
		{"a large table", partOf(plans.Binary, alternating(20_000, 2), 2, 3), []float64{0.5}, 1, "hist", 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{}
			if _, err := fitForest(t.Context(), tt.part, r.fit); err != nil {
				t.Fatal(err)
			}
			if len(r.fits) != len(tt.bases) {
				t.Fatalf("%d forests, want %d", len(r.fits), len(tt.bases))
			}
			for i, f := range r.fits {
				want := Params{
					Booster: "gbtree", Objective: "reg:squarederror", Metric: "rmse", Seed: 7, Threads: 1, TreeMethod: tt.method,
					Parallel: ptr(tt.trees), Eta: ptr(1.0), MaxDepth: ptr(30), MinChild: ptr(0.0), Subsample: ptr(0.63),
					ColNode: ptr(tt.columns), Lambda: ptr(1e-3), BaseScore: ptr(tt.bases[i]),
				}
				if !reflect.DeepEqual(f.Params, want) || f.Rounds != 1 {
					t.Errorf("forest %d: %+v, %d rounds, want %+v, 1", i, f.Params, f.Rounds, want)
				}
			}
			if tt.part.target.task == plans.Multiclass && (r.fits[1].Train.Label[1] != 1 || r.fits[1].Train.Label[0] != 0) {
				t.Errorf("labels of class 1 = %v, want 1 for it and 0 for others", r.fits[1].Train.Label[:3])
			}
		})
	}
}

func TestLinear(t *testing.T) {
	tests := []struct {
		rows, levels, rounds int
	}{{100, 4, 1000}, {200_000, 4, 1000}, {1_000_000, 4, 399}, {2_100_000, 0, 200}}
	for _, tt := range tests {
		p := partOf(plans.Binary, alternating(tt.rows, 2), 2, tt.levels)
		if tt.levels > 0 {
			p.x.Data[1] = 1 // one value of a level: the zeros are left out of the work
		}
		r := &recorder{}
		made, err := fitLinear(t.Context(), p, r.fit)
		if err != nil {
			t.Fatal(err)
		}
		want := Params{
			Booster: "gblinear", Objective: "binary:logistic", Metric: "logloss", Seed: 7, Threads: 1,
			Eta: ptr(1.0), Lambda: ptr(1 / float64(tt.rows)), BaseScore: ptr(0.5),
		}
		if got := r.fits[0]; !reflect.DeepEqual(got.Params, want) || got.Rounds != tt.rounds || made.standardiser == nil {
			t.Errorf("%d rows: %+v, %d rounds, want %+v, %d", tt.rows, got.Params, got.Rounds, want, tt.rounds)
		}
	}
}

func TestFloor(t *testing.T) {
	tests := []struct {
		part part
		want []float64
	}{
		{partOf(plans.Binary, []float64{1, 0, 0, 0}, 2, 0), []float64{0.25}},
		{partOf(plans.Multiclass, []float64{2, 0, 0, 1}, 4, 0), []float64{0.5, 0.25, 0.25, 0}},
		{partOf(plans.Regression, []float64{1, 2, 6}, 1, 0), []float64{3}},
	}
	for _, tt := range tests {
		made, err := fitFloor(t.Context(), tt.part, nil)
		if err != nil || !slices.Equal(made.prior, tt.want) {
			t.Errorf("%s: prior %v, %v, want %v", tt.part.target.task, made.prior, err, tt.want)
		}
	}
}

func TestDivergedFit(t *testing.T) {
	diverge := func(context.Context, Fit) (Fitted, error) { return Fitted{Stopped: "diverged"}, nil }
	p := partOf(plans.Regression, alternating(50, 11), 1, 4)
	for name, fit := range map[string]func(context.Context, part, fitter) (fitted, error){
		"linear": fitLinear, "forest": fitForest, "trees": fitTrees,
	} {
		if _, err := fit(t.Context(), p, diverge); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want an error that says that it diverged", name, err)
		}
	}
	if _, err := fitLinear(t.Context(), p, diverge); !fault.Is(err, fault.Invalid) {
		t.Errorf("linear: %v, want invalid", err)
	}
}

func TestScore(t *testing.T) {
	binary := target{task: plans.Binary, width: 2, label: []float64{1, 0}, class: []int{0, 1}}
	three := target{task: plans.Multiclass, width: 3, label: []float64{0, 2}, class: []int{0, 2}}
	amount := target{task: plans.Regression, width: 1, label: []float64{1, 2}}
	tests := []struct {
		metric string
		target target
		scores []float64
		want   float64 // NaN: an error
	}{
		{"auc", binary, []float64{0.9, 0.1}, 1},
		{"logloss", binary, []float64{0.5, 0.5}, math.Ln2},
		{"logloss", three, []float64{0.5, 0.25, 0.25, 0, 0.5, 0.5}, math.Ln2},
		{"rmse", amount, []float64{1, 4}, math.Sqrt2},
		{"auc", target{task: plans.Binary, label: []float64{1}}, []float64{0.5}, math.NaN()},
		{"rmse", binary, []float64{0.5, 0.5}, math.NaN()},
		{"best", binary, []float64{0.5, 0.5}, math.NaN()},
	}
	for _, tt := range tests {
		got, err := score(plans.Metric{Name: tt.metric}, tt.target, tt.scores)
		if math.IsNaN(tt.want) != (err != nil) || err == nil && math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s of a %s task = %v, %v, want %v", tt.metric, tt.target.task, got, err, tt.want)
		}
	}
}

func TestMeanSE(t *testing.T) {
	if cv, se := meanSE([]float64{1, 2, 6}); cv != 3 || math.Abs(se-math.Sqrt(7./3)) > 1e-15 {
		t.Errorf("meanSE = %v, %v, want 3, %v", cv, se, math.Sqrt(7./3))
	}
	if cv, se := meanSE([]float64{4}); cv != 4 || se != 0 {
		t.Errorf("meanSE of one = %v, %v, want 4, 0", cv, se)
	}
}
