package metrics

// checkRows returns why the columns cannot be read together, "" if they can.
func checkRows(w []float64, columns ...[]float64) Reason {
	n := len(columns[0])
	for _, c := range columns {
		if len(c) != n {
			return LengthsDiffer
		}
	}
	if n == 0 {
		return NoRows
	}
	for _, c := range columns {
		if !allFinite(c) {
			return NotFinite
		}
	}
	return checkWeight(w, n)
}

func checkWeight(w []float64, n int) Reason {
	if w == nil {
		return ""
	}
	if len(w) != n {
		return LengthsDiffer
	}
	sum := 0.0
	for _, v := range w {
		if !finite(v) {
			return NotFinite
		}
		if v < 0 || v > 0 && v < 1/maxWeight {
			return BadWeight
		}
		sum += v
	}
	if sum == 0 {
		return ZeroWeight
	}
	if sum > maxWeight {
		return BadWeight
	}
	return ""
}

// maxWeight bounds the sum of the weights, and its inverse each of them, so that
// products of two stay in float64.
const maxWeight = 1e150

// checkBinary checks labels of 0 and 1 with any finite score.
func checkBinary(y, score, w []float64) Reason {
	if why := checkRows(w, y, score); why != "" {
		return why
	}
	for _, v := range y {
		if v != 0 && v != 1 {
			return BadLabel
		}
	}
	return ""
}

// checkProbability checks labels of 0 and 1 with probabilities of 1.
func checkProbability(y, p, w []float64) Reason {
	if why := checkBinary(y, p, w); why != "" {
		return why
	}
	if !allWithin(p, 0, 1) {
		return OutOfRange
	}
	return ""
}

// checkClasses checks class indices with n rows of k probabilities.
func checkClasses(y []int, p []float64, k int, w []float64) Reason {
	if k < 1 {
		return BadArgument
	}
	if len(y) == 0 {
		return NoRows
	}
	if len(p)/k != len(y) || len(p)%k != 0 {
		return LengthsDiffer
	}
	if !allFinite(p) {
		return NotFinite
	}
	if !allWithin(p, 0, 1) {
		return OutOfRange
	}
	if !allIndex(y, k) {
		return BadLabel
	}
	return checkWeight(w, len(y))
}

func allFinite(x []float64) bool {
	for _, v := range x {
		if !finite(v) {
			return false
		}
	}
	return true
}

func allWithin(x []float64, low, high float64) bool {
	for _, v := range x {
		if v < low || v > high {
			return false
		}
	}
	return true
}

func allIndex(y []int, k int) bool {
	for _, v := range y {
		if v < 0 || v >= k {
			return false
		}
	}
	return true
}

// weigh returns the weight of row i.
func weigh(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// mean returns the weighted mean of f over n checked rows.
func mean(n int, w []float64, f func(i int) float64) Value {
	sum, total := 0.0, 0.0
	for i := range n {
		v := weigh(w, i)
		if v == 0 {
			continue // an absent row, even if f is infinite there
		}
		sum += v * f(i)
		total += v
	}
	return Defined(sum / total)
}
