package training

import (
	"context"
	"fmt"

	"ambit/plans"
)

// Settings of ambit-0.
const (
	treesCap      = 1_000 // rounds
	treesPatience = 50
	innerFolds    = 5
	plainRounds   = 100 // taken as found where there are too few rows to find it
)

// fitTrees fits ambit-0, the fixed default of boosted trees: the number of
// rounds is found on one inner fold, and the model fitted again on all rows of
// the part with a tenth more.
func fitTrees(ctx context.Context, p part, fit fitter) (fitted, error) {
	params := p.params()
	params.TreeMethod, params.Eta, params.MaxDepth, params.MinChild = "hist", ptr(0.05), ptr(6), ptr(1.0)
	params.Subsample, params.ColTree = ptr(0.8), ptr(0.8)
	if p.x.Cols < fewColumns {
		params.ColTree = ptr(1.0)
	}
	best, seconds, err := p.bestRounds(ctx, fit, params)
	if err != nil {
		return fitted{}, err
	}
	out := fitted{seconds: seconds}
	err = p.fitWhole(ctx, fit, params, (11*best+5)/10, &out)
	return out, err
}

// bestRounds stops early on fold 0 of an inner split of the part.
func (p part) bestRounds(ctx context.Context, fit fitter, params Params) (best int, seconds float64, err error) {
	inner := p.target.folds(plans.Split{K: innerFolds, Seed: p.spec.Split.Seed + 1})
	watched, learnt := apart(inner, 0)
	if !p.hasClasses(watched) || !p.hasClasses(learnt) {
		return plainRounds, 0, nil
	}
	valid := take(p.x, watched)
	b, err := fit(ctx, Fit{Train: take(p.x, learnt), Valid: &valid, Params: params, Rounds: treesCap, Patience: treesPatience})
	if err != nil {
		return 0, 0, err
	}
	if b.Rounds == 0 {
		return 0, 0, fmt.Errorf("stopping early: the fit has no best round (%s)", b.Stopped)
	}
	return b.Rounds, b.Seconds, nil
}

// hasClasses reports whether every class has a row at these places; an amount
// needs one row.
func (p part) hasClasses(places []int) bool {
	if p.target.class == nil {
		return len(places) > 0
	}
	for _, n := range p.target.pick(places).counts() {
		if n == 0 {
			return false
		}
	}
	return true
}
