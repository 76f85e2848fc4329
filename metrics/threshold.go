package metrics

import "math"

// Objective is what a threshold is chosen for.
type Objective string

// The objectives.
const (
	ForF1               Objective = "f1"
	ForBalancedAccuracy Objective = "balanced_accuracy"
)

// Threshold is a chosen threshold and how firmly the data choose it.
type Threshold struct {
	At        float64   `json:"threshold"`
	Objective Objective `json:"objective"`
	Score     Value     `json:"score"` // of the objective, at the threshold
	SE        Value     `json:"se"`    // its standard error
	Low       float64   `json:"low"`   // the plateau around At: every threshold in [Low, High]
	High      float64   `json:"high"`  // scores within SE of the best
}

// BestThreshold returns the threshold with the greatest objective among the
// middles between neighbouring scores; of equals, the highest.
func BestThreshold(y, score, w []float64, objective Objective) (Threshold, Reason) {
	r := Rank(y, score)
	pos, neg, why := r.both(w)
	if why != "" {
		return Threshold{}, why
	}
	measure, ok := objectives[objective]
	if !ok {
		return Threshold{}, BadArgument
	}
	middles, scores := r.thresholds(w, pos, neg, measure)
	best := 0
	for i, s := range scores {
		if s.V > scores[best].V {
			best = i
		}
	}
	out := Threshold{At: middles[best], Objective: objective, Score: Defined(scores[best].V), SE: Defined(scores[best].se)}
	floor := scores[best].V - scores[best].se
	high, low := best, best
	for high > 0 && scores[high-1].V >= floor {
		high--
	}
	for low < len(scores)-1 && scores[low+1].V >= floor {
		low++
	}
	out.High, out.Low = middles[high], middles[low]
	return out, ""
}

// scored is an objective's value and standard error.
type scored struct{ V, se float64 }

// objectives measure a confusion that has both classes.
var objectives = map[Objective]func(Confusion) scored{
	ForF1:               f1WithError,
	ForBalancedAccuracy: balancedWithError,
}

// f1WithError takes F1 = 2J/(1+J), where J = TP/(TP+FP+FN) is a share of its rows.
func f1WithError(c Confusion) scored {
	n := c.TP + c.FP + c.FN
	j := c.TP / n
	return scored{2 * j / (1 + j), 2 / ((1 + j) * (1 + j)) * math.Sqrt(j*(1-j)/n)}
}

func balancedWithError(c Confusion) scored {
	pos, neg := c.TP+c.FN, c.TN+c.FP
	tpr, tnr := c.TP/pos, c.TN/neg
	return scored{(tpr + tnr) / 2, math.Sqrt(tpr*(1-tpr)/pos+tnr*(1-tnr)/neg) / 2}
}

// thresholds returns one threshold for each cut, highest first: the middle
// between its score and the next, or its score if it is the last.
func (r Ranked) thresholds(w []float64, pos, neg float64, measure func(Confusion) scored) ([]float64, []scored) {
	var at []float64
	var scores []scored
	tp, fp := 0.0, 0.0
	for c := range r.cuts(w) {
		if n := len(at); n > 0 {
			at[n-1] = middle(c.score, at[n-1])
		}
		tp += c.pos
		fp += c.neg
		at = append(at, c.score)
		scores = append(scores, measure(Confusion{TP: tp, FP: fp, FN: max(pos-tp, 0), TN: max(neg-fp, 0)}))
	}
	return at, scores
}

// middle returns a number over low and at most high.
func middle(low, high float64) float64 {
	if m := low/2 + high/2; m > low && m <= high {
		return m
	}
	return high
}

// Payoffs are the gains (costs below 0) of the four outcomes of a decision.
type Payoffs struct {
	TP float64 `json:"tp"`
	FP float64 `json:"fp"`
	FN float64 `json:"fn"`
	TN float64 `json:"tn"`
}

// BayesThreshold returns the probability from which acting pays, if probabilities
// are calibrated: with costs C, (C_FP-C_TN) / ((C_FP-C_TN) + (C_FN-C_TP)).
// OutOfRange: acting never pays, or always does.
func BayesThreshold(p Payoffs) Value {
	if !allFinite([]float64{p.TP, p.FP, p.FN, p.TN}) {
		return Undefined(NotFinite)
	}
	refrain, act := p.TN-p.FP, p.TP-p.FN
	if refrain <= 0 || act <= 0 {
		return Undefined(OutOfRange)
	}
	return Defined(refrain / (refrain + act))
}
