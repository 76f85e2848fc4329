package evaluation

import (
	"fmt"
	"math"
	"slices"

	"ambit/internal/fault"
	"ambit/metrics"
)

// maxFolds bounds what an evaluation lists; more folds are a mistaken column.
const maxFolds = 200

// probabilitySum is how far a row of probabilities may be from 1.
const probabilitySum = 1e-3

// check returns every field that is wrong, as an invalid fault.
func check(set Set, opts Options) error {
	c := &checker{rows: len(set.Y)}
	c.want(slices.Contains(labels, string(opts.Label)), "label", "must say which rows these are", labels...)
	c.want(slices.Contains(tasks, string(set.Task)), "task", "must be a task that can be evaluated", tasks...)
	c.want(opts.Reps >= 0 && opts.Reps <= maxReps, "reps", fmt.Sprintf("must be 0 to %d", maxReps))
	c.want(slices.Contains(objectives, string(opts.Objective)), "objective", "must be an objective", objectives[1:]...)
	c.want(c.rows > 0, "y", "must have at least one row")
	if len(c.fields) == 0 {
		c.set(set)
	}
	return fault.InvalidFields(c.fields)
}

var (
	labels     = []string{string(OOF), string(Holdout), string(External)}
	tasks      = []string{string(metrics.Binary), string(metrics.Multiclass), string(metrics.Regression)}
	objectives = []string{"", string(metrics.ForF1), string(metrics.ForBalancedAccuracy)}
)

type checker struct {
	rows   int
	fields []fault.Field
}

func (c *checker) want(ok bool, path, rule string, valid ...string) bool {
	if !ok {
		c.fields = append(c.fields, fault.Field{Path: path, Rule: rule, Valid: valid})
	}
	return ok
}

// set checks the columns of a set of a known task.
func (c *checker) set(set Set) {
	k := c.classes(set)
	if k < 1 {
		return
	}
	if c.length("y", len(set.Y), c.rows) && c.finite("y", set.Y) && set.Task != metrics.Regression {
		c.want(allIndex(set.Y, k), "y", fmt.Sprintf("must be class indices, 0 to %d", k-1))
	}
	width := 1
	if set.Task == metrics.Multiclass {
		width = k
	}
	if c.length("prediction", len(set.Prediction), c.rows*width) && c.finite("prediction", set.Prediction) && set.Task != metrics.Regression {
		c.probabilities(set.Prediction, width)
	}
	c.optional(set)
}

// classes returns the number of classes, 1 for a regression, 0 if it is wrong.
func (c *checker) classes(set Set) int {
	n := len(set.Classes)
	switch set.Task {
	case metrics.Binary:
		if c.want(n == 2, "classes", "must be the negative and the positive class") {
			return n
		}
	case metrics.Multiclass:
		if c.want(n >= 2 && n <= metrics.MaxClasses, "classes", fmt.Sprintf("must be 2 to %d classes", metrics.MaxClasses)) {
			return n
		}
	case metrics.Regression:
		if c.want(n == 0, "classes", "must be empty for a regression") {
			return 1
		}
	}
	return 0
}

func (c *checker) length(path string, got, want int) bool {
	return c.want(got == want, path, fmt.Sprintf("must have %d entries, has %d", want, got))
}

func (c *checker) finite(path string, x []float64) bool {
	bad := 0
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			bad++
		}
	}
	return c.want(bad == 0, path, fmt.Sprintf("must be finite numbers; %d of %d are not", bad, len(x)))
}

func (c *checker) probabilities(p []float64, width int) {
	outside, off := 0, 0
	for i := 0; i < len(p); i += width {
		sum := 0.0
		for _, v := range p[i : i+width] {
			sum += v
			if v < 0 || v > 1 {
				outside++
			}
		}
		if width > 1 && math.Abs(sum-1) > probabilitySum {
			off++
		}
	}
	c.want(outside == 0, "prediction", fmt.Sprintf("must be probabilities, 0 to 1; %d are not", outside))
	c.want(off == 0, "prediction", fmt.Sprintf("must sum to 1 in each row; %d rows do not", off))
}

// optional checks the columns that may be absent.
func (c *checker) optional(set Set) {
	if set.Weight != nil && c.length("weight", len(set.Weight), c.rows) && c.finite("weight", set.Weight) {
		v := metrics.MAE(set.Weight, make([]float64, c.rows), set.Weight)
		c.want(v.OK, "weight", "must be 0 or greater, of ordinary size, and not all 0")
	}
	if set.Fold != nil && c.length("fold", len(set.Fold), c.rows) {
		c.want(len(distinct(set.Fold)) <= maxFolds, "fold", fmt.Sprintf("must name at most %d folds", maxFolds))
	}
	if set.Group != nil {
		c.length("group", len(set.Group), c.rows)
	}
	if set.ID != nil {
		c.length("id", len(set.ID), c.rows)
	}
}

func allIndex(y []float64, k int) bool {
	for _, v := range y {
		if v != math.Trunc(v) || v < 0 || v >= float64(k) {
			return false
		}
	}
	return true
}

func distinct(x []int) []int { return slices.Compact(slices.Sorted(slices.Values(x))) }
