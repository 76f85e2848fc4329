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
	trees := forestTrees
	if p.x.Rows >= largeTable {
		trees = forestTreesLarge
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
		TreeMethod: p.deepMethod(), Parallel: ptr(trees), Eta: ptr(1.0), MaxDepth: ptr(30), MinChild: ptr(0.0),
		Subsample: ptr(0.63), ColNode: ptr(columns), Lambda: ptr(1e-3), BaseScore: ptr(base),
	}
}

const (
	exactRows   = 10_000 // from here on, binning is faster than looking at every value
	levelsShare = 0.9    // of the columns
)

// deepMethod returns the faster way to grow trees to the end. They have many
// nodes of few rows: looking at every row at each depth is then cheaper than
// looking at every bin at each node, unless nearly all columns have two bins.
func (p part) deepMethod() string {
	levels := 0
	for _, c := range p.columns {
		if c.level {
			levels++
		}
	}
	if p.x.Rows >= exactRows || float64(levels) >= levelsShare*float64(len(p.columns)) {
		return "hist"
	}
	return "exact"
}
