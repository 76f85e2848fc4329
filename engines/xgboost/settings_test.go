package xgboost

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ambit/training"
)

// standardised returns rows with columns of mean 0 and deviation 1, nothing missing.
func standardised(seed uint64, rows, cols int, kind task) training.Matrix {
	m := table(seed, rows, cols, 0, kind)
	for j := range cols {
		var sum, squares float64
		for i := range rows {
			v := float64(m.Data[i*cols+j])
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / float64(rows)
		deviation := math.Sqrt(squares/float64(rows) - mean*mean)
		for i := range rows {
			v := &m.Data[i*cols+j]
			*v = float32((float64(*v) - mean) / deviation)
		}
	}
	return m
}

func mean(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}

// TestLinearIsRidge: with standardised columns, lambda = alpha/n, eta 1 and the
// mean as base score, gblinear is ridge regression: (X'X + alpha I) w = X'(y - mean).
func TestLinearIsRidge(t *testing.T) {
	const n, p, alpha = 400, 6, 10.0
	train := standardised(1, n, p, regression)
	base := mean(train.Label)
	s := openSession(t)
	fitted := mustFit(t, s, training.Fit{Train: train, Rounds: 300, Params: training.Params{
		Booster: "gblinear", Objective: "reg:squarederror", Eta: ptr(1.0), Lambda: ptr(alpha / n), BaseScore: ptr(base)}})
	m, err := Parse(fitted.Model)
	if err != nil {
		t.Fatal(err)
	}
	want := ridge(t, train, base, alpha)
	for i := range p {
		if got := float64(m.weights[i]); math.Abs(got-want.AtVec(i)) > 1e-4 {
			t.Errorf("weight %d is %v, want %v", i, got, want.AtVec(i))
		}
	}
}

func ridge(t *testing.T, m training.Matrix, base, alpha float64) *mat.VecDense {
	t.Helper()
	x, y := mat.NewDense(m.Rows, m.Cols, nil), mat.NewVecDense(m.Rows, nil)
	for i, v := range m.Data {
		x.Set(i/m.Cols, i%m.Cols, float64(v))
	}
	for i, v := range m.Label {
		y.SetVec(i, float64(v)-base)
	}
	var a mat.Dense
	a.Mul(x.T(), x)
	for i := range m.Cols {
		a.Set(i, i, a.At(i, i)+alpha)
	}
	var b, w mat.VecDense
	b.MulVec(x.T(), y)
	if err := w.SolveVec(&a, &b); err != nil {
		t.Fatal(err)
	}
	return &w
}

// TestLinearIsLogistic: the logistic regression with lambda = 1/(C n) has no
// slope left: each column's residual sum equals lambda n w.
func TestLinearIsLogistic(t *testing.T) {
	const n, p, c = 500, 5, 0.5
	train := standardised(2, n, p, binary)
	s := openSession(t)
	fitted := mustFit(t, s, training.Fit{Train: train, Rounds: 500, Predict: []training.Matrix{train}, Params: training.Params{
		Booster: "gblinear", Objective: "binary:logistic", Eta: ptr(1.0), Lambda: ptr(1 / (c * n)), BaseScore: ptr(mean(train.Label))}})
	m, err := Parse(fitted.Model)
	if err != nil {
		t.Fatal(err)
	}
	for j := range p {
		slope := -float64(m.weights[j]) / c
		for i := range n {
			probability := 1 / (1 + math.Exp(-float64(fitted.Margins[0][i])))
			slope += float64(train.Data[i*p+j]) * (float64(train.Label[i]) - probability)
		}
		if math.Abs(slope) > 0.02 {
			t.Errorf("column %d: slope %v at weight %v, want 0", j, slope, m.weights[j])
		}
	}
}

// TestForestAverages: a forest of one round on labels 0 and 1 gives the mean of
// its trees' class shares, so unlimited trees without sampling give the labels back.
func TestForestAverages(t *testing.T) {
	s := openSession(t)
	train := table(3, 300, 4, 0, binary)
	p := training.Params{Booster: "gbtree", Objective: "reg:squarederror", Eta: ptr(1.0), Parallel: ptr(25), MaxDepth: ptr(30),
		MinChild: ptr(0.0), Lambda: ptr(0.0), BaseScore: ptr(mean(train.Label)), TreeMethod: "exact"}
	margins := mustFit(t, s, training.Fit{Train: train, Rounds: 1, Params: p, Predict: []training.Matrix{train}}).Margins[0]
	for i, m := range margins {
		if math.Abs(float64(m-train.Label[i])) > 1e-5 {
			t.Fatalf("row %d: %v, want its label %v", i, m, train.Label[i])
		}
	}
	p.Subsample, p.ColNode = ptr(0.63), ptr(0.5)
	valid := table(4, 300, 4, 0, binary)
	margins = mustFit(t, s, training.Fit{Train: train, Rounds: 1, Params: p, Predict: []training.Matrix{valid}}).Margins[0]
	right := 0
	for i, m := range margins {
		if m < -0.01 || m > 1.01 {
			t.Errorf("row %d: share %v", i, m)
		}
		if (m > 0.5) == (valid.Label[i] == 1) {
			right++
		}
	}
	if right < 200 {
		t.Errorf("%d of 300 fresh rows are right, want two thirds at least", right)
	}
}
