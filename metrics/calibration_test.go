package metrics

import (
	"math"
	"slices"
	"testing"
)

func TestEqualCountBins(t *testing.T) {
	tests := []struct {
		name string
		p    []float64
		k    int
		rows []int
	}{
		{"even", []float64{.1, .2, .3, .4}, 2, []int{2, 2}},
		{"uneven", []float64{.1, .2, .3, .4, .5}, 2, []int{2, 3}},
		{"more bins than rows", []float64{.1, .2}, 10, []int{1, 1}},
		{"ties stay together", []float64{.1, .2, .2, .2, .9, .9}, 3, []int{1, 3, 2}},
		{"all tied", []float64{.5, .5, .5}, 10, []int{3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bins, why := EqualCountBins(make([]float64, len(tt.p)), tt.p, nil, tt.k)
			if why != "" || len(bins) != len(tt.rows) {
				t.Fatalf("EqualCountBins = %d bins %q, want %d", len(bins), why, len(tt.rows))
			}
			for i, b := range bins {
				if b.Rows != tt.rows[i] {
					t.Errorf("bin %d has %d rows, want %d", i, b.Rows, tt.rows[i])
				}
			}
		})
	}
}

func TestBinsHoldWhatTheySay(t *testing.T) {
	y, p := []float64{0, 1, 1, 1}, []float64{.25, .5, .7, .9}
	bins, why := EqualCountBins(y, p, []float64{1, 3, 0, 4}, 2)
	if why != "" || len(bins) != 2 {
		t.Fatalf("EqualCountBins = %+v %q, want 2 bins", bins, why)
	}
	want := Bin{Low: .25, High: .5, Rows: 2, Weight: 4, Mean: .4375, Observed: .75, Interval: Wilson(.75*1.6, 1.6)}
	if bins[0] != want {
		t.Errorf("bin 0 = %+v, want %+v", bins[0], want)
	}
	if bins[1].Low != .9 || bins[1].Rows != 1 {
		t.Errorf("bin 1 = %+v, want the one row of .9: a weight of 0 is absent", bins[1])
	}
	near(t, "calibration error", CalibrationError(bins), (4*.3125+4*.1)/8, 1e-15)
	if _, why := EqualCountBins(y, p, nil, 0); why != BadArgument {
		t.Errorf("0 bins: %q, want %q", why, BadArgument)
	}
	if _, why := EqualWidthBins(y, []float64{0, .5, 1, 1.5}, nil, 2); why != OutOfRange {
		t.Errorf("p of 1.5: %q, want %q", why, OutOfRange)
	}
}

func TestMurphySplit(t *testing.T) {
	for name, s := range samples(t) {
		for _, w := range [][]float64{nil, s.W} {
			m := MurphySplit(s.Y, s.P, w)
			near(t, name+" sum", Defined(m.Reliability.V-m.Resolution.V+m.Uncertainty.V+m.Within.V), m.Brier.V, 1e-14)
			near(t, name+" Brier", m.Brier, Brier(s.Y, s.P, w).V, 1e-15)
			if m.Reliability.V < 0 || m.Resolution.V < 0 || m.Resolution.V > m.Uncertainty.V || math.Abs(m.Within.V) > 0.002 {
				t.Errorf("%s split = %+v, want parts within their bounds", name, m)
			}
		}
	}
	// Two groups, each with its own rate, said exactly: nothing to calibrate.
	m := MurphySplit([]float64{0, 0, 0, 1, 1, 1, 1, 0}, []float64{.25, .25, .25, .25, .75, .75, .75, .75}, nil)
	near(t, "reliability", m.Reliability, 0, 1e-15)
	near(t, "resolution", m.Resolution, 0.0625, 1e-15)
	near(t, "uncertainty", m.Uncertainty, 0.25, 1e-15)
	near(t, "within", m.Within, 0, 1e-15)
	undefined(t, "no rows", MurphySplit(nil, nil, nil).Brier, NoRows)
}

func TestECEOfCalibrated(t *testing.T) {
	near(t, "ECE", ECE([]float64{0, 0, 0, 1}, []float64{.25, .25, .25, .25}, nil), 0, 1e-15)
	near(t, "ECE of sure and wrong", ECE([]float64{0, 1}, []float64{1, 0}, nil), 1, 1e-15)
}

func TestWilson(t *testing.T) {
	tests := []struct{ successes, n, low, high float64 }{
		{7, 20, 0.18119182410108203, 0.5671457233147638},
		{0, 10, 0, 0.27753279986288926},
		{10, 10, 0.7224672001371106, 1},
		{3.75, 12.5, 0.11991132526488321, 0.5741184394665119},
	}
	for _, tt := range tests {
		nearInterval(t, "Wilson", Wilson(tt.successes, tt.n), tt.low, tt.high, 1e-12)
	}
	for _, bad := range [][2]float64{{0, 0}, {-1, 5}, {6, 5}, {math.NaN(), 5}} {
		if got := Wilson(bad[0], bad[1]); got.OK {
			t.Errorf("Wilson(%v) = %+v, want none", bad, got)
		}
	}
}

