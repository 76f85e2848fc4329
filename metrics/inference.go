package metrics

import (
	"math"
	"slices"
)

// PermutationP returns the chance of a statistic as great as the observed under
// permutation: (1 + number of permuted >= observed) / (1 + number of permuted).
// It is never 0. A permuted statistic that is NaN counts as great.
func PermutationP(observed float64, permuted []float64) Value {
	if math.IsNaN(observed) {
		return Undefined(NotFinite)
	}
	if len(permuted) == 0 {
		return Undefined(TooFew)
	}
	as := 1
	for _, v := range permuted {
		if v >= observed || math.IsNaN(v) {
			as++
		}
	}
	return Defined(float64(as) / float64(1+len(permuted)))
}

// BenjaminiHochberg returns the p-values adjusted for the false discovery rate, in
// the order given: those at most q are the discoveries at rate q. What is no
// probability counts as 1.
func BenjaminiHochberg(p []float64) []float64 {
	x, order := probabilities(p)
	out, m, least := make([]float64, len(p)), float64(len(p)), 1.0
	for i := len(order) - 1; i >= 0; i-- {
		least = min(least, x[order[i]]*m/float64(i+1))
		out[order[i]] = least
	}
	return out
}

// Holm returns the p-values adjusted for the chance of any false rejection, in the
// order given. What is no probability counts as 1.
func Holm(p []float64) []float64 {
	x, order := probabilities(p)
	out, most := make([]float64, len(p)), 0.0
	for i, at := range order {
		most = max(most, min(x[at]*float64(len(p)-i), 1))
		out[at] = most
	}
	return out
}

// probabilities returns p made clean, and its ascending order.
func probabilities(p []float64) (x []float64, order []int) {
	x = slices.Clone(p)
	for i, v := range x {
		if !(v >= 0 && v <= 1) {
			x[i] = 1
		}
	}
	return x, ascending(x)
}

// OptimismTrials is the number of trials from which the best one's optimism is shown.
const OptimismTrials = 10

// Optimism returns about how much the best of a number of trials flatters itself:
// se * sqrt(2 ln trials), for a standard error of one score. TooFew below
// OptimismTrials.
func Optimism(se float64, trials int) Value {
	switch {
	case !finite(se):
		return Undefined(NotFinite)
	case se < 0:
		return Undefined(OutOfRange)
	case trials < OptimismTrials:
		return Undefined(TooFew)
	}
	return Defined(se * math.Sqrt(2*math.Log(float64(trials))))
}

// Spread is a mean over folds.
type Spread struct {
	Mean Value `json:"mean"`
	SD   Value `json:"sd"` // over k-1
	SE   Value `json:"se"` // SD / sqrt(k)
}

// MeanOfFolds returns the mean of the defined values, with its standard error if
// there are at least two.
func MeanOfFolds(values []Value) Spread {
	var x []float64
	for _, v := range values {
		if v.OK {
			x = append(x, v.V)
		}
	}
	out := Spread{Undefined(TooFew), Undefined(TooFew), Undefined(TooFew)}
	if len(x) == 0 {
		return out
	}
	out.Mean = Defined(average(x))
	if len(x) > 1 {
		sd := math.Sqrt(covariance(x, x))
		out.SD, out.SE = Defined(sd), Defined(sd/math.Sqrt(float64(len(x))))
	}
	return out
}
