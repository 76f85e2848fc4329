package training

import (
	"fmt"

	"ambit/metrics"
	"ambit/plans"
)

// score returns the metric of predictions for the rows of a target.
func score(metric plans.Metric, t target, scores []float64) (float64, error) {
	m, ok := metrics.Lookup(metric.Name)
	if !ok {
		return 0, fmt.Errorf("no metric %q", metric.Name)
	}
	var v metrics.Value
	switch t.task {
	case plans.Binary:
		v = m.Binary(t.label, scores, nil)
	case plans.Multiclass:
		v = m.Multiclass(t.class, scores, t.width, nil)
	default:
		v = m.Regression(t.label, scores, nil)
	}
	if !v.OK {
		return 0, fmt.Errorf("the %s of a fold is undefined: %s", metric.Name, v.Reason)
	}
	return v.V, nil
}

// meanSE returns the mean of the scores of folds and its standard error, 0 for
// one fold.
func meanSE(folds []float64) (cv, se float64) {
	values := make([]metrics.Value, len(folds))
	for i, v := range folds {
		values[i] = metrics.Defined(v)
	}
	spread := metrics.MeanOfFolds(values)
	if spread.SE.OK {
		se = spread.SE.V
	}
	return spread.Mean.V, se
}
