package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Association is a chi-square test of a table of counts.
type Association struct {
	ChiSquare Value
	DF        int
	P         Value
	CramersV  Value // in [0, 1]
}

// ChiSquare tests whether the rows and the columns of a table of counts go
// together (Pearson, without continuity correction). Empty rows and columns are
// left out; what has fewer than two of either is TooFew.
func ChiSquare(table [][]float64) Association {
	rows, cols, n, why := margins(table)
	if why == "" && n == 0 {
		why = NoRows
	}
	r, c := positive(rows), positive(cols)
	if why == "" && (r < 2 || c < 2) {
		why = TooFew
	}
	if why != "" {
		return noAssociation(why)
	}
	sum := 0.0
	for i, row := range table {
		for j, count := range row {
			if expected := rows[i] / n * cols[j]; expected > 0 {
				sum += (count - expected) * (count - expected) / expected
			}
		}
	}
	if !finite(sum) {
		return noAssociation(Overflow)
	}
	df := (r - 1) * (c - 1)
	return Association{
		ChiSquare: Defined(sum),
		DF:        df,
		P:         chiSurvival(sum, df),
		CramersV:  Defined(min(math.Sqrt(sum/n/float64(min(r, c)-1)), 1)),
	}
}

func noAssociation(why Reason) Association {
	return Association{ChiSquare: Undefined(why), P: Undefined(why), CramersV: Undefined(why)}
}

// margins returns the sums of the rows, the columns and the whole.
func margins(table [][]float64) (rows, cols []float64, n float64, why Reason) {
	if len(table) == 0 {
		return nil, nil, 0, NoRows
	}
	rows, cols = make([]float64, len(table)), make([]float64, len(table[0]))
	for i, row := range table {
		if len(row) != len(cols) {
			return nil, nil, 0, LengthsDiffer
		}
		for j, v := range row {
			if !finite(v) {
				return nil, nil, 0, NotFinite
			}
			if v < 0 {
				return nil, nil, 0, OutOfRange
			}
			rows[i], cols[j], n = rows[i]+v, cols[j]+v, n+v
		}
	}
	if !finite(n) {
		return nil, nil, 0, Overflow
	}
	return rows, cols, n, ""
}

func positive(x []float64) int {
	n := 0
	for _, v := range x {
		if v > 0 {
			n++
		}
	}
	return n
}

func chiSurvival(x float64, df int) Value {
	if !finite(x) {
		return Undefined(Overflow)
	}
	return Defined(mathext.GammaIncRegComp(float64(df)/2, x/2))
}

// PoolRare adds up the columns of a table in which some cell expects fewer than
// least counts, as the chi-square test needs (5 is the rule of thumb), into one
// column at the end, and returns how many were pooled. If the pool itself is too
// small it takes the smallest column left.
func PoolRare(table [][]float64, least float64) (pooled [][]float64, levels int) {
	rows, cols, n, why := margins(table)
	if why != "" || n == 0 {
		return table, 0
	}
	smallest := rows[0]
	for _, v := range rows {
		smallest = min(smallest, v)
	}
	rare := func(total float64) bool { return smallest*(total/n) < least }
	in, total := make([]bool, len(cols)), 0.0
	for j, v := range cols {
		if rare(v) {
			in[j], total, levels = true, total+v, levels+1
		}
	}
	if levels > 0 && rare(total) {
		if j := smallestOutside(cols, in); j >= 0 {
			in[j], levels = true, levels+1
		}
	}
	if levels < 2 {
		return table, 0
	}
	return poolColumns(table, in), levels
}

func smallestOutside(cols []float64, in []bool) int {
	best := -1
	for j, v := range cols {
		if !in[j] && (best < 0 || v < cols[best]) {
			best = j
		}
	}
	return best
}

func poolColumns(table [][]float64, in []bool) [][]float64 {
	out := make([][]float64, len(table))
	for i, row := range table {
		sum := 0.0
		for j, v := range row {
			if in[j] {
				sum += v
			} else {
				out[i] = append(out[i], v)
			}
		}
		out[i] = append(out[i], sum)
	}
	return out
}

// CramersV returns the strength of association in a table of counts, in [0, 1].
func CramersV(table [][]float64) Value { return ChiSquare(table).CramersV }

// McNemar tests whether two sets of labels of the same rows differ: b rows that
// only the first gets right, c rows that only the second does. Exact (binomial)
// below 25 such rows, chi-square with continuity correction from there on.
func McNemar(b, c int) (p Value) {
	if b < 0 || c < 0 {
		return Undefined(OutOfRange)
	}
	n := b + c
	switch {
	case n < 0:
		return Undefined(Overflow)
	case n == 0:
		return Defined(1)
	case n < 25:
		return Defined(binomialTwoSided(min(b, c), n))
	}
	d := max(math.Abs(float64(b)-float64(c))-1, 0)
	return chiSurvival(d*d/float64(n), 1)
}

// binomialTwoSided is twice the chance of at most k of n fair coins, at most 1.
func binomialTwoSided(k, n int) float64 {
	term := math.Pow(0.5, float64(n))
	sum := term
	for i := 1; i <= k; i++ {
		term *= float64(n-i+1) / float64(i)
		sum += term
	}
	return min(2*sum, 1)
}
