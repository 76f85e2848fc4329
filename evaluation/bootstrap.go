package evaluation

import (
	"math"

	"ambit/metrics"
)

const (
	defaultReps = 500
	maxReps     = 10_000
	// leastUnits is the fewest rows, or groups, that are resampled: fewer cannot show
	// how others would differ.
	leastUnits = 10
	// mostRows is the most rows that are resampled, a second or two of work.
	mostRows = 20_000
)

// bootstrap returns the percentile interval of each metric. Beyond mostRows it
// resamples a part of the rows, drawn by the seed, and shrinks the interval by the
// root of the part's share (the m out of n bootstrap).
func (r rows) bootstrap(wanted []metrics.Metric) []metrics.Interval {
	out := make([]metrics.Interval, len(wanted))
	part, drawn, units := r.part()
	if units < leastUnits {
		for i := range out {
			out[i] = metrics.Interval{Reason: metrics.TooFew}
		}
		return out
	}
	statistics := make([]func(w []float64) metrics.Value, len(wanted))
	for i, m := range wanted {
		statistics[i] = func(w []float64) metrics.Value { return part.measure(m, w) }
	}
	b := metrics.Bootstrap{Rows: len(part.Y), Groups: part.Group, Weight: part.Weight, Reps: r.reps, Seed: uint64(r.opts.Seed)}
	for i, interval := range b.Intervals(statistics...) {
		if drawn < units {
			interval = shrink(wanted[i], interval, r.measure(wanted[i], r.Weight), part.measure(wanted[i], part.Weight), drawn, units)
		}
		out[i] = interval
	}
	return out
}

// part returns the rows to resample: all, or whole groups up to mostRows. drawn and
// units count the groups, or the rows where there are none.
func (r rows) part() (part rows, drawn, units int) {
	groups := r.Group
	if groups == nil {
		groups = make([]int, len(r.Y))
		for i := range groups {
			groups[i] = i
		}
	}
	ids := distinct(groups)
	if len(r.Y) <= mostRows {
		return r, len(ids), len(ids)
	}
	in, size := map[int]bool{}, map[int]int{}
	for _, g := range groups {
		size[g]++
	}
	taken := 0
	for _, i := range metrics.Stream(uint64(r.opts.Seed), "part", 0).Perm(len(ids)) {
		if taken >= mostRows {
			break
		}
		taken += size[ids[i]]
		in[ids[i]] = true
	}
	keep := make([]int, 0, taken)
	for i, g := range groups {
		if in[g] {
			keep = append(keep, i)
		}
	}
	return r.take(keep).index(), len(in), len(ids)
}

// shrink moves an interval around a part's value to that of all rows.
func shrink(m metrics.Metric, i metrics.Interval, all, part metrics.Value, drawn, units int) metrics.Interval {
	if !i.OK || !all.OK || !part.OK {
		return i
	}
	share := math.Sqrt(float64(drawn) / float64(units))
	i.Low = all.V + share*(i.Low-part.V)
	i.High = all.V + share*(i.High-part.V)
	if m.HigherIsBetter {
		i.High = min(i.High, 1) // every key metric of this direction ends at 1
	} else {
		i.Low = max(i.Low, 0)
	}
	return i
}
