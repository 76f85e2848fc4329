package xgboost

import (
	"testing"

	"ambit/training"
)

// benchFit is the fit that is compared with Python's: 50,000 × 20, 50 rounds of
// depth 6 by hist, one thread.
func benchFit() training.Fit {
	p := smallParams(binary)
	p.MaxDepth, p.Eta = ptr(6), ptr(0.1)
	return training.Fit{Train: table(1, 50_000, 20, 0.03, binary), Params: p, Rounds: 50}
}

// BenchmarkFit trains through a session that has not seen the matrix: checks,
// files and the child included.
func BenchmarkFit(b *testing.B) {
	fit := benchFit()
	for b.Loop() {
		b.StopTimer()
		s := openSession(b)
		b.StartTimer()
		mustFit(b, s, fit)
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

// BenchmarkFitAgain trains on a matrix that the child still holds.
func BenchmarkFitAgain(b *testing.B) {
	s, fit := openSession(b), benchFit()
	mustFit(b, s, fit)
	for b.Loop() {
		mustFit(b, s, fit)
	}
}

// BenchmarkFitSmall is what a fit costs besides training: 100 rows, 1 round.
func BenchmarkFitSmall(b *testing.B) {
	s := openSession(b)
	fit := training.Fit{Train: table(1, 100, 5, 0, binary), Params: smallParams(binary), Rounds: 1}
	for b.Loop() {
		mustFit(b, s, fit)
	}
}

// BenchmarkFirstRound is from nothing to the first round of a small fit.
func BenchmarkFirstRound(b *testing.B) {
	engine := testEngine(b)
	fit := training.Fit{Train: table(1, 100, 5, 0, binary), Params: smallParams(binary), Rounds: 1}
	for b.Loop() {
		s := openLimited(b, engine, training.Limits{})
		mustFit(b, s, fit)
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

// benchModel is 200 trees of depth 6 on 50 columns.
func benchModel(b *testing.B) ([]byte, training.Matrix) {
	p := smallParams(binary)
	p.MaxDepth, p.Eta = ptr(6), ptr(0.1)
	train := table(1, 20_000, 50, 0.03, binary)
	return mustFit(b, openSession(b), training.Fit{Train: train, Params: p, Rounds: 200}).Model, train
}

func BenchmarkMargin(b *testing.B) {
	raw, train := benchModel(b)
	m, err := Parse(raw)
	if err != nil {
		b.Fatal(err)
	}
	out := make([]float32, 1)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		m.Margin(train.Data[i*50:(i+1)*50], out)
		i = (i + 1) % train.Rows
	}
}

func BenchmarkParse(b *testing.B) {
	raw, _ := benchModel(b)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := Parse(raw); err != nil {
			b.Fatal(err)
		}
	}
}
