package xgboost

import (
	"math"
	"testing"

	"ambit/internal/fault"
	"ambit/training"
)

// TestExplain: what features add sums up to the margin, for each kind of model
// and each class, with the exact and the approximate method.
func TestExplain(t *testing.T) {
	s := openSession(t)
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			k.params.Parallel = nil
			fitted := mustFit(t, s, training.Fit{Train: k.train, Params: k.params, Rounds: min(k.rounds, 5)})
			rows := oddRows(1, 50, k.train)
			groups := max(1, k.params.Classes)
			for _, approximate := range []bool{false, true} {
				e, err := s.Explain(t.Context(), fitted.Model, rows, approximate)
				if err != nil {
					t.Fatal(err)
				}
				if len(e.Values) != 50*groups*(rows.Cols+1) || e.Groups != groups || e.Cols != rows.Cols || e.Exact == approximate || e.Gap >= 1e-4 {
					t.Errorf("%d values, %d groups, %d columns, exact %v, gap %g", len(e.Values), e.Groups, e.Cols, e.Exact, e.Gap)
				}
			}
		})
	}
}

// TestExplainSingleSplit: by hand, a tree of one split adds the leaf's distance
// from the mean leaf, here 0.25 from 0, and the rest is bias.
func TestExplainSingleSplit(t *testing.T) {
	s := openSession(t)
	e, err := s.Explain(t.Context(), []byte(twoTrees(t)), training.Matrix{Rows: 2, Cols: 2, Data: []float32{0, 1, 1, 2}}, false)
	if err != nil {
		t.Fatal(err)
	}
	mean := float32(0.1-0.125) / 2
	want := []float32{-0.25, -0.125 - mean, mean, 0.25, 0.1 - mean, mean}
	for i, v := range e.Values {
		if math.Abs(float64(v-want[i])) > 1e-6 {
			t.Errorf("contributions %v, want %v", e.Values, want)
			break
		}
	}
}

func TestScoreRefuses(t *testing.T) {
	s := openSession(t)
	model := []byte(twoTrees(t))
	rows := training.Matrix{Rows: 2, Cols: 2, Data: make([]float32, 4)}
	wide := training.Matrix{Rows: 2, Cols: 3, Data: make([]float32, 6)}
	many := training.Matrix{Rows: MaxExactRows + 1, Cols: 2, Data: make([]float32, 2*MaxExactRows+2)}
	_, err := s.Score(t.Context(), model[1:], rows)
	wantCode(t, err, fault.Invalid, "damaged")
	_, err = s.Score(t.Context(), model, wide)
	wantField(t, err, "rows.cols", "2 columns")
	_, err = s.Explain(t.Context(), model, many, false)
	wantCode(t, err, fault.Invalid, "2000 rows", "sample")
	if _, err = s.Explain(t.Context(), model, many, true); err != nil {
		t.Errorf("approximate explanation of many rows: %v", err)
	}
	rows.Data[1] = infinity
	_, err = s.Score(t.Context(), model, rows)
	wantField(t, err, "rows.data", "infinite")
	s.limits.MemoryBytes = 10
	rows.Data[1] = 0
	_, err = s.Score(t.Context(), model, rows)
	wantCode(t, err, fault.Memory)
	if s.last != 2 {
		t.Errorf("%d requests were sent, want one after hello", s.last)
	}
}
