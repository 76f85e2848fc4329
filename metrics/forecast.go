package metrics

import "math"

// MASE returns MAE over the mean absolute change of the training part from one
// season to the next (Hyndman and Koehler 2006): below 1 beats the in-sample
// seasonal naive forecast. season is in steps, 1 for none. A training part that
// repeats itself is ZeroScale.
func MASE(y, p, train []float64, season int) Value {
	mae := MAE(y, p, nil)
	if !mae.OK {
		return mae
	}
	switch {
	case season < 1:
		return Undefined(BadArgument)
	case !allFinite(train):
		return Undefined(NotFinite)
	case len(train) <= season:
		return Undefined(TooFew)
	}
	n := len(train) - season
	scale := mean(n, nil, func(i int) float64 { return abs(train[i+season] - train[i]) })
	if !scale.OK {
		return scale
	}
	return ratio(mae.V, scale.V, ZeroScale)
}

// Skill returns 1 - mae/baseline, such as against the seasonal naive forecast: 0
// is as good, 1 perfect.
func Skill(mae, baseline float64) Value {
	if !finite(mae) || !finite(baseline) {
		return Undefined(NotFinite)
	}
	if baseline == 0 {
		return Undefined(ZeroScale)
	}
	return Defined(1 - mae/baseline)
}

// DieboldMariano tests whether two forecasts of the same steps differ in absolute
// error: the mean of |e1|-|e2|, below 0 if the first is better, with h-1
// autocovariances for a horizon of h steps and the factor of Harvey, Leybourne and
// Newbold (1997), t with n-1 degrees. A variance that is not positive falls back to
// lag 0. Errors that differ nowhere have P 1.
func DieboldMariano(e1, e2 []float64, h int) TTest {
	if why := checkRows(nil, e1, e2); why != "" {
		return noTTest(why)
	}
	n := len(e1)
	if h < 1 || h >= n {
		return noTTest(TooFew)
	}
	d := make([]float64, n)
	for i := range d {
		d[i] = abs(e1[i]) - abs(e2[i])
	}
	nf, hf := float64(n), float64(h)
	variance := autocovariance(d, 0)
	for lag := 1; lag < h; lag++ {
		variance += 2 * autocovariance(d, lag)
	}
	if variance <= 0 {
		variance = autocovariance(d, 0)
	}
	factor := (nf + 1 - 2*hf + hf*(hf-1)/nf) / nf
	if factor <= 0 {
		return noTTest(TooFew)
	}
	return tTest(average(d), math.Sqrt(variance/nf/factor), n-1)
}

// autocovariance is over n, as the test has it.
func autocovariance(d []float64, lag int) float64 {
	m, sum := average(d), 0.0
	for i := lag; i < len(d); i++ {
		sum += (d[i] - m) * (d[i-lag] - m)
	}
	return sum / float64(len(d))
}
