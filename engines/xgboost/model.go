package xgboost

import (
	"fmt"

	"ambit/internal/fault"
)

// MaxModelBytes bounds a model file.
const MaxModelBytes = 1 << 30

// Kind says what a model is made of.
type Kind string

// The kinds of models.
const (
	Trees  Kind = "trees"  // boosted trees
	Forest Kind = "forest" // several trees a round
	Dart   Kind = "dart"   // boosted trees with weights
	Linear Kind = "linear" // gblinear
)

// Model is a checked model that scores rows exactly as the library does: its
// margins are equal to the last bit. It is immutable and safe for concurrent use.
type Model struct {
	kind      Kind
	objective string
	features  int
	groups    int
	rounds    int
	base      float32 // margin before any tree or weight
	types     []string

	nodes []node
	roots []uint32  // of each tree, in the order of their sums
	group []int32   // of each tree: where its leaf is added
	drop  []float32 // dart: weight of each tree

	sets    []categorySet
	bits    []uint32  // of the sets
	weights []float32 // linear: features × groups, then a bias a group
}

// Parse checks a model that XGBoost 1.7 wrote as JSON and prepares it for
// scoring. Everything that the library would trust blindly is checked: each
// array and its length, each count, parent, child, id, feature and category,
// the depth and the size. A file that passes is safe to load there.
// Fault: invalid.
func Parse(model []byte) (*Model, error) {
	m, err := parse(model)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The model file is damaged or was not written by XGBoost 1.7: %v.", err).
			WithFix("Save the model again with XGBoost 1.7, as JSON (save_model(\"model.json\")).")
	}
	return m, nil
}

func parse(model []byte) (*Model, error) {
	if len(model) > MaxModelBytes {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", len(model), MaxModelBytes)
	}
	// The library takes what does not begin so for one of its binary formats.
	if len(model) == 0 || model[0] != '{' {
		return nil, fmt.Errorf("it does not begin with {")
	}
	d := &document{scanner: scanner{data: model}, model: &Model{}}
	d.read()
	if d.err != nil {
		return nil, d.err
	}
	if err := d.assemble(); err != nil {
		return nil, err
	}
	return d.model, nil
}

// Kind returns what the model is made of.
func (m *Model) Kind() Kind { return m.kind }

// Objective returns what was optimised, such as "binary:logistic".
func (m *Model) Objective() string { return m.objective }

// Features returns the number of values of a row.
func (m *Model) Features() int { return m.features }

// Groups returns the number of margins of a row: the classes of
// multi:softprob, else 1.
func (m *Model) Groups() int { return m.groups }

// Rounds returns the number of boosting rounds.
func (m *Model) Rounds() int { return m.rounds }
