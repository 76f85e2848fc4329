package training

import (
	"context"

	"ambit/plans"
)

// fitFloor says the same of every row: the share of each class, or the mean.
func fitFloor(_ context.Context, p part, _ fitter) (fitted, error) {
	t := p.target
	if t.task != plans.Multiclass {
		return fitted{prior: []float64{mean(t.label)}}, nil
	}
	prior := make([]float64, t.width)
	for c, n := range t.counts() {
		prior[c] = float64(n) / float64(len(t.rows))
	}
	return fitted{prior: prior}, nil
}
