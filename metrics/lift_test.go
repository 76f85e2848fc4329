package metrics

import (
	"math"
	"testing"
)

func TestGains(t *testing.T) {
	y := []float64{1, 1, 0, 1, 0, 0, 0, 0, 0, 0}
	score := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	got, why := Gains(y, score, nil, 5)
	if why != "" || len(got) != 5 {
		t.Fatalf("Gains = %d parts %q, want 5", len(got), why)
	}
	want := []Gain{
		{1, .2, 1, 1 / .3, 2. / 3, 2. / 3 / .2},
		{2, .4, .5, .5 / .3, 1, 1 / .4},
		{3, .6, 0, 0, 1, 1 / .6},
		{4, .8, 0, 0, 1, 1 / .8},
		{5, 1, 0, 0, 1, 1},
	}
	for i, g := range got {
		pairs := [][2]float64{{g.Share, want[i].Share}, {g.Rate, want[i].Rate}, {g.Lift, want[i].Lift},
			{g.Captured, want[i].Captured}, {g.Total, want[i].Total}}
		for _, p := range pairs {
			near(t, "part", Defined(p[0]), p[1], 1e-14)
		}
		if g.Part != i+1 {
			t.Errorf("part %d is numbered %d", i+1, g.Part)
		}
	}
}

// A score that ranks nothing has lift 1 everywhere, in whatever order the file is.
func TestGainsShareTies(t *testing.T) {
	for _, y := range [][]float64{{1, 1, 0, 0, 0}, {0, 0, 0, 1, 1}} {
		got, why := Gains(y, []float64{7, 7, 7, 7, 7}, nil, 10)
		if why != "" {
			t.Fatal(why)
		}
		for _, g := range got {
			near(t, "lift", Defined(g.Lift), 1, 1e-12)
			near(t, "captured", Defined(g.Captured), g.Share, 1e-12)
		}
	}
}

func TestLift(t *testing.T) {
	y, score := []float64{1, 0, 1, 0}, []float64{4, 3, 3, 1}
	near(t, "top 1", Lift(y, score, nil, 1), 2, 1e-15)
	near(t, "top 2, half a tie", Lift(y, score, nil, 2), 1.5, 1e-15)
	near(t, "all", Lift(y, score, nil, 4), 1, 1e-15)
	undefined(t, "top 0", Lift(y, score, nil, 0), BadArgument)
	undefined(t, "top 5 of 4", Lift(y, score, nil, 5), BadArgument)
	undefined(t, "no positives", Lift([]float64{0}, []float64{1}, nil, 1), OneClass)
	if _, why := Gains(y, score, nil, 0); why != BadArgument {
		t.Errorf("0 parts: %q, want %q", why, BadArgument)
	}
}

func TestBestThreshold(t *testing.T) {
	y := []float64{0, 0, 1, 0, 1, 1}
	p := []float64{.1, .2, .3, .4, .6, .8}
	tests := []struct {
		objective Objective
		at, score float64
	}{
		{ForF1, .25, 6. / 7},
		{ForBalancedAccuracy, .5, (2./3 + 1) / 2},
	}
	for _, tt := range tests {
		t.Run(string(tt.objective), func(t *testing.T) {
			got, why := BestThreshold(y, p, nil, tt.objective)
			if why != "" {
				t.Fatal(why)
			}
			near(t, "threshold", Defined(got.At), tt.at, 1e-15)
			near(t, "score", got.Score, tt.score, 1e-15)
			if got.Low > got.At || got.High < got.At {
				t.Errorf("plateau [%v, %v] does not hold %v", got.Low, got.High, got.At)
			}
		})
	}
	if _, why := BestThreshold(y, p, nil, ""); why != BadArgument {
		t.Errorf("no objective: %q, want %q", why, BadArgument)
	}
	if _, why := BestThreshold([]float64{1, 1}, []float64{.1, .2}, nil, ForF1); why != OneClass {
		t.Errorf("one class: %q, want %q", why, OneClass)
	}
}

// The threshold does in use what it promised: no other one does better.
func TestBestThresholdIsBest(t *testing.T) {
	s := samples(t)["ties"]
	got, why := BestThreshold(s.Y, s.P, s.W, ForF1)
	if why != "" {
		t.Fatal(why)
	}
	c, _ := ConfusionAt(s.Y, s.P, s.W, got.At)
	near(t, "F1 at the threshold", c.F1(), got.Score.V, 1e-12)
	for i := range 99 {
		c, _ := ConfusionAt(s.Y, s.P, s.W, float64(i)/99)
		if f := c.F1(); f.V > got.Score.V+1e-12 {
			t.Errorf("F1 at %v is %v, better than %v at %v", float64(i)/99, f.V, got.Score.V, got.At)
		}
	}
	for _, edge := range []float64{got.Low, got.High} {
		c, _ := ConfusionAt(s.Y, s.P, s.W, edge)
		if f := c.F1(); f.V < got.Score.V-got.SE.V {
			t.Errorf("F1 at the plateau's edge %v is %v, want within %v of %v", edge, f.V, got.SE.V, got.Score.V)
		}
	}
}

func TestBayesThreshold(t *testing.T) {
	// German credit: a missed bad costs 5, a refused good 1.
	near(t, "5 to 1", BayesThreshold(Payoffs{FP: -1, FN: -5}), 1./6, 1e-15)
	near(t, "even", BayesThreshold(Payoffs{TP: 1, FP: -1}), .5, 1e-15)
	undefined(t, "acting never pays", BayesThreshold(Payoffs{TP: -1, FP: -1}), OutOfRange)
	undefined(t, "refraining never pays", BayesThreshold(Payoffs{TP: 1, FP: 1}), OutOfRange)
	undefined(t, "NaN", BayesThreshold(Payoffs{TP: math.NaN()}), NotFinite)
}
