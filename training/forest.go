package training

import (
	"context"
	"math"

	"ambit/plans"
)

// Settings of the forest: trees of one round, each on a sample of the rows, with
// a sample of the columns at each node, grown to the end.
const (
	forestTrees      = 300
	forestTreesLarge = 100    // where there are rows to make each tree big
	largeTable       = 20_000 // rows
	exactRows        = 10_000 // below, looking at every value is faster than binning
)

// fitForest fits a random forest. For classes it averages 0 and 1: one forest
// for the positive class, or one for each of several.
func fitForest(ctx context.Context, p part, fit fitter) (fitted, error) {
	out := fitted{}
	for class := range forests(p.target) {
		y := p.target.label
		if p.target.task == plans.Multiclass {
			y = isClass(p.target.class, class)
		}
		q := p
		q.x.Label = labels(y)
		if err := q.fitWhole(ctx, fit, q.forestParams(mean(y)), 1, &out); err != nil {
			return fitted{}, err
		}
	}
	return out, nil
}

// forests returns how many forests a target takes.
func forests(t target) int {
	if t.task == plans.Multiclass {
		return t.width
	}
	return 1
}

func isClass(class []int, c int) []float64 {
	y := make([]float64, len(class))
	for i, v := range class {
		if v == c {
			y[i] = 1
		}
	}
	return y
}

func (p part) forestParams(base float64) Params {
	trees, method := forestTrees, "exact"
	if p.x.Rows >= largeTable {
		trees = forestTreesLarge
	}
	if p.x.Rows >= exactRows {
		method = "hist"
	}
	columns := 1 / math.Sqrt(float64(p.x.Cols))
	if p.target.task == plans.Regression {
		columns = 0.9 // amounts need most columns at each node
	}
	if p.x.Cols < fewColumns {
		columns = 1
	}
	return Params{
		Booster: "gbtree", Objective: "reg:squarederror", Metric: "rmse", Seed: p.spec.Seed, Threads: 1,
		TreeMethod: method, Parallel: ptr(trees), Eta: ptr(1.0), MaxDepth: ptr(30), MinChild: ptr(0.0),
		Subsample: ptr(0.63), ColNode: ptr(columns), Lambda: ptr(1e-3), BaseScore: ptr(base),
	}
}
