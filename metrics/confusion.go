package metrics

import "math"

// Confusion counts binary predictions, by weight.
type Confusion struct {
	TP float64 `json:"tp"`
	FP float64 `json:"fp"`
	FN float64 `json:"fn"`
	TN float64 `json:"tn"`
}

// ConfusionAt counts rows with score >= threshold as predicted positive.
func ConfusionAt(y, score, w []float64, threshold float64) (Confusion, Reason) {
	if why := checkBinary(y, score, w); why != "" {
		return Confusion{}, why
	}
	if math.IsNaN(threshold) {
		return Confusion{}, NotFinite
	}
	var c Confusion
	for i := range y {
		c.count(y[i] == 1, score[i] >= threshold, weigh(w, i))
	}
	return c, ""
}

func (c *Confusion) count(positive, predicted bool, weight float64) {
	switch {
	case positive && predicted:
		c.TP += weight
	case positive:
		c.FN += weight
	case predicted:
		c.FP += weight
	default:
		c.TN += weight
	}
}

// Total is the weight of all rows.
func (c Confusion) Total() float64 { return c.TP + c.FP + c.FN + c.TN }

// Accuracy is the share of rows predicted rightly.
func (c Confusion) Accuracy() Value { return ratio(c.TP+c.TN, c.Total(), NoRows) }

// Precision is the share of the predicted positives that are positive. With none
// predicted it is UndefinedPrecision.
func (c Confusion) Precision() Value { return ratio(c.TP, c.TP+c.FP, UndefinedPrecision) }

// Recall is the share of the positives that are predicted.
func (c Confusion) Recall() Value { return ratio(c.TP, c.TP+c.FN, OneClass) }

// Specificity is the share of the negatives that are predicted negative.
func (c Confusion) Specificity() Value { return ratio(c.TN, c.TN+c.FP, OneClass) }

// F1 is the harmonic mean of precision and recall, 2TP/(2TP+FP+FN). It is 0 with
// no predicted positives; then Precision tells why.
func (c Confusion) F1() Value {
	if c.Total() == 0 {
		return Undefined(NoRows)
	}
	if c.TP == 0 {
		return Defined(0)
	}
	return Defined(2 * c.TP / (2*c.TP + c.FP + c.FN))
}

// MCC is Matthews' correlation of label and prediction, in [-1, 1]; 0 where its
// denominator is 0.
func (c Confusion) MCC() Value {
	if c.Total() == 0 {
		return Undefined(NoRows)
	}
	// Roots before the product: the product of four counts overflows sooner.
	d := math.Sqrt(c.TP+c.FP) * math.Sqrt(c.TP+c.FN) * math.Sqrt(c.TN+c.FP) * math.Sqrt(c.TN+c.FN)
	if d == 0 {
		return Defined(0)
	}
	return Defined(min(max((c.TP*c.TN-c.FP*c.FN)/d, -1), 1))
}

// BalancedAccuracy is the mean recall of the classes that are present.
func (c Confusion) BalancedAccuracy() Value {
	return meanDefined([]Value{c.Recall(), c.Specificity()})
}

// ratio is a/b, or undefined for the given reason where b is 0.
func ratio(a, b float64, why Reason) Value {
	if b == 0 {
		return Undefined(why)
	}
	return Defined(a / b)
}

// meanDefined is the mean of the values that are defined; TooFew if none is.
func meanDefined(values []Value) Value {
	sum, n := 0.0, 0
	for _, v := range values {
		if v.OK {
			sum += v.V
			n++
		}
	}
	return ratio(sum, float64(n), TooFew)
}

// at returns the measure f of the confusion at threshold 0.5.
func at(f func(Confusion) Value) func(y, p, w []float64) Value {
	return func(y, p, w []float64) Value {
		c, why := ConfusionAt(y, p, w, 0.5)
		if why != "" {
			return Undefined(why)
		}
		return f(c)
	}
}
