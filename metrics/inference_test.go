package metrics

import (
	"math"
	"testing"
)

func TestAdjustedP(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005, 0.5, 0.04}
	bh := []float64{0.03, 0.048, 0.048, 0.03, 0.5, 0.048}
	holm := []float64{0.05, 0.12, 0.12, 0.03, 0.5, 0.12}
	for i, v := range BenjaminiHochberg(p) {
		near(t, "BH", Defined(v), bh[i], 1e-15)
	}
	for i, v := range Holm(p) {
		near(t, "Holm", Defined(v), holm[i], 1e-15)
	}
	for i, v := range BenjaminiHochberg([]float64{0.01, math.NaN(), -1, 7}) {
		near(t, "BH of what is no probability", Defined(v), []float64{0.04, 1, 1, 1}[i], 1e-15)
	}
	if n := len(Holm(nil)); n != 0 {
		t.Errorf("Holm of nothing has %d, want 0", n)
	}
}

func TestPermutationP(t *testing.T) {
	tests := []struct {
		name     string
		observed float64
		permuted []float64
		want     float64
	}{
		{"beyond all", 9, []float64{1, 2, 3, 4}, 1. / 5},
		{"a tie counts", 4, []float64{1, 2, 3, 4}, 2. / 5},
		{"below all", 0, []float64{1, 2, 3, 4}, 1},
		{"NaN counts as great", 9, []float64{1, math.NaN(), 3, 4}, 2. / 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "p", PermutationP(tt.observed, tt.permuted), tt.want, 1e-15)
		})
	}
	undefined(t, "no permutation", PermutationP(1, nil), TooFew)
	undefined(t, "NaN", PermutationP(math.NaN(), []float64{1}), NotFinite)
}

func TestOptimism(t *testing.T) {
	near(t, "best of 40", Optimism(0.013, 40), 0.013*2.7162030314820957, 1e-12)
	undefined(t, "best of 9", Optimism(0.013, 9), TooFew)
	undefined(t, "negative se", Optimism(-1, 40), OutOfRange)
	undefined(t, "NaN", Optimism(math.NaN(), 40), NotFinite)
}

func TestMeanOfFolds(t *testing.T) {
	got := MeanOfFolds([]Value{Defined(1), Undefined(OneClass), Defined(2), Defined(6)})
	near(t, "mean", got.Mean, 3, 1e-15)
	near(t, "sd", got.SD, math.Sqrt(7), 1e-15)
	near(t, "se", got.SE, math.Sqrt(7./3), 1e-15)
	one := MeanOfFolds([]Value{Defined(4)})
	near(t, "mean of one", one.Mean, 4, 0)
	undefined(t, "se of one", one.SE, TooFew)
	undefined(t, "mean of none", MeanOfFolds(nil).Mean, TooFew)
}
