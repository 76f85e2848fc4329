package metrics

// MaxPoints is the most points that a curve has.
const MaxPoints = 200

// Point is a threshold and what it does: rows with score >= Threshold are
// predicted positive. The ROC curve is Recall over FPR, the precision-recall
// curve Precision over Recall. Threshold and Precision of the first point, which
// predicts nothing positive, are undefined.
type Point struct {
	Threshold Value   `json:"threshold"`
	TP        float64 `json:"tp"`
	FP        float64 `json:"fp"`
	FN        float64 `json:"fn"`
	TN        float64 `json:"tn"`
	FPR       float64 `json:"fpr"`
	Recall    float64 `json:"recall"` // the true positive rate
	Precision Value   `json:"precision"`
}

// Curve returns at most MaxPoints exact points, from predicting nothing positive
// to predicting everything: all thresholds, or those that part the way of
// TPR + FPR most evenly. No point is interpolated.
func (r Ranked) Curve(w []float64) ([]Point, Reason) {
	pos, neg, why := r.both(w)
	if why != "" {
		return nil, why
	}
	points := []Point{newPoint(Undefined(UndefinedPrecision), 0, 0, pos, neg)}
	tp, fp := 0.0, 0.0
	for c := range r.cuts(w) {
		tp += c.pos
		fp += c.neg
		if c.pos+c.neg > 0 {
			points = append(points, newPoint(Defined(c.score), tp, fp, pos, neg))
		}
	}
	return thin(points), ""
}

// Curve ranks the rows and returns their curve.
func Curve(y, score, w []float64) ([]Point, Reason) { return Rank(y, score).Curve(w) }

func newPoint(threshold Value, tp, fp, pos, neg float64) Point {
	c := Confusion{TP: tp, FP: fp, FN: max(pos-tp, 0), TN: max(neg-fp, 0)}
	return Point{threshold, c.TP, c.FP, c.FN, c.TN, min(fp/neg, 1), min(tp/pos, 1), c.Precision()}
}

// thin keeps the first point at or after each of MaxPoints even marks.
func thin(points []Point) []Point {
	if len(points) <= MaxPoints {
		return points
	}
	kept := points[:0:0]
	mark := 0
	for i, p := range points {
		last := i == len(points)-1
		if !last && (len(kept) == MaxPoints-1 || p.FPR+p.Recall < 2*float64(mark)/(MaxPoints-1)) {
			continue
		}
		kept = append(kept, p)
		for mark < MaxPoints-1 && p.FPR+p.Recall >= 2*float64(mark)/(MaxPoints-1) {
			mark++
		}
	}
	return kept
}
