package metrics

import (
	"math"
	"slices"
)

// Isotonic is a fitted map that never falls: linear between its knots, constant
// beyond them. The zero Isotonic is not fitted and maps everything to NaN.
type Isotonic struct {
	X []float64 `json:"x"` // rising
	Y []float64 `json:"y"` // never falling
}

// FitIsotonic fits the non-falling map of least squared distance by pooling
// adjacent violators, as scikit-learn's IsotonicRegression does: rows of one score
// are averaged first, a pooled block is constant over its scores, and the map is
// linear between blocks. y is any finite number, such as a label.
func FitIsotonic(y, score, w []float64) (Isotonic, Reason) {
	if why := checkRows(w, y, score); why != "" {
		return Isotonic{}, why
	}
	blocks := pool(y, score, w)
	var out Isotonic
	for _, b := range blocks {
		out.X, out.Y = append(out.X, b.low), append(out.Y, b.mean)
		if b.high > b.low {
			out.X, out.Y = append(out.X, b.high), append(out.Y, b.mean)
		}
	}
	if !allFinite(out.Y) {
		return Isotonic{}, Overflow
	}
	return out, ""
}

// block is a run of scores with one mean.
type block struct{ low, high, mean, weight float64 }

func pool(y, score, w []float64) []block {
	var blocks []block
	for _, b := range byScore(y, score, w) {
		blocks = append(blocks, b)
		for n := len(blocks); n > 1 && blocks[n-2].mean >= blocks[n-1].mean; n-- {
			blocks[n-2] = merge(blocks[n-2], blocks[n-1])
			blocks = blocks[:n-1]
		}
	}
	return blocks
}

// byScore averages the rows of each score.
func byScore(y, score, w []float64) []block {
	var blocks []block
	for _, row := range ascending(score) {
		b := block{score[row], score[row], y[row], weigh(w, row)}
		if b.weight == 0 {
			continue
		}
		if n := len(blocks); n > 0 && blocks[n-1].high == b.low {
			blocks[n-1] = merge(blocks[n-1], b)
			continue
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func merge(a, b block) block {
	total := a.weight + b.weight
	return block{a.low, b.high, a.mean + (b.mean-a.mean)*(b.weight/total), total}
}

// At maps a score; NaN for a NaN or an Isotonic that is not fitted.
func (f Isotonic) At(x float64) float64 {
	n := len(f.X)
	if n == 0 || len(f.Y) != n || math.IsNaN(x) {
		return math.NaN()
	}
	i, found := slices.BinarySearch(f.X, x)
	switch {
	case found:
		return f.Y[i]
	case i == 0:
		return f.Y[0]
	case i == n:
		return f.Y[n-1]
	}
	t := (x - f.X[i-1]) / (f.X[i] - f.X[i-1])
	return f.Y[i-1] + t*(f.Y[i]-f.Y[i-1])
}
