package evaluation

import (
	"fmt"

	"ambit/metrics"
)

const (
	smallRows = 300
	fewRows   = 20 // of a class
)

// caveats lists what to know before trusting e.
func (r rows) caveats(e Evaluation) []Caveat {
	var c caveatList
	c.when(e.Rows < smallRows, "small", "Fewer than %d rows: intervals are wide.", smallRows)
	c.when(e.Label == External, "external", "Predicted elsewhere: that the model had not seen these rows is not verified.")
	switch e.Task {
	case metrics.Binary:
		r.binaryCaveats(&c, e.Binary)
	case metrics.Multiclass:
		r.multiclassCaveats(&c, e.Multiclass)
	case metrics.Regression:
		c.when(e.Label == Holdout && !r.opts.TrainMean.OK, "r2_baseline", "R2 is against the mean of these rows, not of the training rows.")
		c.when(e.Regression.MAPE.Excluded > 0, "mape_excluded", "MAPE leaves out %s with an actual value of 0.", counted(e.Regression.MAPE.Excluded, "row", "rows"))
		c.when(e.Metrics["r2"].Reason == metrics.NoSpread, "constant_target", "The target has one value in these rows: R2 is undefined.")
	}
	if e.Folds != nil {
		c.when(undefinedFolds(e) > 0, "undefined_folds", "In %s the main metric is undefined and left out of the mean.", counted(undefinedFolds(e), "fold", "folds"))
	}
	return c
}

type caveatList []Caveat

func (c *caveatList) when(ok bool, code, format string, args ...any) {
	if ok {
		*c = append(*c, Caveat{code, fmt.Sprintf(format, args...)})
	}
}

func (r rows) binaryCaveats(c *caveatList, b *Binary) {
	least := min(b.Positives, b.Negatives)
	c.when(least == 0, "one_class", "Only one class occurs in these rows: what compares the classes is undefined.")
	c.when(least > 0 && least < fewRows, "few_of_a_class", "The rarer class has %s.", counted(least, "row", "rows"))
	c.when(b.Threshold.Source == ByDefault && r.opts.Payoffs == nil, "default_threshold",
		"The threshold is 0.5: choosing one takes %d rows, %d of them positive, and both classes.", thresholdRows, thresholdPositives)
	c.when(b.Threshold.Source == ByDefault && r.opts.Payoffs != nil, "payoffs_favour_one_act",
		"The payoffs favour one act for every row: the threshold is 0.5.")
	capped := 0
	for i, y := range r.Y {
		if y == 1 && r.Prediction[i] < metrics.LogLossClip || y == 0 && r.Prediction[i] > 1-metrics.LogLossClip {
			capped++
		}
	}
	c.when(capped > 0, "capped_logloss", "Log loss is capped for %s that were ruled out and came true.", counted(capped, "row", "rows"))
}

func (r rows) multiclassCaveats(c *caveatList, m *Multiclass) {
	absent, few := 0, 0
	for _, class := range m.Classes {
		switch {
		case class.Support == 0:
			absent++
		case class.Support < fewRows:
			few++
		}
	}
	c.when(absent > 0, "absent_classes", "%s of %d without a row here.", counted(absent, "class", "classes"), len(m.Classes))
	c.when(few > 0, "few_of_a_class", "%s with fewer than %d rows.", counted(few, "class", "classes"), fewRows)
	c.when(m.Confusion == nil, "confusion_left_out", "The confusion matrix is left out: it is shown up to %d classes.", matrixClasses)
}

// undefinedFolds counts the folds without the primary metric.
func undefinedFolds(e Evaluation) int {
	n := 0
	for _, v := range e.Folds.Metrics[e.Primary].Values {
		if !v.OK {
			n++
		}
	}
	return n
}
