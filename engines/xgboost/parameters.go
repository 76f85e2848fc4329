package xgboost

import (
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ambit/internal/fault"
	"ambit/training"
)

const (
	maxRounds  = 10_000
	maxTrees   = 1_000_000 // rounds × classes × parallel trees
	maxClasses = 1_000
	maxDepth   = 64
	maxLeaves  = 1_024
	smallRows  = 10_000 // below: one thread, and exact beats hist
)

// objectives lists what may be optimised and the metrics that may be watched
// then; the first metric is the library's own choice.
var objectives = map[string][]string{
	"binary:logistic":  {"logloss", "auc", "rmse"},
	"reg:squarederror": {"rmse", "logloss", "auc"}, // the latter two when labels are 0 and 1
	"multi:softprob":   {"mlogloss", "auc"},
}

var boosters = []string{"gbtree", "gblinear", "dart"}

// number is a numeric parameter: where it may lie, and for which boosters it means something.
type number struct {
	name     string
	value    *float64
	min, max float64
	above    bool   // min itself is refused
	boosters string // space-separated
	whole    bool
}

const (
	trees = "gbtree dart"
	all   = "gbtree dart gblinear"
)

// numbers is the list of numeric parameters. What is not here cannot pass.
func numbers(p training.Params) []number {
	return []number{
		{name: "eta", value: p.Eta, max: 1, above: true, boosters: all},
		{name: "max_depth", value: float(p.MaxDepth), max: maxDepth, boosters: trees, whole: true},
		{name: "max_leaves", value: float(p.MaxLeaves), max: maxLeaves, boosters: trees, whole: true},
		{name: "max_bin", value: float(p.MaxBin), min: 2, max: 65_536, boosters: trees, whole: true},
		{name: "min_child_weight", value: p.MinChild, max: 1e9, boosters: trees},
		{name: "gamma", value: p.Gamma, max: 1e9, boosters: trees},
		{name: "subsample", value: p.Subsample, max: 1, above: true, boosters: trees},
		{name: "colsample_bytree", value: p.ColTree, max: 1, above: true, boosters: trees},
		{name: "colsample_bylevel", value: p.ColLevel, max: 1, above: true, boosters: trees},
		{name: "colsample_bynode", value: p.ColNode, max: 1, above: true, boosters: trees},
		{name: "lambda", value: p.Lambda, max: 1e9, boosters: all},
		{name: "alpha", value: p.Alpha, max: 1e9, boosters: all},
		{name: "base_score", value: p.BaseScore, min: -1e30, max: 1e30, boosters: all},
		{name: "scale_pos_weight", value: p.PosWeight, max: 1e6, above: true, boosters: all},
		{name: "max_delta_step", value: p.MaxDelta, max: 1e6, boosters: trees},
		{name: "num_parallel_tree", value: float(p.Parallel), min: 1, max: 10_000, boosters: trees, whole: true},
		{name: "rate_drop", value: p.RateDrop, max: 1, boosters: "dart"},
	}
}

func float(i *int) *float64 {
	if i == nil {
		return nil
	}
	f := float64(*i)
	return &f
}

// wrong says what is wrong with a number under a booster, or "".
func (n number) wrong(booster string) string {
	switch {
	case n.value == nil:
		return ""
	case !slices.Contains(strings.Fields(n.boosters), booster):
		return "has no meaning for booster " + booster + "; leave it out"
	case !(*n.value <= n.max) || *n.value < n.min || n.above && *n.value == n.min:
		bracket := "["
		if n.above {
			bracket = "("
		}
		return "must lie in " + bracket + format(n.min) + ", " + format(n.max) + "]"
	}
	return ""
}

// checkParams returns what is wrong with the parameters of a fit.
func checkParams(fit training.Fit) []fault.Field {
	p := fit.Params
	var c complaints
	c.oneOf("params.booster", p.Booster, boosters)
	c.oneOf("params.objective", p.Objective, objectiveNames())
	if p.Metric != "" || fit.Valid != nil {
		c.oneOf("params.metric", p.Metric, objectives[p.Objective])
	}
	for _, n := range numbers(p) {
		c.add("params."+n.name, n.wrong(p.Booster))
	}
	if p.Threads < 0 || p.Threads > 1024 {
		c.add("params.threads", "must lie in [0, 1024]; 0 is 1")
	}
	checkClasses(&c, p)
	checkTrees(&c, p)
	checkBase(&c, p)
	checkMonotone(&c, fit)
	checkRounds(&c, fit)
	return c.fields
}

func checkClasses(c *complaints, p training.Params) {
	switch multi := p.Objective == "multi:softprob"; {
	case multi && (p.Classes < 2 || p.Classes > maxClasses):
		c.add("params.classes", "must lie in [2, 1000] for multi:softprob")
	case !multi && p.Classes != 0:
		c.add("params.classes", "has a meaning for multi:softprob only; leave it out")
	}
	if p.PosWeight != nil && p.Objective != "binary:logistic" {
		c.add("params.scale_pos_weight", "has a meaning for binary:logistic only; leave it out")
	}
}

