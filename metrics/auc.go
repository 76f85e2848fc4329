package metrics

import "math"

// AUC returns the area under the ROC curve, ties counting half: 1 ranks every
// positive over every negative, 0.5 ranks nothing. One class is OneClass.
func AUC(y, score, w []float64) Value { return Rank(y, score).AUC(w) }

// AveragePrecision returns the area under the precision-recall curve as the sum
// of (R_i - R_{i-1}) P_i. A score that ranks nothing has the share of positives.
func AveragePrecision(y, score, w []float64) Value { return Rank(y, score).AveragePrecision(w) }

// KS returns the largest |TPR - FPR| over all thresholds.
func KS(y, score, w []float64) Value { return Rank(y, score).KS(w) }

// Gini returns 2 AUC - 1.
func Gini(y, score, w []float64) Value {
	auc := AUC(y, score, w)
	if !auc.OK {
		return auc
	}
	return Defined(2*auc.V - 1)
}

// z95 is the normal quantile of a two-sided 95% interval.
const z95 = 1.959963984540054

// AUCInterval returns the DeLong interval of the AUC, built on the logit scale
// and so within (0, 1) (DeLong et al. 1988). A score that parts the classes
// wholly, or ranks nothing, has no variance to build on: NoSpread.
func AUCInterval(y, score []float64) Interval {
	auc := AUC(y, score, nil)
	if !auc.OK {
		return noInterval(auc.Reason)
	}
	p := placements(y, score)
	v, ok := p.covariance(p)
	if !ok {
		return noInterval(TooFew)
	}
	if v <= 0 {
		return noInterval(NoSpread)
	}
	a := clip(auc.V, aucClip)
	half := z95 * math.Sqrt(v) / (a * (1 - a))
	return interval(sigmoid(logit(a)-half), sigmoid(logit(a)+half))
}

// aucClip keeps an AUC off 0 and 1 on the logit scale.
const aucClip = 1e-9

// Difference is a test of one number against another on the same rows.
type Difference struct {
	Delta    Value    // first minus second
	SE       Value    // its standard error
	P        Value    // two-sided
	Interval Interval // of Delta
}

// AUCDifference tests whether two scores of the same rows differ in AUC, by
// DeLong's test. Two scores that rank alike have Delta 0 and P 1.
func AUCDifference(y, a, b []float64) Difference {
	first, second := AUC(y, a, nil), AUC(y, b, nil)
	for _, v := range []Value{first, second} {
		if !v.OK {
			return noDifference(v.Reason)
		}
	}
	pa, pb := placements(y, a), placements(y, b)
	va, ok := pa.covariance(pa)
	if !ok {
		return noDifference(TooFew)
	}
	vb, _ := pb.covariance(pb)
	cov, _ := pa.covariance(pb)
	return normalDifference(first.V-second.V, va+vb-2*cov)
}

// normalDifference is the z test of delta with the given variance.
func normalDifference(delta, variance float64) Difference {
	// Rounding leaves about this much of the variance of two equal rankings.
	if variance < 1e-18 {
		if math.Abs(delta) < 1e-12 {
			return Difference{Defined(0), Defined(0), Defined(1), interval(0, 0)}
		}
		d := noDifference(NoSpread)
		d.Delta = Defined(delta)
		return d
	}
	se := math.Sqrt(variance)
	return Difference{
		Delta:    Defined(delta),
		SE:       Defined(se),
		P:        Defined(math.Erfc(math.Abs(delta) / se / math.Sqrt2)),
		Interval: interval(delta-z95*se, delta+z95*se),
	}
}

func noDifference(why Reason) Difference {
	return Difference{Undefined(why), Undefined(why), Undefined(why), noInterval(why)}
}

// placed holds DeLong's placement values, in row order within each class: of a
// positive, the share of negatives below it; of a negative, of positives above it.
type placed struct{ v10, v01 []float64 }

// placements needs checked rows of both classes.
func placements(y, score []float64) placed {
	r := Rank(y, score)
	pos, neg, _ := r.both(nil)
	value := make([]float64, len(y))
	above, below, at := 0.0, neg, 0
	for c := range r.cuts(nil) {
		below -= c.neg
		for range int(c.pos + c.neg) {
			row := r.order[at]
			if y[row] == 1 {
				value[row] = (below + c.neg/2) / neg
			} else {
				value[row] = (above + c.pos/2) / pos
			}
			at++
		}
		above += c.pos
	}
	var p placed
	for i, v := range value {
		if y[i] == 1 {
			p.v10 = append(p.v10, v)
		} else {
			p.v01 = append(p.v01, v)
		}
	}
	return p
}

// covariance is S10/n1 + S01/n0. ok is false when a class has one row.
func (p placed) covariance(q placed) (v float64, ok bool) {
	n1, n0 := float64(len(p.v10)), float64(len(p.v01))
	if n1 < 2 || n0 < 2 {
		return 0, false
	}
	return covariance(p.v10, q.v10)/n1 + covariance(p.v01, q.v01)/n0, true
}

// covariance is the sample covariance, over n-1.
func covariance(x, y []float64) float64 {
	mx, my, sum := average(x), average(y), 0.0
	for i := range x {
		sum += (x[i] - mx) * (y[i] - my)
	}
	return sum / float64(len(x)-1)
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// clip keeps p within [eps, 1-eps].
func clip(p, eps float64) float64 { return min(max(p, eps), 1-eps) }

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}
