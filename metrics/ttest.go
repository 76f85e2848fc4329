package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// TTest is a t test of a mean against 0.
type TTest struct {
	Mean     Value
	SE       Value
	T        Value
	DF       int
	P        Value // two-sided
	Interval Interval
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
