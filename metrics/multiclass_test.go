package metrics

import (
	"math"
	"slices"
	"testing"
)

func TestArgmax(t *testing.T) {
	got := Argmax([]float64{.1, .9, 0, .4, .4, .2, .3, .3, .4}, 3)
	if want := []int{1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("Argmax = %v, want %v", got, want)
	}
	if got := Argmax([]float64{1}, 0); got != nil {
		t.Errorf("Argmax of 0 classes = %v, want nil", got)
	}
}

func TestMatrix(t *testing.T) {
	// Class 2 never occurs and class 1 is never predicted.
	m, why := ConfusionMatrix([]int{0, 0, 1}, []int{0, 2, 0}, 3, []float64{1, 2, 1})
	if why != "" {
		t.Fatal(why)
	}
	near(t, "accuracy", m.Accuracy(), .25, 1e-15)
	near(t, "balanced accuracy of the classes present", m.BalancedAccuracy(), (1./3+0)/2, 1e-15)
	near(t, "macro F1", m.MacroF1(), .4/3, 1e-15)
	classes := m.Classes()
	near(t, "support", Defined(classes[0].Support), 3, 0)
	undefined(t, "precision of one never predicted", classes[1].Precision, UndefinedPrecision)
	near(t, "its F1", classes[1].F1, 0, 0)
	undefined(t, "recall of one that never occurs", classes[2].Recall, OneClass)
}

func TestMatrixUndefined(t *testing.T) {
	tests := []struct {
		name         string
		y, predicted []int
		k            int
		w            []float64
		want         Reason
	}{
		{"no classes", []int{0}, []int{0}, 0, nil, BadArgument},
		{"more classes than fit", []int{0}, []int{0}, 1 << 40, nil, BadArgument},
		{"no rows", nil, nil, 2, nil, NoRows},
		{"lengths", []int{0}, []int{0, 1}, 2, nil, LengthsDiffer},
		{"unknown class", []int{0}, []int{2}, 2, nil, BadLabel},
		{"negative class", []int{-1}, []int{0}, 2, nil, BadLabel},
		{"weight", []int{0}, []int{0}, 2, []float64{-1}, BadWeight},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, why := ConfusionMatrix(tt.y, tt.predicted, tt.k, tt.w); why != tt.want {
				t.Errorf("ConfusionMatrix: %q, want %q", why, tt.want)
			}
		})
	}
}

// A fold that lacks a class is measured over the whole list of classes.
func TestLogLossMultiOfAbsentClass(t *testing.T) {
	y, p := []int{0, 1}, []float64{.5, .25, .25, .2, .6, .2}
	near(t, "log loss", LogLossMulti(y, p, 3, nil), -(math.Log(.5)+math.Log(.6))/2, 1e-6)
	near(t, "Brier", BrierMulti(y, p, 3, nil), (.25+.0625+.0625+.04+.16+.04)/2, 1e-15)
	near(t, "macro AUC over what has one", MacroAUC(y, p, 3, nil), 1, 1e-15)
	undefined(t, "AUC of the absent class", ClassAUC(y, p, 3, nil, 2), OneClass)
	undefined(t, "loss of the absent class", ClassLogLoss(y, p, 3, nil, 2), OneClass)
	near(t, "loss of class 1", ClassLogLoss(y, p, 3, nil, 1), -math.Log(.6), 1e-6)
	undefined(t, "macro AUC of one class", MacroAUC([]int{0, 0}, p, 3, nil), OneClass)
	undefined(t, "probabilities cut short", LogLossMulti(y, p[:5], 3, nil), LengthsDiffer)
	undefined(t, "class 7", ClassAUC(y, p, 3, nil, 7), BadArgument)
}

// Two classes give what the binary loss gives.
func TestLogLossMultiOfTwo(t *testing.T) {
	s := samples(t)["cont"]
	y, p := make([]int, len(s.Y)), make([]float64, 0, 2*len(s.Y))
	for i := range s.Y {
		y[i] = int(s.Y[i])
		p = append(p, 1-s.P[i], s.P[i])
	}
	near(t, "log loss", LogLossMulti(y, p, 2, s.W), LogLoss(s.Y, s.P, s.W).V, 1e-12)
	near(t, "Brier", BrierMulti(y, p, 2, s.W), 2*Brier(s.Y, s.P, s.W).V, 1e-12)
	near(t, "macro AUC", MacroAUC(y, p, 2, s.W), AUC(s.Y, s.P, s.W).V, 1e-12)
}

func TestTopK(t *testing.T) {
	y, p := []int{0, 2}, []float64{.2, .5, .3, .3, .35, .35}
	near(t, "top 1", TopK(y, p, 3, nil, 1), 0, 0)
	near(t, "top 2, an equal counts against", TopK(y, p, 3, nil, 2), .5, 0)
	near(t, "top 3", TopK(y, p, 3, nil, 3), 1, 0)
	undefined(t, "top 0", TopK(y, p, 3, nil, 0), BadArgument)
}
