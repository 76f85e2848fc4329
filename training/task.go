package training

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"ambit/datasets"
	"ambit/internal/fault"
	"ambit/plans"
)

const (
	inferredClasses = 20  // more distinct texts are a task only if the plan says so
	maxClasses      = 100 // of a target
	commonClass     = 10  // rows; a class with fewer is rare
	minRows         = 10  // with a target
)

// Values is what a target column holds.
type Values struct {
	Present int           // rows with a value
	Classes []plans.Class // distinct values in ascending text order; nil if there are too many to be classes
}

// countValues counts the values of a series that was read as levels.
func countValues(s datasets.Series) Values {
	rows := make([]int, len(s.Levels))
	v := Values{Classes: []plans.Class{}}
	for _, code := range s.Codes {
		if code >= 0 {
			rows[code]++
			v.Present++
		}
	}
	for i, n := range rows {
		if n > 0 {
			v.Classes = append(v.Classes, plans.Class{Value: s.Levels[i], Rows: n})
		}
	}
	return v
}

// InferTask returns what a target is to be learnt as: two values are binary; up
// to 20 texts are classes; fractions, and whole numbers of many values, are
// amounts. Whole numbers of few values are classes if each occurs in 10 rows or
// more, unless their counts rise and fall as those of a scale do; either way the
// warning task_ambiguous says what was taken.
// Faults: invalid, field target: no values, one value, no task.
func InferTask(column datasets.Column, v Values) (plans.Task, []datasets.Warning, error) {
	if err := v.check(); err != nil {
		return "", nil, err
	}
	n := len(v.Classes)
	switch k := kindOf(column); {
	case n == 2 && k != kindOther:
		return plans.Binary, nil, nil
	case k == kindText && n > inferredClasses:
		return "", nil, badTarget(fmt.Sprintf("has %d distinct texts, which are too many to be taken for classes", n),
			"Choose another target, or set task to multiclass (at most %d classes).", maxClasses)
	case k == kindText:
		return plans.Multiclass, nil, nil
	case k == kindFraction, k == kindWhole && (v.Classes == nil || n > inferredClasses):
		return plans.Regression, nil, nil
	case k == kindWhole && v.common() && !v.scale():
		return plans.Multiclass, ambiguous(n, plans.Multiclass, plans.Regression), nil
	case k == kindWhole:
		return plans.Regression, ambiguous(n, plans.Regression, plans.Multiclass), nil
	}
	return "", nil, badTarget("must hold numbers, texts or booleans", "Choose another target.")
}

// check refuses targets that nothing can be learnt of.
func (v Values) check() error {
	switch {
	case v.Present == 0:
		return badTarget("has no value in any row", "Choose another target.")
	case len(v.Classes) == 1:
		return badTarget("has the same value in every row", "Choose a target that differs between rows.")
	case v.Present < minRows:
		return badTarget(fmt.Sprintf("has a value in %d rows only; %d are the least to learn from", v.Present, minRows),
			"Add rows, or choose another target.")
	}
	return nil
}

// common reports whether every value occurs often enough to be a class.
func (v Values) common() bool {
	return !slices.ContainsFunc(v.Classes, func(c plans.Class) bool { return c.Rows < commonClass })
}

// scale reports whether the counts of five or more numbers rise to one peak
// inside their range and fall again: grades do, codes of classes hardly ever.
func (v Values) scale() bool {
	byNumber := slices.Clone(v.Classes)
	slices.SortFunc(byNumber, func(a, b plans.Class) int {
		x, _ := strconv.ParseFloat(a.Value, 64)
		y, _ := strconv.ParseFloat(b.Value, 64)
		return cmp.Compare(x, y)
	})
	peak, turns := 0, 0
	for i := 1; i < len(byNumber); i++ {
		up := byNumber[i].Rows > byNumber[i-1].Rows
		if up {
			peak = i
		}
		if i > 1 && up != (byNumber[i-1].Rows > byNumber[i-2].Rows) {
			turns++
		}
	}
	return len(byNumber) >= 5 && turns == 1 && peak > 0 && peak < len(byNumber)-1
}

func ambiguous(values int, taken, other plans.Task) []datasets.Warning {
	return []datasets.Warning{{
		Code:    "task_ambiguous",
		Message: fmt.Sprintf("The target holds %d whole numbers; they were taken for a %s task.", values, taken),
		Fix:     fmt.Sprintf("If they are not, set task to %s.", other),
	}}
}

// checkTask refuses a task that the target does not fit.
func checkTask(task plans.Task, column datasets.Column, v Values) error {
	if err := v.check(); err != nil {
		return err
	}
	n, many := len(v.Classes), v.Classes == nil
	switch {
	case task == plans.Regression && !kindOf(column).number():
		return invalid("task", "regression needs a target of numbers", "Set task to multiclass, or choose another target.")
	case task == plans.Binary && (many || n != 2):
		return invalid("task", "binary needs a target of exactly two values", "Leave task out to have it inferred.")
	case task == plans.Multiclass && (many || n > maxClasses || n < 3):
		return invalid("task", fmt.Sprintf("multiclass needs a target of 3 to %d values", maxClasses), "Leave task out to have it inferred.")
	}
	return nil
}

// dropRare leaves out classes of one row: they cannot be both learnt and tested.
func (v Values) dropRare() (Values, []datasets.Warning) {
	kept := Values{Classes: []plans.Class{}}
	for _, c := range v.Classes {
		if c.Rows > 1 {
			kept.Classes = append(kept.Classes, c)
			kept.Present += c.Rows
		}
	}
	dropped := len(v.Classes) - len(kept.Classes)
	if dropped == 0 {
		return v, nil
	}
	return kept, []datasets.Warning{{
		Code:    "class_dropped",
		Message: fmt.Sprintf("%d classes of the target have a single row each; these rows are left out.", dropped),
		Fix:     "Add rows of these classes, or merge them with others.",
	}}
}

// positiveClass returns the class that a binary model gives the probability of:
// the one asked for, else the rarer one, of equals the last in text order.
func positiveClass(classes []plans.Class, asked string) (string, error) {
	if asked == "" {
		if classes[0].Rows < classes[1].Rows {
			return classes[0].Value, nil
		}
		return classes[1].Value, nil
	}
	for _, c := range classes {
		if c.Value == asked {
			return asked, nil
		}
	}
	return "", fault.InvalidFields([]fault.Field{{
		Path: "positive", Rule: "must be a class of the target that has two rows or more",
		Valid: []string{classes[0].Value, classes[1].Value},
	}})
}

func badTarget(rule, fix string, args ...any) error { return invalid("target", rule, fix, args...) }

// invalid returns the fault of one wrong field, with how to mend it.
func invalid(path, rule, fix string, args ...any) error {
	f := fault.From(fault.InvalidFields([]fault.Field{{Path: path, Rule: rule}}))
	return f.WithFix(fix, args...)
}
