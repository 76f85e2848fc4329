package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

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

// TTest is a t test of a mean against 0.
type TTest struct {
	Mean     Value
	SE       Value
	T        Value
	DF       int
	P        Value // two-sided
	Interval Interval
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

// NadeauBengio tests the differences of two models over the folds of one split,
// allowing for the rows that the training parts share: the variance of the mean is
// (1/k + test/train) s^2, t with k-1 degrees (Nadeau and Bengio 2003). testPerTrain
// is the number of test rows over training rows of a fold, 1/(k-1) for plain folds.
func NadeauBengio(difference []float64, testPerTrain float64) TTest {
	if why := checkRows(nil, difference); why != "" {
		return noTTest(why)
	}
	if !finite(testPerTrain) || testPerTrain < 0 {
		return noTTest(BadArgument)
	}
	k := len(difference)
	if k < 2 {
		return noTTest(TooFew)
	}
	s2 := covariance(difference, difference)
	return tTest(average(difference), math.Sqrt((1/float64(k)+testPerTrain)*s2), k-1)
}

// tTest is the t test of a mean with its standard error.
func tTest(m, se float64, df int) TTest {
	if !finite(m) || !finite(se) {
		return noTTest(Overflow)
	}
	if se <= 1e-15*abs(m) || se == 0 {
		if m == 0 {
			return TTest{Defined(0), Defined(0), Defined(0), df, Defined(1), interval(0, 0)}
		}
		out := noTTest(NoSpread)
		out.Mean, out.DF = Defined(m), df
		return out
	}
	half := tQuantile(df) * se
	return TTest{Defined(m), Defined(se), Defined(m / se), df, Defined(tTwoSided(m/se, df)), interval(m-half, m+half)}
}

func noTTest(why Reason) TTest {
	v := Undefined(why)
	return TTest{Mean: v, SE: v, T: v, P: v, Interval: noInterval(why)}
}

// tTwoSided is the chance of a t beyond |t|.
func tTwoSided(t float64, df int) float64 {
	nu := float64(df)
	// Through a root, so that a huge t does not overflow.
	return mathext.RegIncBeta(nu/2, 0.5, 1/(1+(t/math.Sqrt(nu))*(t/math.Sqrt(nu))))
}

// tQuantile is the t that 95% lie within, by bisection: the survival function is
// exact where its inverse is not.
func tQuantile(df int) float64 {
	low, high := 0.0, 16.0 // 12.7 at one degree
	for range 60 {
		if mid := (low + high) / 2; tTwoSided(mid, df) > 0.05 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