// checkTrees checks how trees are grown. The exact method grows by depth and
// reads codes as numbers, and says nothing when asked for more.
func checkTrees(c *complaints, p training.Params) {
	if p.Booster == "gblinear" {
		c.must(p.TreeMethod == "", "params.tree_method", "has no meaning for booster gblinear; leave it out")
		c.must(p.GrowPolicy == "", "params.grow_policy", "has no meaning for booster gblinear; leave it out")
		return
	}
	c.oneOf("params.tree_method", p.TreeMethod, []string{"", "hist", "exact", "approx"})
	c.oneOf("params.grow_policy", p.GrowPolicy, []string{"", "depthwise", "lossguide"})
	if p.TreeMethod == "exact" {
		c.must(p.GrowPolicy != "lossguide", "params.grow_policy", "must be depthwise under tree_method exact")
		c.must(p.MaxLeaves == nil, "params.max_leaves", "has no meaning under tree_method exact; leave it out")
		c.must(p.MaxBin == nil, "params.max_bin", "has no meaning under tree_method exact; leave it out")
	}
	leaves := p.MaxLeaves != nil && *p.MaxLeaves > 0
	if p.MaxDepth != nil && *p.MaxDepth == 0 && !leaves {
		c.add("params.max_depth", "may be 0 only when max_leaves bounds the tree")
	}
}

func checkBase(c *complaints, p training.Params) {
	if p.BaseScore == nil || p.Objective != "binary:logistic" {
		return
	}
	if b := *p.BaseScore; !(b >= 1e-6 && b <= 1-1e-6) {
		c.add("params.base_score", "must be a probability in [0.000001, 0.999999] for binary:logistic")
	}
}

func checkMonotone(c *complaints, fit training.Fit) {
	constraints, cols := fit.Params.Monotone, fit.Train.Cols
	if constraints == nil {
		return
	}
	c.must(fit.Params.Booster != "gblinear", "params.monotone_constraints", "has no meaning for booster gblinear; leave it out")
	c.must(len(constraints) == cols, "params.monotone_constraints", "must have one value a column: "+strconv.Itoa(cols))
	for i, v := range constraints {
		path := "params.monotone_constraints[" + strconv.Itoa(i) + "]"
		c.must(v >= -1 && v <= 1, path, "must be -1, 0 or 1")
		c.must(v == 0 || !isCategory(fit.Train, i), path, "must be 0 for a column of categories")
	}
}

func checkRounds(c *complaints, fit training.Fit) {
	c.must(fit.Rounds >= 1 && fit.Rounds <= maxRounds, "rounds", "must lie in [1, 10000]")
	c.must(fit.Patience >= 0, "patience", "must not be negative")
	c.must(fit.Patience <= 0 || fit.Valid != nil, "patience", "needs rows to watch (valid)")
	parallel := 1
	if p := fit.Params.Parallel; p != nil {
		parallel = *p
	}
	if total := float64(fit.Rounds) * float64(max(1, fit.Params.Classes)) * float64(parallel); total > maxTrees {
		c.add("rounds", "rounds × classes × parallel trees must not exceed 1000000")
	}
}

func objectiveNames() []string {
	return []string{"binary:logistic", "reg:squarederror", "multi:softprob"}
}

// settings returns the parameters of a checked fit in the order in which the
// library gets them.
func settings(fit training.Fit) []setting {
	p := fit.Params
	out := []setting{
		{"booster", p.Booster}, {"objective", p.Objective}, {"validate_parameters", "1"},
		{"eval_metric", metric(fit)}, {"seed", strconv.FormatInt(p.Seed, 10)},
		{"nthread", strconv.Itoa(threads(fit, runtime.GOMAXPROCS(0)))},
	}
	if p.Classes > 0 {
		out = append(out, setting{"num_class", strconv.Itoa(p.Classes)})
	}
	if p.Booster == "gblinear" { // the default, shotgun, depends on how its threads race
		out = append(out, setting{"updater", "coord_descent"})
	} else {
		out = append(out, setting{"tree_method", treeMethod(fit)})
	}
	if p.GrowPolicy != "" {
		out = append(out, setting{"grow_policy", p.GrowPolicy})
	}
	for _, n := range numbers(p) {
		if n.value != nil {
			out = append(out, setting{n.name, format(*n.value)})
		}
	}
	if p.Monotone != nil {
		out = append(out, setting{"monotone_constraints", tuple(p.Monotone)})
	}
	return out
}

// metric returns the watched metric, or, when none is watched, the loss that
// tells a diverged fit.
func metric(fit training.Fit) string {
	if fit.Valid != nil {
		return fit.Params.Metric
	}
	return objectives[fit.Params.Objective][0]
}

// treeMethod returns the plan's method; without one, exact where it is faster
// and possible, else hist.
func treeMethod(fit training.Fit) string {
	p := fit.Params
	switch {
	case p.TreeMethod != "":
		return p.TreeMethod
	case fit.Train.Rows >= smallRows, p.GrowPolicy == "lossguide", p.MaxLeaves != nil, p.MaxBin != nil,
		slices.Contains(fit.Train.Categories, true):
		return "hist"
	}
	return "exact"
}

// bins tells how the library cuts columns for a fit. It keeps its cuts with the
// matrix, and would use those of another method again.
func bins(fit training.Fit) string {
	if fit.Params.Booster == "gblinear" {
		return ""
	}
	key := treeMethod(fit)
	if b := fit.Params.MaxBin; b != nil {
		key += " " + strconv.Itoa(*b)
	}
	return key
}

// threads returns min(plan, available), and 1 for small tables, where threads
// cost more than they bring. The library does not see a container's limit;
// available, GOMAXPROCS, does.
func threads(fit training.Fit, available int) int {
	if fit.Train.Rows < smallRows {
		return 1
	}
	return max(1, min(fit.Params.Threads, available))
}

func tuple(values []int) string {
	text := make([]string, len(values))
	for i, v := range values {
		text[i] = strconv.Itoa(v)
	}
	return "(" + strings.Join(text, ",") + ")"
}

func format(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
