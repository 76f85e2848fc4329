package xgboost

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ambit/internal/fault"
	"ambit/training"
)

const (
	maxCategory   = 4_095 // codes are taken as sizes: one of ten million stalls the library
	maxColumns    = 1 << 20
	maxRows       = math.MaxInt32
	maxComplaints = 20 // told at once
)

// checkFit returns an invalid fault that lists what is wrong with a fit, or
// nil. The library itself accepts most of this in silence, or dies of it.
func checkFit(fit training.Fit) error {
	c := complaints{fields: checkParams(fit)}
	checkTable(&c, "train", fit.Train, fit.Train, fit.Params)
	checkLabels(&c, "train", fit.Train, fit.Params)
	if fit.Valid != nil {
		checkTable(&c, "valid", *fit.Valid, fit.Train, fit.Params)
		checkLabels(&c, "valid", *fit.Valid, fit.Params)
	}
	for i, m := range fit.Predict {
		checkTable(&c, fmt.Sprintf("predict[%d]", i), m, fit.Train, fit.Params)
	}
	return c.fault()
}

// checkTable checks a matrix's shape, that it fits the train matrix, and its values.
func checkTable(c *complaints, path string, m, train training.Matrix, p training.Params) {
	shape := c.must(m.Rows > 0 && m.Rows <= maxRows, path+".rows", "must have at least one row") &&
		c.must(m.Cols > 0 && m.Cols <= maxColumns, path+".cols", "must have at least one column")
	if !shape || !c.must(len(m.Data) == m.Rows*m.Cols, path+".data", "must have rows × columns values") {
		return
	}
	c.must(m.Cols == train.Cols, path+".cols", fmt.Sprintf("must have the %d columns of train", train.Cols))
	checkCategories(c, path, m, train, p)
	checkValues(c, path, m)
}

func checkCategories(c *complaints, path string, m, train training.Matrix, p training.Params) {
	if m.Categories == nil && train.Categories == nil {
		return
	}
	c.must(len(m.Categories) == m.Cols, path+".categories", "must have one value a column")
	c.must(slices.Equal(m.Categories, train.Categories), path+".categories", "must be those of train")
	if !slices.Contains(m.Categories, true) {
		return
	}
	c.must(p.TreeMethod != "exact", "params.tree_method", "must not be exact with columns of categories: it takes codes for numbers")
	c.must(p.Booster != "gblinear", "params.booster", "must not be gblinear with columns of categories: it takes codes for numbers")
}

// checkValues finds infinities, a table without a value, and what is no category code.
func checkValues(c *complaints, path string, m training.Matrix) {
	some := false
	for i, v := range m.Data {
		if v-v == 0 {
			some = true
		} else if v == v {
			c.add(path+".data", fmt.Sprintf("row %d, column %d is infinite; a missing value is NaN", i/m.Cols, i%m.Cols))
			return
		}
	}
	c.must(some, path+".data", "must hold at least one value that is not missing")
	for col := range m.Cols {
		if isCategory(m, col) && !checkCodes(c, path, m, col) {
			return
		}
	}
}

// checkCodes finds the first value of a column of categories that is no code.
func checkCodes(c *complaints, path string, m training.Matrix, col int) bool {
	for row := range m.Rows {
		v := m.Data[row*m.Cols+col]
		if v == v && !(v >= 0 && v <= maxCategory && v == float32(int32(v))) {
			c.add(path+".data", fmt.Sprintf("row %d, column %d: %g is no category code; codes are whole numbers in [0, %d]", row, col, v, maxCategory))
			return false
		}
	}
	return true
}

func isCategory(m training.Matrix, col int) bool {
	return col < len(m.Categories) && m.Categories[col]
}

// checkLabels checks labels and weights.
func checkLabels(c *complaints, path string, m training.Matrix, p training.Params) {
	checkWeights(c, path, m)
	if !c.must(len(m.Label) == m.Rows, path+".label", "must have one label a row") {
		return
	}
	seen := map[float32]bool{}
	for i, y := range m.Label {
		if rule := labelRule(y, p); rule != "" {
			c.add(path+".label", fmt.Sprintf("row %d: %g %s", i, y, rule))
			return
		}
		if len(seen) <= maxClasses {
			seen[y] = true
		}
	}
	checkSpread(c, path, seen, p)
}

// labelRule returns the rule that a label breaks, or "".
func labelRule(y float32, p training.Params) string {
	zeroOne := p.Objective == "binary:logistic" || p.Objective == "reg:squarederror" && p.Metric == "auc"
	switch {
	case y != y || math.IsInf(float64(y), 0):
		return "is not finite"
	case zeroOne && y != 0 && y != 1:
		return "must be 0 or 1"
	case p.Metric == "logloss" && (y < 0 || y > 1):
		return "must lie in [0, 1] for metric logloss"
	case p.Objective == "multi:softprob" && (y < 0 || y >= float32(p.Classes) || y != float32(int32(y))):
		return fmt.Sprintf("must be a whole number in [0, %d]", p.Classes-1)
	}
	return ""
}

// checkSpread checks that the labels tell classes apart: with one class only
// there is nothing to learn, and no AUC.
func checkSpread(c *complaints, path string, seen map[float32]bool, p training.Params) {
	switch {
	case p.Objective == "binary:logistic", p.Metric == "auc" && p.Objective == "reg:squarederror":
		c.must(len(seen) == 2, path+".label", "must hold both classes")
	case p.Objective == "multi:softprob" && p.Metric == "auc":
		c.must(len(seen) == p.Classes, path+".label", "must hold every class for metric auc")
	case p.Objective == "multi:softprob" && path == "train":
		c.must(len(seen) > 1, path+".label", "must hold at least two classes")
	}
}

func checkWeights(c *complaints, path string, m training.Matrix) {
	if len(m.Weight) == 0 {
		return
	}
	if !c.must(len(m.Weight) == m.Rows, path+".weight", "must have one weight a row") {
		return
	}
	sum := 0.0
	for i, w := range m.Weight {
		if !(w >= 0) || math.IsInf(float64(w), 0) {
			c.add(path+".weight", fmt.Sprintf("row %d: %g is not a finite number of at least 0", i, w))
			return
		}
		sum += float64(w)
	}
	c.must(sum > 0, path+".weight", "must have a sum above 0")
}

// complaints collects what is wrong with a request.
type complaints struct{ fields []fault.Field }

func (c *complaints) add(path, rule string) {
	if rule != "" {
		c.fields = append(c.fields, fault.Field{Path: path, Rule: rule})
	}
}

// must complains unless ok, and returns ok.
func (c *complaints) must(ok bool, path, rule string) bool {
	if !ok {
		c.add(path, rule)
	}
	return ok
}

func (c *complaints) oneOf(path, value string, valid []string) {
	if !slices.Contains(valid, value) {
		shown := slices.DeleteFunc(slices.Clone(valid), func(v string) bool { return v == "" })
		c.fields = append(c.fields, fault.Field{Path: path, Rule: "must be one of " + strings.Join(shown, ", "), Valid: shown})
	}
}

func (c *complaints) fault() error {
	return fault.InvalidFields(c.fields[:min(len(c.fields), maxComplaints)])
}
