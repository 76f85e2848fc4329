package metrics

import (
	"iter"
	"slices"
)

// Bootstrap resamples rows, or groups of rows where a group stands for what was
// sampled, and measures each resample.
type Bootstrap struct {
	Rows   int
	Groups []int     // group number of each row, or nil: each row is its own
	Weight []float64 // of each row, or nil
	Reps   int       // number of resamples; 0 takes DefaultReps
	Seed   uint64
}

// DefaultReps is the number of resamples of a bootstrap.
const DefaultReps = 1000

// Resamples yields Reps weight columns: the row's weight times how often it was
// drawn. The column is the yielder's, and lives until the next. It yields none if
// the lengths differ or there is nothing to draw from.
func (b Bootstrap) Resamples() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		if b.check() != "" {
			return
		}
		rng := Stream(b.Seed, "bootstrap", 0)
		group, groups := b.index()
		drawn, w := make([]float64, groups), make([]float64, b.Rows)
		for range b.reps() {
			clear(drawn)
			for range groups {
				drawn[rng.IntN(groups)]++
			}
			for i := range w {
				w[i] = drawn[group(i)] * weigh(b.Weight, i)
			}
			if !yield(w) {
				return
			}
		}
	}
}

// Intervals measures each resample with every statistic, and returns the
// percentile interval of each. Resamples where a statistic is undefined, such as
// those of one class, are left out of its interval; TooFew if they are over half.
func (b Bootstrap) Intervals(statistics ...func(w []float64) Value) []Interval {
	out := make([]Interval, len(statistics))
	drawn := make([][]float64, len(statistics))
	for w := range b.Resamples() {
		for i, f := range statistics {
			if v := f(w); v.OK {
				drawn[i] = append(drawn[i], v.V)
			}
		}
	}
	why := b.check()
	for i, x := range drawn {
		switch {
		case why != "":
			out[i] = noInterval(why)
		case 2*len(x) < b.reps() || len(x) < 2:
			out[i] = noInterval(TooFew)
		default:
			slices.Sort(x)
			out[i] = interval(quantile(x, 0.025), quantile(x, 0.975))
		}
	}
	return out
}

// Difference compares a statistic of two models on the same resamples. P is twice
// the share of resamples on the smaller side of 0, counted as PermutationP does;
// SE is the standard deviation over the resamples.
func (b Bootstrap) Difference(first, second func(w []float64) Value) Difference {
	ones := slices.Clone(b.Weight)
	if ones == nil {
		ones = slices.Repeat([]float64{1}, max(b.Rows, 0))
	}
	delta := minus(first(ones), second(ones))
	if !delta.OK {
		return noDifference(delta.Reason)
	}
	var x []float64
	i := b.Intervals(func(w []float64) Value {
		v := minus(first(w), second(w))
		if v.OK {
			x = append(x, v.V)
		}
		return v
	})[0]
	if !i.OK {
		return noDifference(i.Reason)
	}
	return Difference{Delta: delta, SE: MeanOfFolds(defined(x)).SD, P: signP(x), Interval: i}
}

func minus(a, b Value) Value {
	if !a.OK {
		return a
	}
	if !b.OK {
		return b
	}
	return Defined(a.V - b.V)
}

func defined(x []float64) []Value {
	out := make([]Value, len(x))
	for i, v := range x {
		out[i] = Defined(v)
	}
	return out
}

// signP is the two-sided p of differences that lie mostly on one side of 0.
func signP(x []float64) Value {
	below, above := 1, 1
	for _, v := range x {
		if v <= 0 {
			below++
		}
		if v >= 0 {
			above++
		}
	}
	return Defined(min(2*float64(min(below, above))/float64(1+len(x)), 1))
}

func (b Bootstrap) reps() int {
	if b.Reps < 1 {
		return DefaultReps
	}
	return b.Reps
}

func (b Bootstrap) check() Reason {
	if b.Rows < 1 {
		return NoRows
	}
	if b.Groups != nil && len(b.Groups) != b.Rows {
		return LengthsDiffer
	}
	return checkWeight(b.Weight, b.Rows)
}

// index returns the place of each row's group among the distinct groups.
func (b Bootstrap) index() (of func(row int) int, groups int) {
	if b.Groups == nil {
		return func(row int) int { return row }, b.Rows
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(b.Groups)))
	place := make([]int, b.Rows)
	for i, g := range b.Groups {
		place[i], _ = slices.BinarySearch(distinct, g)
	}
	return func(row int) int { return place[row] }, len(distinct)
}
