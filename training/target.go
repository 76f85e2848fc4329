package training

import (
	"math"

	"ambit/datasets"
	"ambit/plans"
)

// target is what is learnt, for the rows of a table that have one.
type target struct {
	task  plans.Task
	rows  []int     // ordinals in the table, ascending
	label []float64 // of rows: 1 for the positive class and 0, a class index, or the value
	class []int     // of rows: class index in ascending text order; nil for a regression
	width int       // classes; 1 for a regression
}

// readAs returns the form in which a target of the task is read.
func readAs(task plans.Task) datasets.ReadAs {
	if task == plans.Regression {
		return datasets.AsFloat64
	}
	return datasets.AsLevels
}

// newTarget returns the target that spec describes. Rows without a value, or of
// a class that is not among the spec's, have no target.
func newTarget(spec plans.Spec, s datasets.Series) target {
	if spec.Task == plans.Regression {
		return valueTarget(s)
	}
	t := target{task: spec.Task, width: len(spec.Classes)}
	index := make(map[string]int, len(spec.Classes))
	for i, c := range spec.Classes {
		index[c.Value] = i
	}
	for row, code := range s.Codes {
		if code < 0 {
			continue
		}
		c, ok := index[s.Levels[code]]
		if !ok {
			continue
		}
		t.rows = append(t.rows, row)
		t.class = append(t.class, c)
		t.label = append(t.label, label(spec, c))
	}
	return t
}

// label returns what the engine learns of a class.
func label(spec plans.Spec, class int) float64 {
	if spec.Task == plans.Multiclass {
		return float64(class)
	}
	if spec.Classes[class].Value == spec.Positive {
		return 1
	}
	return 0
}

func valueTarget(s datasets.Series) target {
	t := target{task: plans.Regression, width: 1}
	for row, v := range s.Float64 {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			t.rows = append(t.rows, row)
			t.label = append(t.label, v)
		}
	}
	return t
}

// folds deals the rows of the target.
func (t target) folds(split plans.Split) []int { return deal(len(t.rows), t.class, split) }

// pick returns the target of the rows at places.
func (t target) pick(places []int) target {
	p := t
	p.rows, p.label, p.class = pickInts(t.rows, places), make([]float64, len(places)), nil
	for i, at := range places {
		p.label[i] = t.label[at]
	}
	if t.class != nil {
		p.class = pickInts(t.class, places)
	}
	return p
}

func pickInts(from, places []int) []int {
	out := make([]int, len(places))
	for i, at := range places {
		out[i] = from[at]
	}
	return out
}

// counts returns how many rows each class has.
func (t target) counts() []int {
	n := make([]int, t.width)
	for _, c := range t.class {
		n[c]++
	}
	return n
}
