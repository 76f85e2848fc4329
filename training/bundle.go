package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"ambit/internal/fault"
	"ambit/plans"
)

// bundleFormat names the form of a stored model.
const bundleFormat = "ambit-model-1"

// Bundle is a stored model: all that is needed to score a row, and to say where
// the model came from. It holds no ids of a run and no times: the same settings
// on the same data make the same bytes.
type Bundle struct {
	Format       string            `json:"format"`
	Engine       string            `json:"engine"` // name and version
	Trial        string            `json:"trial"`
	Family       plans.Family      `json:"family"`
	Objective    string            `json:"objective,omitempty"`
	Link         Link              `json:"link"`
	Task         plans.Task        `json:"task"`
	Target       string            `json:"target"`
	Classes      []string          `json:"classes,omitempty"` // in the order of a multiclass prediction
	Positive     string            `json:"positive,omitempty"`
	Encoder      Encoder           `json:"encoder"`
	Standardiser *Standardiser     `json:"standardiser,omitempty"`
	Prior        []float64         `json:"prior,omitempty"` // of the floor
	Seed         int64             `json:"seed"`
	Params       *Params           `json:"params,omitempty"`
	Rounds       int               `json:"rounds"`
	Rows         int               `json:"rows"`        // learnt from
	Fingerprint  string            `json:"fingerprint"` // of the data
	PlanHash     string            `json:"plan_hash"`   // of the plan's settings: the same content in another version gives the same
	Split        plans.Split       `json:"split"`
	Boosters     []json.RawMessage `json:"boosters"` // XGBoost JSON, features f0..fn
}

// newBundle returns the bundle of a model that was fitted on rows.
func newBundle(plan plans.Plan, engine string, m member, e Encoder, f fitted, rows int) Bundle {
	spec := plan.Spec
	b := Bundle{
		Format: bundleFormat, Engine: engine, Trial: m.name, Family: m.family, Link: m.link,
		Task: spec.Task, Target: spec.Target, Positive: spec.Positive, Encoder: e, Standardiser: f.standardiser,
		Prior: f.prior, Seed: spec.Seed, Rounds: f.rounds, Rows: rows,
		Fingerprint: spec.Fingerprint, PlanHash: spec.Settings(), Split: spec.Split, Boosters: []json.RawMessage{},
	}
	for _, c := range spec.Classes {
		b.Classes = append(b.Classes, c.Value)
	}
	for _, model := range f.boosters {
		b.Boosters = append(b.Boosters, model)
	}
	if len(f.boosters) > 0 {
		b.Objective, b.Params = f.params.Objective, &f.params
	}
	return b
}

// Marshal returns the canonical bytes of the bundle and their SHA-256 in hex.
func (b Bundle) Marshal() (raw []byte, digest string, err error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		return nil, "", fmt.Errorf("writing a model: %w", err)
	}
	sum := sha256.Sum256(buf.Bytes())
	return buf.Bytes(), hex.EncodeToString(sum[:]), nil
}

// readBundle reads what Marshal wrote. Fault: invalid.
func readBundle(raw []byte) (Bundle, error) {
	var b Bundle
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return Bundle{}, badBundle("it cannot be read").Because(err)
	}
	return b, b.check()
}

// check refuses bundles whose parts do not fit each other.
func (b Bundle) check() error {
	if b.Format != bundleFormat {
		return badBundle("its format is not " + bundleFormat)
	}
	if !b.hasClasses() {
		return badBundle("its classes do not fit its task")
	}
	if !b.Encoder.sound() {
		return badBundle("its encoder is damaged")
	}
	columns, width := b.Encoder.Width(), b.width()
	if b.Standardiser != nil && !b.Standardiser.fits(columns) {
		return badBundle("its standardiser does not fit its encoder")
	}
	switch b.Link {
	case LinkPrior:
		if len(b.Prior) != width {
			return badBundle("it has no prior for each class")
		}
		return nil
	case LinkModel:
		width = 1
	case LinkShare:
	default:
		return badBundle("its link is unknown")
	}
	if len(b.Boosters) != width {
		return badBundle("it has another number of boosters than its link needs")
	}
	return nil
}

// hasClasses reports whether there are classes as the task needs them.
func (b Bundle) hasClasses() bool {
	switch b.Task {
	case plans.Binary:
		return len(b.Classes) == 2 && slices.Contains(b.Classes, b.Positive)
	case plans.Multiclass:
		return len(b.Classes) > 2
	}
	return b.Task == plans.Regression && len(b.Classes) == 0
}

// width returns how many numbers a prediction has.
func (b Bundle) width() int { return scoreWidth(b.Task, len(b.Classes)) }

// columns returns how many features the boosters see.
func (b Bundle) columns() int {
	if b.Standardiser != nil {
		return b.Standardiser.width()
	}
	return b.Encoder.Width()
}

func badBundle(why string) *fault.Fault {
	return fault.New(fault.Invalid, "This is not a model of Ambit: %s.", why).WithFix("Give a model file that Ambit wrote, unchanged.")
}
