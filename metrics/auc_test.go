package metrics

import (
	"testing"
)

func TestAUC(t *testing.T) {
	tests := []struct {
		name     string
		y, score []float64
		w        []float64
		want     float64
	}{
		{"ordered", []float64{0, 0, 1, 1}, []float64{.1, .2, .3, .4}, nil, 1},
		{"reversed", []float64{1, 1, 0, 0}, []float64{.1, .2, .3, .4}, nil, 0},
		{"constant", []float64{0, 1, 0, 1}, []float64{3, 3, 3, 3}, nil, 0.5},
		{"ties count half", []float64{0, 1, 0, 1}, []float64{1, 1, 2, 3}, nil, 0.625},
		{"margins", []float64{1, 0, 1, 0}, []float64{7, -2, -3, -5}, nil, 0.75},
		{"weights", []float64{0, 1, 0, 1}, []float64{.1, .2, .3, .4}, []float64{1, 1, 2, 1}, 4. / 6},
		{"weight 0 is absent", []float64{0, 1, 0}, []float64{.1, .2, .3}, []float64{1, 1, 0}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "AUC", AUC(tt.y, tt.score, tt.w), tt.want, 1e-15)
			near(t, "Gini", Gini(tt.y, tt.score, tt.w), 2*tt.want-1, 1e-15)
		})
	}
}

func TestAUCUndefined(t *testing.T) {
	nan := Undefined("").Float()
	tests := []struct {
		name     string
		y, score []float64
		w        []float64
		want     Reason
	}{
		{"no rows", nil, nil, nil, NoRows},
		{"lengths", []float64{0, 1}, []float64{1}, nil, LengthsDiffer},
		{"weights' length", []float64{0, 1}, []float64{1, 2}, []float64{1}, LengthsDiffer},
		{"one class", []float64{1, 1}, []float64{1, 2}, nil, OneClass},
		{"the other class weighs nothing", []float64{1, 0}, []float64{1, 2}, []float64{1, 0}, OneClass},
		{"NaN score", []float64{1, 0}, []float64{1, nan}, nil, NotFinite},
		{"label 2", []float64{1, 2}, []float64{1, 2}, nil, BadLabel},
		{"negative weight", []float64{1, 0}, []float64{1, 2}, []float64{1, -1}, BadWeight},
		{"no weight", []float64{1, 0}, []float64{1, 2}, []float64{0, 0}, ZeroWeight},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			undefined(t, "AUC", AUC(tt.y, tt.score, tt.w), tt.want)
			undefined(t, "Gini", Gini(tt.y, tt.score, tt.w), tt.want)
			undefined(t, "KS", KS(tt.y, tt.score, tt.w), tt.want)
		})
	}
}

func TestAveragePrecision(t *testing.T) {
	tests := []struct {
		name     string
		y, score []float64
		want     float64
	}{
		{"ordered", []float64{0, 0, 1, 1}, []float64{.1, .2, .3, .4}, 1},
		{"constant has the share of positives", []float64{0, 1, 0, 0}, []float64{1, 1, 1, 1}, 0.25},
		{"no interpolation", []float64{1, 0, 1, 0}, []float64{4, 3, 2, 1}, 0.5 + 0.5*2/3},
		{"only positives", []float64{1, 1}, []float64{1, 2}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "AP", AveragePrecision(tt.y, tt.score, nil), tt.want, 1e-15)
		})
	}
	undefined(t, "AP without positives", AveragePrecision([]float64{0, 0}, []float64{1, 2}, nil), OneClass)
}

func TestKSAt(t *testing.T) {
	ks, threshold := Rank([]float64{0, 0, 1, 0, 1}, []float64{.1, .2, .3, .4, .5}).KSAt(nil)
	near(t, "KS", ks, 2./3, 1e-15)
	if threshold != 0.3 {
		t.Errorf("threshold = %v, want 0.3", threshold)
	}
	// A score that ranks backwards separates as well.
	near(t, "KS reversed", KS([]float64{1, 1, 0, 0}, []float64{.1, .2, .3, .4}, nil), 1, 1e-15)
}

func TestAUCIntervalUndefined(t *testing.T) {
	tests := []struct {
		name     string
		y, score []float64
		want     Reason
	}{
		{"one class", []float64{0, 0, 0}, []float64{1, 2, 3}, OneClass},
		{"one positive", []float64{0, 1, 0}, []float64{1, 2, 3}, TooFew},
		{"parted", []float64{0, 0, 1, 1}, []float64{1, 2, 3, 4}, NoSpread},
		{"constant", []float64{0, 0, 1, 1}, []float64{1, 1, 1, 1}, NoSpread},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := AUCInterval(tt.y, tt.score); got.OK || got.Reason != tt.want {
				t.Errorf("AUCInterval = %+v, want none for %q", got, tt.want)
			}
		})
	}
}

func TestAUCDifference(t *testing.T) {
	y := []float64{0, 1, 0, 1, 1, 0, 1, 0}
	a := []float64{.1, .7, .4, .35, .8, .5, .9, .2}
	b := []float64{.3, .2, .6, .5, .1, .4, .7, .8}

	same := AUCDifference(y, a, a)
	if same.Delta != Defined(0) || same.P != Defined(1) {
		t.Errorf("a against itself = %+v, want delta 0 and p 1", same)
	}
	scaled := make([]float64, len(a))
	for i := range a {
		scaled[i] = 2 * a[i]
	}
	if got := AUCDifference(y, a, scaled); got.P != Defined(1) {
		t.Errorf("a against its double = %+v, want p 1", got)
	}
	ab, ba := AUCDifference(y, a, b), AUCDifference(y, b, a)
	near(t, "delta", ab.Delta, 14./16-5./16, 1e-12)
	near(t, "delta reversed", ba.Delta, -ab.Delta.V, 1e-12)
	near(t, "p reversed", ba.P, ab.P.V, 1e-12)
	undefined(t, "one class", AUCDifference([]float64{1, 1}, []float64{1, 2}, []float64{1, 2}).Delta, OneClass)
	undefined(t, "one positive", AUCDifference([]float64{1, 0, 0}, []float64{3, 1, 2}, []float64{1, 2, 3}).P, TooFew)
}
