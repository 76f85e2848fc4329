package metrics

import "math"

// LogLossClip keeps probabilities off 0 and 1 in log loss, so that one sure and
// wrong row cannot make it infinite.
const LogLossClip = 1e-7

// LogLoss returns the mean of -ln of the probability given to the true label, in
// nats, p being that of label 1. Probabilities are clipped at LogLossClip.
func LogLoss(y, p, w []float64) Value { return logLoss(y, p, w, LogLossClip) }

func logLoss(y, p, w []float64, eps float64) Value {
	if why := checkProbability(y, p, w); why != "" {
		return Undefined(why)
	}
	return mean(len(y), w, func(i int) float64 {
		q := clip(p[i], eps)
		if y[i] == 1 {
			return -math.Log(q)
		}
		return -math.Log1p(-q)
	})
}

// Brier returns the mean of (p - y)^2.
func Brier(y, p, w []float64) Value {
	if why := checkProbability(y, p, w); why != "" {
		return Undefined(why)
	}
	return mean(len(y), w, func(i int) float64 { return (p[i] - y[i]) * (p[i] - y[i]) })
}

// LogLossMulti returns the mean of -ln of the probability given to the true
// class, in nats, over k classes, whether or not each occurs in y. Probabilities
// are clipped at LogLossClip, and each row scaled to sum 1.
func LogLossMulti(y []int, p []float64, k int, w []float64) Value {
	if why := checkClasses(y, p, k, w); why != "" {
		return Undefined(why)
	}
	return mean(len(y), w, func(i int) float64 { return rowLoss(y[i], p[i*k:(i+1)*k]) })
}

func rowLoss(class int, p []float64) float64 {
	sum := 0.0
	for _, v := range p {
		sum += clip(v, LogLossClip)
	}
	return math.Log(sum) - math.Log(clip(p[class], LogLossClip))
}

// BrierMulti returns the mean over the rows of the squared distance between the
// probabilities and the true class, in [0, 2].
func BrierMulti(y []int, p []float64, k int, w []float64) Value {
	if why := checkClasses(y, p, k, w); why != "" {
		return Undefined(why)
	}
	return mean(len(y), w, func(i int) float64 {
		sum := 0.0
		for c, v := range p[i*k : (i+1)*k] {
			if c == y[i] {
				v--
			}
			sum += v * v
		}
		return sum
	})
}
