package metrics

import (
	"math"
	"slices"
)

// RMSE returns the root of the mean squared error, in the target's unit.
func RMSE(y, p, w []float64) Value {
	mse := MSE(y, p, w)
	if !mse.OK {
		return mse
	}
	return Defined(math.Sqrt(mse.V))
}

// MSE returns the mean squared error, in the target's unit squared.
func MSE(y, p, w []float64) Value {
	return meanOf(y, p, w, func(y, p float64) float64 { return (y - p) * (y - p) })
}

// MAE returns the mean absolute error, in the target's unit.
func MAE(y, p, w []float64) Value {
	return meanOf(y, p, w, func(y, p float64) float64 { return abs(y - p) })
}

// MedianAE returns the median absolute error, in the target's unit, without weights.
func MedianAE(y, p []float64) Value {
	if why := checkRows(nil, y, p); why != "" {
		return Undefined(why)
	}
	e := make([]float64, len(y))
	for i := range y {
		e[i] = abs(y[i] - p[i])
	}
	return Quantile(e, 0.5)
}

// R2 returns the share of the variance around the mean of y that p explains, at
// most 1. A constant y is NoSpread.
func R2(y, p, w []float64) Value {
	if why := checkRows(w, y, p); why != "" {
		return Undefined(why)
	}
	m := mean(len(y), w, func(i int) float64 { return y[i] })
	if !m.OK {
		return m
	}
	return R2Against(y, p, w, m.V)
}

// R2Against returns R2 with the variance taken around a given baseline: on a
// holdout, the mean of the training part, which is what a model without features
// would have said.
func R2Against(y, p, w []float64, baseline float64) Value {
	if why := checkRows(w, y, p); why != "" {
		return Undefined(why)
	}
	if !finite(baseline) {
		return Undefined(NotFinite)
	}
	if !spread(y, w) {
		return Undefined(NoSpread)
	}
	mse := MSE(y, p, w)
	base := mean(len(y), w, func(i int) float64 { return (y[i] - baseline) * (y[i] - baseline) })
	if !mse.OK || !base.OK {
		return Undefined(Overflow)
	}
	if base.V == 0 {
		return Undefined(NoSpread)
	}
	return Defined(1 - mse.V/base.V)
}

// spread reports whether the rows of any weight have more than one y.
func spread(y, w []float64) bool {
	first, seen := 0.0, false
	for i, v := range y {
		if weigh(w, i) == 0 {
			continue
		}
		if seen && v != first {
			return true
		}
		first, seen = v, true
	}
	return false
}

// RMSLE returns the root mean squared error of ln(1+y). OutOfRange if any y or p
// is -1 or less.
func RMSLE(y, p, w []float64) Value {
	for _, column := range [][]float64{y, p} {
		for _, v := range column {
			if v <= -1 {
				return Undefined(OutOfRange)
			}
		}
	}
	v := meanOf(y, p, w, func(y, p float64) float64 {
		d := math.Log1p(p) - math.Log1p(y)
		return d * d
	})
	if !v.OK {
		return v
	}
	return Defined(math.Sqrt(v.V))
}

// MAPE returns the mean of |y-p|/|y| over the rows where y is not 0 (0.1 is 10%),
// and how many rows were left out for their y of 0.
func MAPE(y, p, w []float64) (v Value, excluded int) {
	if why := checkRows(w, y, p); why != "" {
		return Undefined(why), 0
	}
	kept := make([]float64, len(y))
	for i := range y {
		if y[i] == 0 {
			excluded++
			continue
		}
		kept[i] = weigh(w, i)
	}
	if why := checkWeight(kept, len(kept)); why != "" {
		return Undefined(ZeroScale), excluded
	}
	return mean(len(y), kept, func(i int) float64 { return abs(y[i]-p[i]) / abs(y[i]) }), excluded
}

// SMAPE returns the mean of 2|y-p| / (|y|+|p|), in [0, 2]; a row where both are 0
// counts 0.
func SMAPE(y, p, w []float64) Value {
	return meanOf(y, p, w, func(y, p float64) float64 {
		if y == p {
			return 0
		}
		// Halves first, so that the sum cannot overflow.
		return abs(y/2-p/2) * 2 / (abs(y)/2 + abs(p)/2)
	})
}

func meanOf(y, p, w []float64, f func(y, p float64) float64) Value {
	if why := checkRows(w, y, p); why != "" {
		return Undefined(why)
	}
	return mean(len(y), w, func(i int) float64 { return f(y[i], p[i]) })
}

// Quantile returns the q-quantile of x, q in [0, 1], linear between order
// statistics (type 7, as NumPy's default).
func Quantile(x []float64, q float64) Value {
	if why := checkRows(nil, x); why != "" {
		return Undefined(why)
	}
	if !(q >= 0 && q <= 1) {
		return Undefined(BadArgument)
	}
	return Defined(quantile(slices.Sorted(slices.Values(x)), q))
}

// quantile needs sorted finite x, not empty.
func quantile(x []float64, q float64) float64 {
	at := q * float64(len(x)-1)
	i := min(int(at), len(x)-1)
	if i == len(x)-1 || at == float64(i) {
		return x[i]
	}
	t := at - float64(i)
	return x[i]*(1-t) + x[i+1]*t
}
