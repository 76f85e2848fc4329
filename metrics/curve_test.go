package metrics

import "testing"

func TestCurvePoints(t *testing.T) {
	got, why := Curve([]float64{1, 0, 1, 0, 0}, []float64{.9, .7, .7, .4, .1}, nil)
	if why != "" {
		t.Fatal(why)
	}
	want := []Point{
		{Undefined(UndefinedPrecision), 0, 0, 2, 3, 0, 0, Undefined(UndefinedPrecision)},
		{Defined(.9), 1, 0, 1, 3, 0, .5, Defined(1)},
		{Defined(.7), 2, 1, 0, 2, 1. / 3, 1, Defined(2. / 3)},
		{Defined(.4), 2, 2, 0, 1, 2. / 3, 1, Defined(.5)},
		{Defined(.1), 2, 3, 0, 0, 1, 1, Defined(.4)},
	}
	if len(got) != len(want) {
		t.Fatalf("Curve has %d points, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("point %d = %+v, want %+v", i, got[i], want[i])
		}
	}
	if _, why := Curve([]float64{1, 1}, []float64{1, 2}, nil); why != OneClass {
		t.Errorf("Curve of one class: %q, want %q", why, OneClass)
	}
}

// Every point of a thinned curve is one that really occurs.
func TestCurveIsExact(t *testing.T) {
	for name, s := range samples(t) {
		for _, w := range [][]float64{nil, s.W} {
			points, why := Curve(s.Y, s.P, w)
			if why != "" {
				t.Fatal(why)
			}
			if n := len(points); n > MaxPoints || n < 95 {
				t.Errorf("%s curve has %d points, want 95 to %d", name, n, MaxPoints)
			}
			last := points[len(points)-1]
			if points[0].Recall != 0 || points[0].FPR != 0 || last.Recall < 1-1e-12 || last.FPR < 1-1e-12 {
				t.Errorf("%s curve runs from %+v to %+v, want all of it", name, points[0], last)
			}
			for i, p := range points[1:] {
				c, _ := ConfusionAt(s.Y, s.P, w, p.Threshold.V)
				near(t, name+" tp", Defined(p.TP), c.TP, 1e-12)
				near(t, name+" fp", Defined(p.FP), c.FP, 1e-12)
				near(t, name+" fn", Defined(p.FN), c.FN, 1e-9)
				near(t, name+" tn", Defined(p.TN), c.TN, 1e-9)
				near(t, name+" precision", p.Precision, c.Precision().V, 1e-12)
				if p.Recall < points[i].Recall || p.FPR < points[i].FPR {
					t.Errorf("%s point %d falls", name, i+1)
				}
			}
		}
	}
}

// The thinned curve loses little area.
func TestCurveKeepsTheShape(t *testing.T) {
	s := samples(t)["cont"]
	points, _ := Curve(s.Y, s.P, nil)
	area := 0.0
	for i, p := range points[1:] {
		area += (p.FPR - points[i].FPR) * (p.Recall + points[i].Recall) / 2
	}
	near(t, "area under 200 points", Defined(area), 0.8216107726789269, 2e-4)
}
