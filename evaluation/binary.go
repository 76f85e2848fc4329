package evaluation

import "ambit/metrics"

// Binary is what is told of two classes. Weights count in all but Positives and
// Negatives.
type Binary struct {
	Negative    string          `json:"negative"` // class 0: untrusted text, as is Positive
	Positive    string          `json:"positive"` // class 1, that Prediction is of
	Positives   int             `json:"positives"`
	Negatives   int             `json:"negatives"`
	Prevalence  float64         `json:"prevalence"` // share of positives
	Curve       []metrics.Point `json:"curve"`      // ROC: recall over fpr; PR: precision over recall; at most 200 exact points
	Gains       []metrics.Gain  `json:"gains"`      // by decile of the score, highest first
	KS          KS              `json:"ks"`
	Calibration Calibration     `json:"calibration"`
	Threshold   Threshold       `json:"threshold"`
	AtHalf      Hard            `json:"at_half"`
	AtThreshold Hard            `json:"at_threshold"`
}

// KS is the largest distance between TPR and FPR, and the threshold that has it.
type KS struct {
	Value     metrics.Value  `json:"value"`
	Threshold metrics.Value  `json:"threshold"`
	Reason    metrics.Reason `json:"reason,omitempty"`
}

// Calibration is how far probabilities are what they say.
type Calibration struct {
	Bins      []metrics.Bin  `json:"bins"` // at most 10 of equal weight; equal predictions share a bin
	ECE       metrics.Value  `json:"ece"`
	Murphy    metrics.Murphy `json:"murphy"`
	Slope     metrics.Value  `json:"slope"` // of the outcome on logit(p); 1 is calibrated, less is too sure
	Intercept metrics.Value  `json:"intercept"`
	Reason    metrics.Reason `json:"reason,omitempty"` // why there is no slope
}

// Threshold is a suggested threshold: predict positive from it on.
type Threshold struct {
	At     float64         `json:"threshold"`
	Source ThresholdSource `json:"source"`
	Score  metrics.Value   `json:"score"` // of the objective, null for another source
	SE     metrics.Value   `json:"se"`
	Low    metrics.Value   `json:"low"` // thresholds in [Low, High] score within SE of the best
	High   metrics.Value   `json:"high"`
}

// ThresholdSource says what a threshold was chosen by: an objective, or one of these.
type ThresholdSource string

// The sources that are no objective.
const (
	ByPayoffs ThresholdSource = "payoffs"
	ByDefault ThresholdSource = "default" // 0.5: too few rows, or payoffs that favour one act always
)

// Hard is a threshold's confusion and what follows from it.
type Hard struct {
	Threshold        float64           `json:"threshold"`
	Confusion        metrics.Confusion `json:"confusion"`
	Accuracy         metrics.Value     `json:"accuracy"`
	Precision        metrics.Value     `json:"precision"` // null if nothing is predicted positive
	Recall           metrics.Value     `json:"recall"`
	Specificity      metrics.Value     `json:"specificity"`
	F1               metrics.Value     `json:"f1"`
	MCC              metrics.Value     `json:"mcc"`
	BalancedAccuracy metrics.Value     `json:"balanced_accuracy"`
}

// A threshold is chosen from the data only if there are enough of them.
const (
	thresholdRows      = 50
	thresholdPositives = 20
)

func (r rows) binary() *Binary {
	b := &Binary{Negative: r.Classes[0], Positive: r.Classes[1], Calibration: r.calibration()}
	b.Positives, b.Negatives, b.Prevalence = r.balance()
	b.Curve, _ = r.ranked.Curve(r.Weight)
	b.Gains, _ = r.ranked.Gains(r.Weight, metrics.Deciles)
	b.KS.Value, b.KS.Threshold, b.KS.Reason = r.ks()
	b.Threshold = r.threshold(b.Positives)
	b.AtHalf, b.AtThreshold = r.hard(0.5), r.hard(b.Threshold.At)
	return b
}

func (r rows) balance() (positives, negatives int, prevalence float64) {
	sum, total := 0.0, 0.0
	for i, y := range r.Y {
		total += r.weight(i)
		if y == 1 {
			positives++
			sum += r.weight(i)
		}
	}
	return positives, len(r.Y) - positives, sum / total
}

func (r rows) ks() (value, threshold metrics.Value, why metrics.Reason) {
	value, at := r.ranked.KSAt(r.Weight)
	if !value.OK {
		return value, metrics.Undefined(value.Reason), value.Reason
	}
	return value, metrics.Defined(at), ""
}

func (r rows) calibration() Calibration {
	c := Calibration{Murphy: metrics.MurphySplit(r.Y, r.Prediction, r.Weight)}
	c.Bins, _ = metrics.EqualCountBins(r.Y, r.Prediction, r.Weight, metrics.CalibrationBins)
	c.ECE = metrics.CalibrationError(c.Bins)
	line, why := metrics.Recalibration(r.Y, r.Prediction, r.Weight)
	c.Slope, c.Intercept, c.Reason = metrics.Undefined(why), metrics.Undefined(why), why
	if why == "" {
		c.Slope, c.Intercept = metrics.Defined(line.Slope), metrics.Defined(line.Intercept)
	}
	return c
}

// threshold suggests Bayes' threshold for payoffs, else the best for the objective.
func (r rows) threshold(positives int) Threshold {
	byDefault := Threshold{At: 0.5, Source: ByDefault}
	if r.opts.Payoffs != nil {
		if t := metrics.BayesThreshold(*r.opts.Payoffs); t.OK {
			return Threshold{At: t.V, Source: ByPayoffs}
		}
		return byDefault
	}
	if len(r.Y) < thresholdRows || positives < thresholdPositives {
		return byDefault
	}
	t, why := metrics.BestThreshold(r.Y, r.Prediction, r.Weight, r.objective())
	if why != "" {
		return byDefault
	}
	return Threshold{t.At, ThresholdSource(t.Objective), t.Score, t.SE, metrics.Defined(t.Low), metrics.Defined(t.High)}
}

func (r rows) objective() metrics.Objective {
	if r.opts.Objective == "" {
		return metrics.ForF1
	}
	return r.opts.Objective
}

func (r rows) hard(threshold float64) Hard {
	c, _ := metrics.ConfusionAt(r.Y, r.Prediction, r.Weight, threshold)
	return Hard{
		threshold, c, c.Accuracy(), c.Precision(), c.Recall(), c.Specificity(), c.F1(), c.MCC(), c.BalancedAccuracy(),
	}
}
