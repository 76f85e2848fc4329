// Package evaluation measures predictions against what came true.
//
// An Evaluation says from which rows its numbers are (Label); there is no label for
// rows that the model was fitted on, so no such number can be shown. Its sentences
// are made of our own words and numbers: names of classes and rows stay in data
// fields. One Set and one seed give one Evaluation.
package evaluation

import (
	"ambit/metrics"
)

// Label says which rows an evaluation is from.
type Label string

// The labels. The zero Label is refused.
const (
	OOF      Label = "oof"      // cross-validated: each row was predicted by a model that had not seen it
	Holdout  Label = "holdout"  // sealed: no choice was made on these rows
	External Label = "external" // predicted elsewhere; how is not verified
)

// Set is a set of predictions with what came true. Its columns have one row each
// for a case.
type Set struct {
	Task       metrics.Task // binary, multiclass or regression
	Classes    []string     // of index 0, 1, …; binary: the negative, the positive; regression: none
	Y          []float64    // what came true: a class index, or a value
	Prediction []float64    // binary: probability of class 1; multiclass: rows of len(Classes) probabilities, row-major; regression: a value
	Weight     []float64    // or nil
	Fold       []int        // or nil: the fold that predicted the row
	Group      []int        // or nil: rows of one group are resampled together
	ID         []string     // or nil: what to call a row; otherwise its number from 0
}

// Options say how to evaluate. Only Label has no default.
type Options struct {
	Label     Label
	Seed      int64             // of the bootstrap and of sampled points
	Reps      int               // resamples; 0 takes 500
	TrainMean metrics.Value     // mean of the training target, that R2 is against; undefined: mean of Y
	Objective metrics.Objective // what a threshold is chosen for; "" is F1
	Payoffs   *metrics.Payoffs  // if set, the threshold is Bayes'
}

// Evaluation is one prediction set's measures. Exactly one of Binary, Multiclass
// and Regression is set.
type Evaluation struct {
	Task       metrics.Task     `json:"task"`
	Label      Label            `json:"label"`
	Headline   string           `json:"headline"` // at most 140 characters
	Rows       int              `json:"rows"`
	Seed       int64            `json:"seed"`
	Params     Params           `json:"params_resolved"`
	Primary    string           `json:"primary_metric"`
	Metrics    map[string]Score `json:"metrics"`
	Folds      *Folds           `json:"folds,omitempty"`
	Binary     *Binary          `json:"binary,omitempty"`
	Multiclass *Multiclass      `json:"multiclass,omitempty"`
	Regression *Regression      `json:"regression,omitempty"`
	Caveats    []Caveat         `json:"caveats"`
}

// Params are the options with their defaults filled in.
type Params struct {
	Weighted   bool    `json:"weighted"`
	Grouped    bool    `json:"grouped"`
	Resamples  int     `json:"resamples"`
	Confidence float64 `json:"confidence"`
	R2Baseline string  `json:"r2_baseline,omitempty"` // train_mean or mean_of_rows
}

// Score is one metric's value, or null with the reason.
type Score struct {
	Value          metrics.Value  `json:"value"`
	Reason         metrics.Reason `json:"reason,omitempty"`
	HigherIsBetter bool           `json:"higher_is_better"`
	CI             *CI            `json:"ci,omitempty"`
}

// CI is a 95% interval, or nulls with the reason.
type CI struct {
	Low    metrics.Value  `json:"low"`
	High   metrics.Value  `json:"high"`
	Method string         `json:"method"` // delong, wilson or bootstrap
	Reason metrics.Reason `json:"reason,omitempty"`
}

// Caveat is something to know before trusting a number.
type Caveat struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Evaluate measures a set. Fault: invalid, with every field that is wrong; a
// number that is not finite is refused, not skipped.
func Evaluate(set Set, opts Options) (Evaluation, error) {
	if err := check(set, opts); err != nil {
		return Evaluation{}, err
	}
	r := prepare(set, opts)
	e := Evaluation{
		Task: set.Task, Label: opts.Label, Rows: len(set.Y), Seed: opts.Seed,
		Params:  Params{Weighted: set.Weight != nil, Grouped: set.Group != nil, Resamples: r.reps, Confidence: 0.95},
		Metrics: r.scores(), Folds: r.folds(), Caveats: []Caveat{},
	}
	if m, ok := metrics.Default(set.Task); ok {
		e.Primary = m.Name
	}
	switch set.Task {
	case metrics.Binary:
		e.Binary = r.binary()
	case metrics.Multiclass:
		e.Multiclass = r.multiclass()
	case metrics.Regression:
		e.Regression = r.regression()
		e.Params.R2Baseline = r.baselineName()
	}
	e.Headline = headline(e)
	e.Caveats = append(e.Caveats, r.caveats(e)...)
	return e, nil
}
