package metrics

import (
	"cmp"
	"iter"
	"slices"
)

// Ranked is a set of binary outcomes sorted by score, highest first. It is for
// measuring one set many times, as a bootstrap does; AUC and its like sort once
// and measure once.
type Ranked struct {
	order []int // rows, highest score first
	y     []float64
	score []float64
	why   Reason // why there is nothing to measure; "" if there is
}

// cut is the weight of the rows that share one score.
type cut struct {
	score    float64
	pos, neg float64
}

// Rank sorts the rows by score. Wrong input shows in what is measured.
func Rank(y, score []float64) Ranked {
	if why := checkBinary(y, score, nil); why != "" {
		return Ranked{why: why}
	}
	r := Ranked{y: y, score: score, order: make([]int, len(y))}
	for i := range r.order {
		r.order[i] = i
	}
	slices.SortFunc(r.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b))
	})
	return r
}

// cuts yields one cut for each distinct score, highest first.
func (r Ranked) cuts(w []float64) iter.Seq[cut] {
	return func(yield func(cut) bool) {
		for at := 0; at < len(r.order); {
			c := cut{score: r.score[r.order[at]]}
			for ; at < len(r.order) && r.score[r.order[at]] == c.score; at++ {
				row := r.order[at]
				if r.y[row] == 1 {
					c.pos += weigh(w, row)
				} else {
					c.neg += weigh(w, row)
				}
			}
			if !yield(c) {
				return
			}
		}
	}
}

// totals returns the weight of the positives and of the negatives.
func (r Ranked) totals(w []float64) (pos, neg float64, why Reason) {
	if r.why != "" {
		return 0, 0, r.why
	}
	if why := checkWeight(w, len(r.y)); why != "" {
		return 0, 0, why
	}
	for i, y := range r.y {
		if y == 1 {
			pos += weigh(w, i)
		} else {
			neg += weigh(w, i)
		}
	}
	return pos, neg, ""
}

// both is totals where a measure needs both classes.
func (r Ranked) both(w []float64) (pos, neg float64, why Reason) {
	pos, neg, why = r.totals(w)
	if why == "" && (pos == 0 || neg == 0) {
		why = OneClass
	}
	return pos, neg, why
}

// AUC returns the area under the ROC curve: the share of pairs of a positive and
// a negative that the score orders rightly, ties counting half (Mann-Whitney).
func (r Ranked) AUC(w []float64) Value {
	pos, neg, why := r.both(w)
	if why != "" {
		return Undefined(why)
	}
	above, won := 0.0, 0.0 // positives with a higher score; pairs won
	for c := range r.cuts(w) {
		won += c.neg * (above + c.pos/2)
		above += c.pos
	}
	return Defined(won / (pos * neg))
}

// AveragePrecision returns the sum of (R_i - R_{i-1}) P_i over the distinct
// scores, without interpolation.
func (r Ranked) AveragePrecision(w []float64) Value {
	pos, _, why := r.totals(w)
	if why == "" && pos == 0 {
		why = OneClass
	}
	if why != "" {
		return Undefined(why)
	}
	tp, all, sum := 0.0, 0.0, 0.0
	for c := range r.cuts(w) {
		tp += c.pos
		all += c.pos + c.neg
		if all > 0 {
			sum += c.pos * tp / all
		}
	}
	return Defined(sum / pos)
}

// KS returns the largest distance between the true and the false positive rate
// over all thresholds.
func (r Ranked) KS(w []float64) Value {
	ks, _ := r.KSAt(w)
	return ks
}

// KSAt returns KS and the highest threshold (score >= threshold) that has it.
func (r Ranked) KSAt(w []float64) (ks Value, threshold float64) {
	pos, neg, why := r.both(w)
	if why != "" {
		return Undefined(why), 0
	}
	tp, fp, best := 0.0, 0.0, -1.0
	for c := range r.cuts(w) {
		tp += c.pos
		fp += c.neg
		if d := abs(tp/pos - fp/neg); d > best {
			best, threshold = d, c.score
		}
	}
	return Defined(best), threshold
}

func abs(v float64) float64 { return max(v, -v) }
