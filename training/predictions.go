package training

import (
	"encoding/json"

	"ambit/plans"
)

// Predictions are what the models of the folds say of the rows that they have
// not seen: the only predictions that a run's performance is measured on.
type Predictions struct {
	Label    string     `json:"label"` // "oof"
	Task     plans.Task `json:"task"`
	Classes  []string   `json:"classes,omitempty"` // in ascending text order
	Positive string     `json:"positive,omitempty"`
	K        int        `json:"k"`
	Rows     []int      `json:"rows"`  // ordinals in the dataset version, ascending
	Fold     []int      `json:"fold"`  // of each row
	Truth    []float64  `json:"truth"` // 1 for the positive class and 0, a class index, or the amount
	// Scores are the probability of the positive class, one probability a class
	// (row-major), or the amount.
	Scores []float64 `json:"scores"`
}

// Evaluator measures predictions. What it returns is kept with the trial.
type Evaluator interface {
	Evaluate(p Predictions) (json.RawMessage, error)
}
