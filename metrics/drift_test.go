package metrics

import (
	"math"
	"testing"
)

// normal returns the n middles of a normal distribution, moved by shift.
func normal(n int, shift float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/float64(n)-1) + shift
	}
	return out
}

// The shift ladder: a normal column moved by so many standard deviations.
func TestShiftLadder(t *testing.T) {
	tests := []struct{ shift, psi, d, p, published, tolerance float64 }{
		{0, 0, 0, 1, .0065, .01},
		{0.1, 0.009617999413114652, 0.04, 0.08151888641220972, .021, .015},
		{0.25, 0.05977076136546522, 0.0995, 5.032480569426903e-09, .082, .025},
		{0.5, 0.23786368512348458, 0.1975, 2.6340967723995836e-34, .245, .02},
		{1.0, 0.9255800352610153, 0.383, 7.737193955330346e-128, .924, .02},
	}
	for _, tt := range tests {
		a, b := normal(2000, 0), normal(2000, tt.shift)
		got := PSI(a, b)
		near(t, "PSI", got.PSI, tt.psi, 1e-12)
		near(t, "PSI as published for random draws", got.PSI, tt.published, tt.tolerance)
		ks := KolmogorovSmirnov(a, b)
		near(t, "D", ks.D, tt.d, 1e-12)
		if r := ks.P.V / tt.p; math.Abs(r-1) > 1e-9 {
			t.Errorf("p = %g, want %g", ks.P.V, tt.p)
		}
		if got.Bins != 10 {
			t.Errorf("bins = %d, want 10", got.Bins)
		}
		near(t, "noise", got.Noise, 27./1000, 1e-15)
	}
}

// Noise is what PSI reaches where nothing moved.
func TestPSINoise(t *testing.T) {
	rng, above := Stream(11, "test", 0), 0
	sum := 0.0
	draw := func() []float64 {
		out := make([]float64, 200)
		for i := range out {
			out[i] = rng.Float64()
		}
		return out
	}
	for range 300 {
		got := PSI(draw(), draw())
		sum += got.PSI.V / 300
		if got.PSI.V > got.Noise.V {
			above++
		}
	}
	near(t, "mean PSI of 200 and 200 rows", Defined(sum), .094, .01)
	if above > 6 { // 2%
		t.Errorf("%d of 300 without drift are over the noise", above)
	}
}

func TestPSIShapes(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name               string
		reference, current []float64
		low, high          float64
	}{
		{"missing values come", []float64{1, 2, 3, 4}, []float64{1, 2, nan, nan}, 3, 20},
		{"all missing on both sides", []float64{nan, nan}, []float64{nan}, 0, 0},
		{"a constant falls", []float64{5, 5, 5}, []float64{3, 3, 3}, 10, 20},
		{"a constant rises", []float64{5, 5, 5}, []float64{7, 7, 7}, 10, 20},
		{"a constant stays", []float64{5, 5, 5}, []float64{5, 5}, 0, 0},
		{"zeros become negative", []float64{0, 0, 0, 0, 1, 2, 3, 4}, []float64{-1, -1, -1, -1, 1, 2, 3, 4}, 5, 20},
		{"infinite values are far out", []float64{1, 2, 3, 4}, []float64{math.Inf(1), math.Inf(-1)}, 1, 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := PSI(tt.reference, tt.current)
			if !got.PSI.OK || got.PSI.V < tt.low || got.PSI.V > tt.high {
				t.Errorf("PSI = %+v, want within [%v, %v]", got.PSI, tt.low, tt.high)
			}
		})
	}
	undefined(t, "no reference", PSI(nil, []float64{1}).PSI, NoRows)
	undefined(t, "no current", PSI([]float64{1}, nil).PSI, NoRows)
	undefined(t, "infinite reference", PSI([]float64{1, math.Inf(1)}, []float64{1}).PSI, NotFinite)
}

func TestPSICounts(t *testing.T) {
	got := PSICounts([]float64{50, 50, 0}, []float64{40, 40, 20})
	near(t, "PSI", got.PSI, 2*(-.1)*math.Log(.4/.5)+(.2-1e-4)*math.Log(.2/1e-4), 1e-14)
	near(t, "noise", got.Noise, 3*2*.02, 1e-15)
	undefined(t, "lengths", PSICounts([]float64{1}, []float64{1, 2}).PSI, LengthsDiffer)
	undefined(t, "empty side", PSICounts([]float64{0}, []float64{1}).PSI, NoRows)
	undefined(t, "negative", PSICounts([]float64{-1, 2}, []float64{1, 1}).PSI, OutOfRange)
}

func TestKolmogorovSmirnov(t *testing.T) {
	got := KolmogorovSmirnov([]float64{1, 2, 2, math.NaN()}, []float64{2, 3})
	near(t, "D", got.D, .5, 1e-15)
	back := KolmogorovSmirnov([]float64{3, 2}, []float64{2, 1, 2})
	if back != got {
		t.Errorf("reversed = %+v, want %+v", back, got)
	}
	undefined(t, "only missing", KolmogorovSmirnov([]float64{math.NaN()}, []float64{1}).P, NoRows)
	for x, want := range map[float64]float64{.3: 0.9999906941986655, .8: 0.5441424115741981, 1: 0.26999967167735456, 1.36: 0.049485876755377876, 2: 0.0006709252557796953} {
		near(t, "series", Defined(kolmogorov(x)), want, 1e-13)
	}
}
