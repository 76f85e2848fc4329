package xgboost

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"ambit/internal/fault"
	"ambit/training"
)

// MaxExactRows bounds the rows of an exact explanation: each costs milliseconds.
const MaxExactRows = 2_000

// additive is how far the sum of a row's contributions may be from its margin,
// relative to the larger of the margin and 1.
const additive = 1e-4

// Explanation is what each feature adds to each row's margins (SHAP values).
type Explanation struct {
	// Values has, for each row, for each group, Cols contributions and the bias.
	Values []float32
	Groups int
	Cols   int
	Exact  bool
	// Gap is the largest distance between a sum of contributions and its margin,
	// relative to the larger of the margin and 1. It is below 1e-4.
	Gap float64
}

// Score returns the margins of rows under a stored model, rows × groups, as
// computed by the library. Model.Margin gives the same without a child.
// Faults: invalid, memory, timeout, engine_unavailable.
func (s *Session) Score(ctx context.Context, model []byte, rows training.Matrix) ([]float32, error) {
	m, err := checkScore(model, rows)
	if err != nil {
		return nil, err
	}
	return s.score(ctx, model, rows, predictMargin, rows.Rows*m.groups)
}

// Explain returns the contributions of features to the margins of rows: exact
// for at most MaxExactRows rows, or approximate, which is about ten times faster.
// Faults: those of Score.
func (s *Session) Explain(ctx context.Context, model []byte, rows training.Matrix, approximate bool) (Explanation, error) {
	m, err := checkScore(model, rows)
	if err != nil {
		return Explanation{}, err
	}
	what := predictApproximate
	if !approximate {
		what = predictContributions
		if rows.Rows > MaxExactRows {
			return Explanation{}, fault.New(fault.Invalid, "Exact explanations are limited to %d rows; there are %d.", MaxExactRows, rows.Rows).
				WithFix("Explain a sample, or ask for approximate explanations.")
		}
	}
	values, err := s.score(ctx, model, rows, what, rows.Rows*m.groups*(rows.Cols+1))
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Values: values, Groups: m.groups, Cols: rows.Cols, Exact: !approximate, Gap: gap(m, rows, values)}
	if !(e.Gap < additive) {
		return Explanation{}, fmt.Errorf("contributions miss their margin by %g", e.Gap)
	}
	return e, nil
}

// gap returns the largest relative distance of sums of contributions from margins.
func gap(m *Model, rows training.Matrix, values []float32) float64 {
	worst := 0.0
	margins := make([]float32, m.groups)
	for i := range rows.Rows {
		m.Margin(rows.Data[i*rows.Cols:(i+1)*rows.Cols], margins)
		for _, want := range margins {
			sum := 0.0
			for _, v := range values[:rows.Cols+1] {
				sum += float64(v)
			}
			values = values[rows.Cols+1:]
			worst = math.Max(worst, math.Abs(sum-float64(want))/math.Max(1, math.Abs(float64(want))))
		}
	}
	return worst
}

// checkScore checks a model and that rows fit it.
func checkScore(model []byte, rows training.Matrix) (*Model, error) {
	m, err := Parse(model)
	if err != nil {
		return nil, err
	}
	var c complaints
	rows.Categories = nil // which columns are categories is the model's to say; what is no code is in no set
	checkTable(&c, "rows", rows, training.Matrix{Cols: m.features}, training.Params{})
	return m, c.fault()
}

// score has the child predict n values.
func (s *Session) score(ctx context.Context, model []byte, rows training.Matrix, what predictionType, n int) ([]float32, error) {
	if need := matrixCost(rows.Rows, rows.Cols) + 4*uint64(n); need > s.limits.MemoryBytes {
		return nil, memoryFault(s.limits.MemoryBytes, need)
	}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	rows.Label, rows.Weight, rows.Categories = nil, nil, nil
	file, err := s.matrices.add(rows)
	if err != nil {
		return nil, err
	}
	r := &scoreRequest{Model: fmt.Sprintf("stored-%d", s.last+1), Rows: file, Threads: 1, What: what, Out: fmt.Sprintf("values-%d", s.last+1)}
	path := filepath.Join(s.dir, r.Model)
	if err := os.WriteFile(path, model, 0o600); err != nil {
		return nil, fmt.Errorf("handing over a model: %w", err)
	}
	defer os.Remove(path)
	w := &watch{wall: s.limits.Wall, need: matrixCost(rows.Rows, rows.Cols), mapped: uint64(file.bytes()) + uint64(len(model))}
	if _, err := s.exchange(ctx, request{Score: r}, w); err != nil {
		return nil, err
	}
	return readFloats(filepath.Join(s.dir, r.Out), n)
}
