package metrics

import "testing"

func TestConfusion(t *testing.T) {
	tests := []struct {
		name string
		c    Confusion
		want [6]Value // accuracy, precision, recall, F1, MCC, balanced accuracy
	}{
		{"all right", Confusion{TP: 3, TN: 2}, [6]Value{Defined(1), Defined(1), Defined(1), Defined(1), Defined(1), Defined(1)}},
		{"all wrong", Confusion{FP: 3, FN: 2}, [6]Value{Defined(0), Defined(0), Defined(0), Defined(0), Defined(-1), Defined(0)}},
		{"mixed", Confusion{TP: 2, FP: 2, FN: 2, TN: 2}, [6]Value{Defined(.5), Defined(.5), Defined(.5), Defined(.5), Defined(0), Defined(.5)}},
		{"none predicted", Confusion{FN: 2, TN: 6}, [6]Value{Defined(.75), Undefined(UndefinedPrecision), Defined(0), Defined(0), Defined(0), Defined(.5)}},
		{"no positives", Confusion{FP: 1, TN: 3}, [6]Value{Defined(.75), Defined(0), Undefined(OneClass), Defined(0), Defined(0), Defined(.75)}},
		{"nothing", Confusion{}, [6]Value{Undefined(NoRows), Undefined(UndefinedPrecision), Undefined(OneClass), Undefined(NoRows), Undefined(NoRows), Undefined(TooFew)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.c
			got := [6]Value{c.Accuracy(), c.Precision(), c.Recall(), c.F1(), c.MCC(), c.BalancedAccuracy()}
			for i := range got {
				if tt.want[i].OK {
					near(t, "measure", got[i], tt.want[i].V, 1e-15)
				} else {
					undefined(t, "measure", got[i], tt.want[i].Reason)
				}
			}
		})
	}
}

func TestConfusionAt(t *testing.T) {
	y, p := []float64{1, 1, 0, 0}, []float64{.5, .4, .5, .1}
	got, why := ConfusionAt(y, p, []float64{1, 2, 3, 4}, 0.5)
	if want := (Confusion{TP: 1, FN: 2, FP: 3, TN: 4}); got != want || why != "" {
		t.Errorf("ConfusionAt = %+v %q, want %+v", got, why, want)
	}
	if _, why := ConfusionAt(y, p, nil, Undefined("").Float()); why != NotFinite {
		t.Errorf("threshold NaN: %q, want %q", why, NotFinite)
	}
	if spec := got.Specificity(); spec != Defined(4./7) {
		t.Errorf("Specificity = %+v, want 4/7", spec)
	}
}

// MCC of big tables must not overflow where it is a plain number.
func TestMCCOfManyRows(t *testing.T) {
	c := Confusion{TP: 1e80, FP: 1e80, FN: 1e80, TN: 1e80}
	near(t, "MCC", c.MCC(), 0, 1e-12)
}

func TestLogLossKnown(t *testing.T) {
	tests := []struct {
		name string
		y, p []float64
		want float64
	}{
		{"coin", []float64{0, 1}, []float64{.5, .5}, 0.6931471805599453},
		{"sure and right", []float64{0, 1}, []float64{0, 1}, 1.0000000494736474e-07},
		{"sure and wrong", []float64{1}, []float64{0}, 16.11809565095832},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			near(t, "LogLoss", LogLoss(tt.y, tt.p, nil), tt.want, 1e-9)
		})
	}
	undefined(t, "p over 1", LogLoss([]float64{1}, []float64{1.1}, nil), OutOfRange)
	undefined(t, "Brier of p below 0", Brier([]float64{1}, []float64{-.1}, nil), OutOfRange)
	near(t, "Brier", Brier([]float64{1, 0}, []float64{.8, .4}, []float64{1, 3}), (.04+3*.16)/4, 1e-15)
}
