package app

import (
	"bytes"
	"reflect"
	"testing"

	"ambit/evaluation"
	"ambit/metrics"
	"ambit/training"
)

// Class 1 is the positive one in an evaluation, whichever comes first in text order.
func TestSetOf(t *testing.T) {
	p := training.Predictions{
		Label: "oof", Task: "binary", Classes: []string{"bad", "good"}, Rows: []int{0, 7}, Fold: []int{1, 0},
		Truth: []float64{1, 0}, Scores: []float64{0.9, 0.2},
	}
	want := evaluation.Set{Task: metrics.Task("binary"), Y: []float64{1, 0}, Prediction: []float64{0.9, 0.2}, Fold: []int{1, 0}, ID: []string{"0", "7"}}
	tests := []struct {
		positive string
		classes  []string
	}{
		{"good", []string{"bad", "good"}},
		{"bad", []string{"good", "bad"}},
	}
	for _, tt := range tests {
		p.Positive, want.Classes = tt.positive, tt.classes
		if got := setOf(p); !reflect.DeepEqual(got, want) {
			t.Errorf("positive %s: got %+v, want %+v", tt.positive, got, want)
		}
	}
}

// An evaluation is the same bytes every time: its bootstrap has a seed.
func TestEvaluatorIsDeterministic(t *testing.T) {
	p := training.Predictions{Label: "oof", Task: "regression", K: 2}
	for i := range 40 {
		p.Rows, p.Fold = append(p.Rows, i), append(p.Fold, i%2)
		p.Truth, p.Scores = append(p.Truth, float64(i)), append(p.Scores, float64(i)+float64(i*i%7)-3)
	}
	first, err := evaluator{}.Evaluate(p)
	if err != nil || len(first) < 100 {
		t.Fatalf("Evaluate = %s, %v", first, err)
	}
	second, err := evaluator{}.Evaluate(p)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("another time: %s, %v; want %s", second, err, first)
	}
	if _, err := (evaluator{}).Evaluate(training.Predictions{Task: "regression", Truth: []float64{1}}); err == nil {
		t.Error("predictions that do not fit together were evaluated")
	}
}
