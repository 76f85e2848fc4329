package worker

import (
	"fmt"
	"math"
	"slices"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
)

// maxTop is how many frequent values a profile lists.
const maxTop = 10

// maxBins bounds a histogram.
const maxBins = 30

type number interface{ int64 | float64 }

// profileNumbers reads a column of numbers or moments, sorts it, and takes every
// figure from the sorted values.
func profileNumbers[T number](c *connection, f field, p *datasets.ColumnProfile) error {
	values, show, err := readNumbers[T](c, f, p)
	if err != nil {
		return err
	}
	p.Monotone = monotone(values)
	if !f.isMoment() {
		moments(values, p)
	}
	slices.Sort(values)
	p.Distinct, p.Top = runs(values, show)
	if len(values) == 0 {
		return nil
	}
	low, high := show(values[0]), show(values[len(values)-1])
	p.Min, p.Max = &low, &high
	if f.isMoment() {
		p.Disguised = disguisedMoments(p.Top, int64(len(values)))
		return nil
	}
	quantiles(values, p)
	p.Histogram = histogram(values)
	p.Disguised = disguisedNumbers(values, p, show)
	return nil
}

// readNumbers returns the values that are there, in row order, and how to show one.
func readNumbers[T number](c *connection, f field, p *datasets.ColumnProfile) ([]T, func(T) string, error) {
	var values []T
	sql := quoteName(f.name)
	if f.form() == floatForm && f.typ != duck.TypeFloat && f.typ != duck.TypeDouble {
		sql = "CAST(" + sql + " AS DOUBLE)"
	}
	err := c.stream("SELECT "+sql+" FROM "+builtTable, func(columns []*column, rows int) (bool, error) {
		for i := range rows {
			v, null, finite := numberAt[T](columns[0], i)
			switch {
			case null:
				p.Missing++
			case !finite:
				p.Nonfinite++
			default:
				values = append(values, v)
			}
		}
		return true, nil
	})
	return values, shower[T](f), err
}

func numberAt[T number](c *column, i int) (v T, null, finite bool) {
	if c.null(i) {
		return 0, true, false
	}
	switch c.typ {
	case duck.TypeFloat:
		v = T(at[float32](c.data, i))
	case duck.TypeDouble:
		v = T(at[float64](c.data, i))
	default:
		v = T(c.integer(c.typ, i))
	}
	f := float64(v)
	if c.isTime() {
		_, infinite := moment(c.typ, c.integer(c.typ, i))
		return v, false, infinite == 0
	}
	return v, false, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// shower returns how values of the column are written.
func shower[T number](f field) func(T) string {
	return func(v T) string {
		if f.isMoment() {
			return string(appendMoment(nil, f.typ, int64(v)))
		}
		bits := 64
		if f.typ == duck.TypeFloat {
			bits = 32
		}
		if whole, ok := any(v).(int64); ok {
			return fmt.Sprint(whole)
		}
		return string(appendFloat(nil, float64(v), bits))
	}
}

func monotone[T number](values []T) string {
	up, down := len(values) > 1, len(values) > 1
	for i := 1; i < len(values) && (up || down); i++ {
		up = up && values[i] >= values[i-1]
		down = down && values[i] <= values[i-1]
	}
	switch {
	case up && down:
		return ""
	case up:
		return "up"
	case down:
		return "down"
	}
	return ""
}

// moments sets mean, standard deviation and skew, in two passes.
func moments[T number](values []T, p *datasets.ColumnProfile) {
	n := float64(len(values))
	if n == 0 {
		return
	}
	var sum, m2, m3 float64
	var zeros, negatives int64
	for _, v := range values {
		sum += float64(v)
		if v == 0 {
			zeros++
		} else if v < 0 {
			negatives++
		}
	}
	mean := sum / n
	for _, v := range values {
		d := float64(v) - mean
		m2 += d * d
		m3 += d * d * d
	}
	p.Mean, p.Zeros, p.Negatives = finite(mean), &zeros, &negatives
	if n > 1 {
		p.SD = finite(math.Sqrt(m2 / (n - 1)))
	}
	if n > 2 && m2 > 0 {
		p.Skew = finite(math.Sqrt(n*(n-1)) / (n - 2) * (m3 / n) / math.Pow(m2/n, 1.5))
	}
}

func finite(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// runs returns the number of distinct values of a sorted list and its most
// frequent ones, of equals the smaller first.
func runs[T number](sorted []T, show func(T) string) (distinct int64, top []datasets.Level) {
	type run struct {
		value T
		count int64
	}
	var best []run
	for i := 0; i < len(sorted); {
		j := i + 1
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		distinct++
		r := run{sorted[i], int64(j - i)}
		i = j
		at := len(best)
		for at > 0 && best[at-1].count < r.count {
			at--
		}
		if at < maxTop {
			best = slices.Insert(best, at, r)[:min(len(best)+1, maxTop)]
		}
	}
	for _, r := range best {
		top = append(top, datasets.Level{Value: show(r.value), Count: r.count})
	}
	return distinct, top
}

func quantiles[T number](sorted []T, p *datasets.ColumnProfile) {
	for _, q := range []struct {
		at   float64
		into **float64
	}{{.01, &p.P1}, {.05, &p.P5}, {.25, &p.P25}, {.5, &p.P50}, {.75, &p.P75}, {.95, &p.P95}, {.99, &p.P99}} {
		*q.into = finite(quantile(sorted, q.at))
	}
}

// quantile interpolates linearly between the two nearest values (Hyndman and Fan 1996, type 7).
func quantile[T number](sorted []T, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return float64(sorted[len(sorted)-1])
	}
	low, high := float64(sorted[i]), float64(sorted[i+1])
	return low + (at-float64(i))*(high-low)
}

// histogram counts the values in bins of the width 2 IQR / n^(1/3) (Freedman and
// Diaconis 1981), at most maxBins of them.
func histogram[T number](sorted []T) []datasets.Bin {
	low, high := float64(sorted[0]), float64(sorted[len(sorted)-1])
	span := high - low
	if span <= 0 || math.IsInf(span, 0) {
		return []datasets.Bin{{From: low, To: high, Count: int64(len(sorted))}}
	}
	width := 2 * (quantile(sorted, .75) - quantile(sorted, .25)) / math.Cbrt(float64(len(sorted)))
	bins := maxBins
	if width > 0 {
		bins = int(math.Max(1, math.Min(maxBins, math.Ceil(span/width))))
	}
	out := make([]datasets.Bin, bins)
	start := 0
	for b := range out {
		out[b].From, out[b].To = low+span*float64(b)/float64(bins), low+span*float64(b+1)/float64(bins)
		end := len(sorted)
		if b < bins-1 {
			end, _ = slices.BinarySearchFunc(sorted, out[b].To, func(v T, edge float64) int {
				if float64(v) < edge {
					return -1
				}
				return 1
			})
		}
		out[b].Count = int64(end - start)
		start = end
	}
	return out
}