func TestRecalibration(t *testing.T) {
	rng := Stream(5, "test", 0)
	var y, p, sure []float64
	for range 40_000 {
		v := 0.02 + 0.96*rng.Float64()
		label := 0.0
		if rng.Float64() < v {
			label = 1
		}
		y, p, sure = append(y, label), append(p, v), append(sure, sigmoid(2*logit(v)+1))
	}
	line, why := Recalibration(y, p, nil)
	if why != "" || math.Abs(line.Slope-1) > 0.05 || math.Abs(line.Intercept) > 0.05 {
		t.Errorf("calibrated: %+v %q, want slope 1, intercept 0", line, why)
	}
	// The line undoes any line: m -> 2m+1 comes back by half.
	undone, why := Recalibration(y, sure, nil)
	near(t, "slope "+string(why), Defined(2*undone.Slope), line.Slope, 1e-9)
	near(t, "intercept", Defined(undone.Intercept+undone.Slope), line.Intercept, 1e-9)
}

func TestRecalibrationUndefined(t *testing.T) {
	tests := []struct {
		name string
		y, p []float64
		want Reason
	}{
		{"one class", []float64{1, 1}, []float64{.2, .8}, OneClass},
		{"parted", []float64{0, 0, 1}, []float64{.1, .2, .3}, Separated},
		{"parted backwards", []float64{1, 1, 0}, []float64{.1, .2, .3}, Separated},
		{"parted but for a tie", []float64{0, 1, 0, 1}, []float64{.1, .2, .2, .3}, Separated},
		{"constant", []float64{0, 1, 0}, []float64{.3, .3, .3}, NoSpread},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, why := Recalibration(tt.y, tt.p, nil); why != tt.want {
				t.Errorf("Recalibration: %q, want %q", why, tt.want)
			}
		})
	}
}

func TestPlattOfParted(t *testing.T) {
	// Platt's targets keep the line finite where the classes part.
	line, why := Platt([]float64{0, 0, 1, 1}, []float64{-2, -1, 1, 2}, nil)
	if why != "" || !(line.Slope > 0) || !finite(line.Slope) {
		t.Errorf("Platt = %+v %q, want a finite rising line", line, why)
	}
	near(t, "the middle", Defined(line.At(0)), 0.5, 1e-9)
	if _, why := Platt([]float64{1, 1}, []float64{1, 2}, nil); why != OneClass {
		t.Errorf("Platt of one class: %q, want %q", why, OneClass)
	}
}

func TestCorrectWeight(t *testing.T) {
	near(t, "odds 4 by weight 4", CorrectWeight(.8, 4), .5, 1e-15)
	near(t, "weight 1", CorrectWeight(.3, 1), .3, 1e-15)
	near(t, "sure stays sure", CorrectWeight(1, 9), 1, 1e-15)
	undefined(t, "weight 0", CorrectWeight(.3, 0), OutOfRange)
	undefined(t, "p 2", CorrectWeight(2, 1), OutOfRange)
}

func TestIsotonic(t *testing.T) {
	f, why := FitIsotonic([]float64{1, 0, 1, 1}, []float64{1, 2, 3, 3}, []float64{1, 3, 1, 1})
	if why != "" {
		t.Fatal(why)
	}
	for _, tt := range []struct{ x, want float64 }{{0, .25}, {1, .25}, {2, .25}, {2.5, .625}, {3, 1}, {9, 1}} {
		near(t, "At", Defined(f.At(tt.x)), tt.want, 1e-15)
	}
	if got := f.At(math.NaN()); !math.IsNaN(got) {
		t.Errorf("At(NaN) = %v, want NaN", got)
	}
	if got := (Isotonic{}).At(.5); !math.IsNaN(got) {
		t.Errorf("zero Isotonic at .5 = %v, want NaN: it is not fitted", got)
	}
	if _, why := FitIsotonic(nil, nil, nil); why != NoRows {
		t.Errorf("FitIsotonic of nothing: %q, want %q", why, NoRows)
	}
}

func TestEqualParts(t *testing.T) {
	got, why := EqualParts([]float64{9, -5, 9, 2, 3, 8}, []float64{1, 1, 1, 1, 1, 1}, 3)
	want := [][]int{{1, 3}, {4, 5}, {0, 2}}
	if why != "" || len(got) != len(want) {
		t.Fatalf("EqualParts = %v %q, want %v", got, why, want)
	}
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("part %d = %v, want %v", i, got[i], want[i])
		}
	}
	for _, k := range []int{-1, 0, 1 << 40} {
		if _, why := EqualParts([]float64{1}, nil, k); why != BadArgument {
			t.Errorf("%d parts: %q, want %q", k, why, BadArgument)
		}
		if _, why := EqualWidthBins([]float64{1}, []float64{1}, nil, k); why != BadArgument {
			t.Errorf("%d bins: %q, want %q", k, why, BadArgument)
		}
		if _, why := Gains([]float64{1}, []float64{1}, nil, k); why != BadArgument {
			t.Errorf("%d gains: %q, want %q", k, why, BadArgument)
		}
	}
}
