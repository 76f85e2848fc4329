package metrics

import (
	"math"
	"slices"
)

// PSIFloor is the least share that a bin counts with, so that an empty bin does
// not make the index infinite.
const PSIFloor = 1e-4

// Shift is how far a distribution moved.
type Shift struct {
	PSI       Value
	Bins      int       // bins that hold rows of either side
	Noise     Value     // what PSI reaches by chance alone: 3(B-1)(1/n+1/m)
	Edges     []float64 // upper limits, inclusive, of all bins but the last and the missing one
	Reference []float64 // shares; the last bin is that of missing values
	Current   []float64
}

// PSI returns the population stability index of a numeric column: the sum of
// (q-p) ln(q/p) over bins at the reference's deciles and one for missing values
// (NaN), shares floored at PSIFloor. A value that fills a decile has a bin of its
// own.
func PSI(reference, current []float64) Shift {
	edges, why := psiEdges(reference)
	if why != "" {
		return Shift{PSI: Undefined(why), Noise: Undefined(why)}
	}
	if len(current) == 0 {
		return Shift{PSI: Undefined(NoRows), Noise: Undefined(NoRows)}
	}
	out := PSICounts(binCounts(reference, edges), binCounts(current, edges))
	out.Edges = edges
	return out
}

// PSICounts returns the index of counts of the same bins or levels.
func PSICounts(reference, current []float64) Shift {
	n, m, why := checkCounts(reference, current)
	if why != "" {
		return Shift{PSI: Undefined(why), Noise: Undefined(why)}
	}
	out := Shift{Reference: make([]float64, len(reference)), Current: make([]float64, len(current))}
	sum := 0.0
	for i := range reference {
		out.Reference[i], out.Current[i] = reference[i]/n, current[i]/m
		if reference[i]+current[i] > 0 {
			out.Bins++
		}
		p, q := max(out.Reference[i], PSIFloor), max(out.Current[i], PSIFloor)
		sum += (q - p) * math.Log(q/p)
	}
	out.PSI = Defined(sum)
	out.Noise = Defined(3 * float64(out.Bins-1) * (1/n + 1/m))
	return out
}

func checkCounts(a, b []float64) (n, m float64, why Reason) {
	if len(a) != len(b) {
		return 0, 0, LengthsDiffer
	}
	for i := range a {
		if !finite(a[i]) || !finite(b[i]) {
			return 0, 0, NotFinite
		}
		if a[i] < 0 || b[i] < 0 {
			return 0, 0, OutOfRange
		}
		n, m = n+a[i], m+b[i]
	}
	if n == 0 || m == 0 {
		return 0, 0, NoRows
	}
	if !finite(n) || !finite(m) {
		return 0, 0, Overflow
	}
	return n, m, ""
}

// psiEdges returns the distinct inner deciles. One that repeats, or is the
// smallest value, holds so many rows that it is parted from what lies below it:
// otherwise a move from a constant to less than it would not show.
func psiEdges(reference []float64) ([]float64, Reason) {
	if len(reference) == 0 {
		return nil, NoRows
	}
	x := present(reference)
	if slices.ContainsFunc(x, func(v float64) bool { return math.IsInf(v, 0) }) {
		return nil, NotFinite
	}
	if len(x) == 0 {
		return nil, ""
	}
	slices.Sort(x)
	var edges []float64
	previous := x[0]
	for i := 1; i < 10; i++ {
		e := quantile(x, float64(i)/10)
		if e == previous {
			edges = append(edges, math.Nextafter(e, math.Inf(-1)))
		}
		edges = append(edges, e)
		previous = e
	}
	slices.Sort(edges)
	return slices.Compact(edges), ""
}

// present returns a copy of x without its NaNs.
func present(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}

// binCounts counts x into the bins of edges and a last one for NaN.
func binCounts(x, edges []float64) []float64 {
	out := make([]float64, len(edges)+2)
	for _, v := range x {
		if math.IsNaN(v) {
			out[len(out)-1]++
			continue
		}
		i, _ := slices.BinarySearch(edges, v)
		out[i]++
	}
	return out
}

// TwoSample is a test of whether two samples have one distribution.
type TwoSample struct {
	D Value // the largest distance of the two distribution functions
	P Value // by the asymptotic series; approximate if values repeat
}

// KolmogorovSmirnov compares two samples; missing values (NaN) are left out.
func KolmogorovSmirnov(a, b []float64) TwoSample {
	x, y := present(a), present(b)
	if len(x) == 0 || len(y) == 0 {
		return TwoSample{Undefined(NoRows), Undefined(NoRows)}
	}
	slices.Sort(x)
	slices.Sort(y)
	n, m, d := float64(len(x)), float64(len(y)), 0.0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		at := min(x[i], y[j])
		for i < len(x) && x[i] == at {
			i++
		}
		for j < len(y) && y[j] == at {
			j++
		}
		d = max(d, abs(float64(i)/n-float64(j)/m))
	}
	return TwoSample{Defined(d), Defined(kolmogorov(math.Sqrt(n*m/(n+m)) * d))}
}

// kolmogorov is the chance that the limiting statistic is over x. Each of its two
// series is used where it converges in a few terms.
func kolmogorov(x float64) float64 {
	if x <= 0 {
		return 1
	}
	sum := 0.0
	if x < 1 {
		for k := 1.0; k <= 20; k++ {
			sum += math.Exp(-(2*k - 1) * (2*k - 1) * math.Pi * math.Pi / (8 * x * x))
		}
		return min(max(1-math.Sqrt(2*math.Pi)/x*sum, 0), 1)
	}
	for k, sign := 1.0, 1.0; k <= 20; k, sign = k+1, -sign {
		sum += sign * math.Exp(-2*k*k*x*x)
	}
	return min(max(2*sum, 0), 1)
}
