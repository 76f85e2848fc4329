package training

import (
	"fmt"
	"math"

	"ambit/metrics"
	"ambit/plans"
)

// score returns the metric of predictions for the rows of a target.
func score(metric plans.Metric, t target, scores []float64) (float64, error) {
	var v metrics.Value
	switch {
	case metric.Name == "auc":
		v = metrics.AUC(t.label, scores, nil)
	case metric.Name == "logloss" && t.task == plans.Binary:
		v = metrics.LogLoss(t.label, scores, nil)
	case metric.Name == "logloss":
		v = metrics.LogLossMulti(t.class, scores, t.width, nil)
	case metric.Name == "rmse":
		v = metrics.RMSE(t.label, scores, nil)
	default:
		return 0, fmt.Errorf("no metric %q", metric.Name)
	}
	if !v.OK {
		return 0, fmt.Errorf("%s of a fold is undefined: %s", metric.Name, v.Reason)
	}
	return v.V, nil
}

// meanSE returns the mean of the scores of folds and its standard error, the
// sample's standard deviation over the root of their number.
func meanSE(folds []float64) (cv, se float64) {
	k := float64(len(folds))
	cv = mean(folds)
	squares := 0.0
	for _, v := range folds {
		squares += (v - cv) * (v - cv)
	}
	if k < 2 {
		return cv, 0
	}
	return cv, math.Sqrt(squares/(k-1)) / math.Sqrt(k)
}
