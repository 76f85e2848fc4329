package metrics

import (
	"cmp"
	"math"
	"slices"
)

// MaxParts is the most parts or bins that rows are put into.
const MaxParts = 10_000

// CalibrationBins is how many bins a calibration has.
const CalibrationBins = 10

// Bin is a range of predicted probabilities and what came of them.
type Bin struct {
	Low      float64  `json:"low"`  // the least predicted probability in it
	High     float64  `json:"high"` // the greatest
	Rows     int      `json:"rows"`
	Weight   float64  `json:"weight"`
	Mean     float64  `json:"mean_predicted"`
	Observed float64  `json:"observed"`          // the share of positives
	Interval Interval `json:"interval,omitzero"` // of Observed, Wilson's
}

// EqualCountBins puts the rows into at most k bins of equal weight, in order of
// p, as EqualParts does.
func EqualCountBins(y, p, w []float64, k int) ([]Bin, Reason) {
	if why := checkProbability(y, p, w); why != "" {
		return nil, why
	}
	parts, why := EqualParts(p, w, k)
	if why != "" {
		return nil, why
	}
	bins := newBinner(len(parts))
	for bin, rows := range parts {
		for _, row := range rows {
			bins.add(bin, y[row], p[row], weigh(w, row))
		}
	}
	return bins.bins(), ""
}

// EqualWidthBins puts the rows into k ranges of p of equal width, and leaves out
// those that are empty.
func EqualWidthBins(y, p, w []float64, k int) ([]Bin, Reason) {
	if why := checkProbability(y, p, w); why != "" {
		return nil, why
	}
	if k < 1 || k > MaxParts {
		return nil, BadArgument
	}
	bins := newBinner(k)
	for _, row := range ascending(p) {
		bins.add(min(int(p[row]*float64(k)), k-1), y[row], p[row], weigh(w, row))
	}
	return bins.bins(), ""
}

// ECE returns the expected calibration error over CalibrationBins bins of equal
// weight: the mean distance of the observed from the predicted share.
func ECE(y, p, w []float64) Value {
	bins, why := EqualCountBins(y, p, w, CalibrationBins)
	if why != "" {
		return Undefined(why)
	}
	return CalibrationError(bins)
}

// CalibrationError returns sum n_b |o_b - p_b| / n over the bins.
func CalibrationError(bins []Bin) Value {
	sum, total := 0.0, 0.0
	for _, b := range bins {
		sum += b.Weight * abs(b.Observed-b.Mean)
		total += b.Weight
	}
	return ratio(sum, total, NoRows)
}

// Murphy splits a Brier score over bins: Brier = Reliability - Resolution +
// Uncertainty + Within, where Within is what the bins cannot see, and is 0 if all
// rows of a bin have one p (Murphy 1973).
type Murphy struct {
	Brier       Value `json:"brier"`
	Reliability Value `json:"reliability"` // distance from calibration; less is better
	Resolution  Value `json:"resolution"`  // how far the bins part the outcomes; more is better
	Uncertainty Value `json:"uncertainty"` // o(1-o), of the data alone
	Within      Value `json:"within"`
}

// MurphySplit splits the Brier score over CalibrationBins bins of equal weight.
func MurphySplit(y, p, w []float64) Murphy {
	bins, why := EqualCountBins(y, p, w, CalibrationBins)
	if why != "" {
		v := Undefined(why)
		return Murphy{v, v, v, v, v}
	}
	total, positive := 0.0, 0.0
	for _, b := range bins {
		total += b.Weight
		positive += b.Weight * b.Observed
	}
	rate, rel, res := positive/total, 0.0, 0.0
	for _, b := range bins {
		rel += b.Weight / total * (b.Mean - b.Observed) * (b.Mean - b.Observed)
		res += b.Weight / total * (b.Observed - rate) * (b.Observed - rate)
	}
	brier, unc := Brier(y, p, w), rate*(1-rate)
	return Murphy{brier, Defined(rel), Defined(res), Defined(unc), Defined(brier.V - (rel - res + unc))}
}

// Wilson returns Wilson's interval of a share of successes among n trials. n may
// be an effective number of rows and need not be whole.
func Wilson(successes, n float64) Interval {
	switch {
	case !finite(successes) || !finite(n):
		return noInterval(NotFinite)
	case n <= 0:
		return noInterval(NoRows)
	case successes < 0 || successes > n:
		return noInterval(OutOfRange)
	}
	p, z2 := successes/n, z95*z95
	mid := (p + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return interval(max(mid-half, 0), min(mid+half, 1))
}

// binner sums rows into bins.
type binner []binSum

type binSum struct {
	Bin
	y, p, w2 float64 // weighted sums; sum of squared weights
}

func newBinner(k int) binner { return make(binner, k) }

func (b binner) add(bin int, y, p, w float64) {
	if w == 0 {
		return
	}
	s := &b[bin]
	if s.Rows == 0 {
		s.Low, s.High = p, p
	}
	s.Low, s.High = min(s.Low, p), max(s.High, p)
	s.Rows++
	s.Weight += w
	s.y += w * y
	s.p += w * p
	s.w2 += w * w
}

// bins returns the bins that hold rows.
func (b binner) bins() []Bin {
	var out []Bin
	for _, s := range b {
		if s.Rows == 0 {
			continue
		}
		s.Mean = s.p / s.Weight
		s.Observed = min(s.y/s.Weight, 1)
		effective := s.Weight * s.Weight / s.w2 // Kish's number of rows
		s.Interval = Wilson(s.Observed*effective, effective)
		out = append(out, s.Bin)
	}
	return out
}

// EqualParts parts the rows into at most k groups of equal weight, in rising order
// of x. Rows of one x are never parted: all go where their middle falls.
func EqualParts(x, w []float64, k int) ([][]int, Reason) {
	if why := checkRows(w, x); why != "" {
		return nil, why
	}
	if k < 1 || k > MaxParts {
		return nil, BadArgument
	}
	order, total, done := ascending(x), 0.0, 0.0
	for i := range x {
		total += weigh(w, i)
	}
	parts := make([][]int, k)
	for at := 0; at < len(order); {
		end, weight := at, 0.0
		for ; end < len(order) && x[order[end]] == x[order[at]]; end++ {
			weight += weigh(w, order[end])
		}
		part := min(int(float64(k)*(done+weight/2)/total), k-1)
		parts[part] = append(parts[part], order[at:end]...)
		done += weight
		at = end
	}
	return slices.DeleteFunc(parts, func(rows []int) bool { return len(rows) == 0 }), ""
}

// ascending returns the rows in order of x, equal ones in row order.
func ascending(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
	return order
}
