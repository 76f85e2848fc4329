package metrics

import (
	"math"
	"slices"
	"testing"
)

func TestResamples(t *testing.T) {
	b := Bootstrap{Rows: 6, Groups: []int{5, 5, 9, 9, 9, -1}, Weight: []float64{1, 2, 1, 1, 1, 1}, Reps: 50, Seed: 3}
	n := 0
	for w := range b.Resamples() {
		n++
		if w[1] != 2*w[0] || w[2] != w[3] || w[3] != w[4] {
			t.Fatalf("resample %v splits a group or loses a weight", w)
		}
		if drawn := w[0] + w[2] + w[5]; drawn != 3 {
			t.Fatalf("resample %v draws %v groups, want 3", w, drawn)
		}
	}
	if n != 50 {
		t.Errorf("%d resamples, want 50", n)
	}
}

func TestResamplesOfOneSeed(t *testing.T) {
	draw := func(seed uint64) (out []float64) {
		for w := range (Bootstrap{Rows: 20, Reps: 3, Seed: seed}).Resamples() {
			out = append(out, w...)
		}
		return out
	}
	if !slices.Equal(draw(1), draw(1)) {
		t.Error("one seed gives two results")
	}
	if slices.Equal(draw(1), draw(2)) {
		t.Error("two seeds give one result")
	}
	var first []float64
	for w := range (Bootstrap{Rows: 8, Seed: 42}).Resamples() {
		first = slices.Clone(w)
		break
	}
	if want := []float64{2, 1, 0, 1, 2, 1, 1, 0}; !slices.Equal(first, want) {
		t.Errorf("first resample of seed 42 = %v, want %v", first, want)
	}
}

// The interval of a mean is near its normal interval.
func TestIntervals(t *testing.T) {
	x := normal(400, 10)
	m := func(w []float64) Value { return mean(len(x), w, func(i int) float64 { return x[i] }) }
	got := Bootstrap{Rows: len(x), Reps: 2000, Seed: 1}.Intervals(m)[0]
	nearInterval(t, "mean", got, 10-1.96/20, 10+1.96/20, 0.0015)
}

func TestIntervalsUndefined(t *testing.T) {
	never := func([]float64) Value { return Undefined(OneClass) }
	always := func([]float64) Value { return Defined(1) }
	tests := []struct {
		name string
		b    Bootstrap
		f    func([]float64) Value
		want Reason
	}{
		{"no rows", Bootstrap{}, always, NoRows},
		{"groups", Bootstrap{Rows: 2, Groups: []int{1}}, always, LengthsDiffer},
		{"weights", Bootstrap{Rows: 2, Weight: []float64{1, -1}}, always, BadWeight},
		{"never defined", Bootstrap{Rows: 2, Reps: 10}, never, TooFew},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.b.Intervals(tt.f)[0]; got.OK || got.Reason != tt.want {
				t.Errorf("Intervals = %+v, want none for %q", got, tt.want)
			}
		})
	}
}

func TestBootstrapDifference(t *testing.T) {
	s := samples(t)["cont"]
	y, p, rng := s.Y[:800], s.P[:800], Stream(1, "test", 0)
	noisy := make([]float64, len(p))
	for i, v := range p {
		noisy[i] = v + 0.8*rng.Float64()
	}
	a, b := Rank(y, p).AUC, Rank(y, noisy).AUC
	boot := Bootstrap{Rows: len(y), Reps: 500, Seed: 2}

	got, exact := boot.Difference(a, b), AUCDifference(y, p, noisy)
	near(t, "delta", got.Delta, exact.Delta.V, 1e-12)
	near(t, "se", got.SE, exact.SE.V, 0.15*exact.SE.V)
	nearInterval(t, "interval", got.Interval, exact.Interval.Low, exact.Interval.High, 0.006)
	near(t, "p is at its floor", got.P, 2./501, 1e-15)

	same := boot.Difference(a, a)
	if same.Delta != Defined(0) || same.P != Defined(1) || same.Interval != interval(0, 0) {
		t.Errorf("a model against itself = %+v, want delta 0, p 1", same)
	}
	reverse := boot.Difference(b, a)
	near(t, "delta reversed", reverse.Delta, -got.Delta.V, 1e-15)
	one := Rank([]float64{1, 1}, []float64{1, 2}).AUC
	undefined(t, "one class", Bootstrap{Rows: 2}.Difference(one, one).Delta, OneClass)
	undefined(t, "no rows", Bootstrap{Rows: -3}.Difference(one, one).Delta, LengthsDiffer)
}

// Groups that stand together widen the interval.
func TestBootstrapOfGroups(t *testing.T) {
	x, groups := make([]float64, 200), make([]int, 200)
	for i := range x {
		groups[i] = i / 20
		x[i] = float64(groups[i])
	}
	m := func(w []float64) Value { return mean(len(x), w, func(i int) float64 { return x[i] }) }
	rows := Bootstrap{Rows: 200, Reps: 400, Seed: 1}.Intervals(m)[0]
	grouped := Bootstrap{Rows: 200, Groups: groups, Reps: 400, Seed: 1}.Intervals(m)[0]
	ratio := (grouped.High - grouped.Low) / (rows.High - rows.Low)
	if math.Abs(ratio-math.Sqrt(20)) > 0.8 {
		t.Errorf("grouped interval is %.2f times as wide, want about %.2f", ratio, math.Sqrt(20))
	}
}
