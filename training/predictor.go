package training

import (
	"ambit/internal/fault"
	"ambit/plans"
)

// Booster scores rows in this process. It is safe for concurrent use.
type Booster interface {
	Features() int // values of a row
	Groups() int   // margins of a row: one, or one a class
	// Margin writes the margins of one row of features, NaN being missing.
	Margin(row, out []float32)
}

// ParseBooster reads a booster of a bundle, checking that it is sound.
type ParseBooster func(model []byte) (Booster, error)

// Predictor scores rows of named values with a stored model. It is safe for
// concurrent use.
type Predictor struct {
	bundle   Bundle
	rows     *rowEncoder
	boosters []Booster
}

// Prediction is what a model says of a row.
type Prediction struct {
	Value         *float64  `json:"value,omitempty"`         // regression
	Probability   *float64  `json:"probability,omitempty"`   // binary: of the positive class
	Class         string    `json:"class,omitempty"`         // the most probable one; binary: at 0.5
	Probabilities []float64 `json:"probabilities,omitempty"` // multiclass, in the order of the bundle's classes
	Flags         []Flag    `json:"flags"`
}

// Open reads the bytes of a bundle. Fault: invalid.
func Open(raw []byte, parse ParseBooster) (*Predictor, error) {
	b, err := readBundle(raw)
	if err != nil {
		return nil, err
	}
	p := &Predictor{bundle: b, rows: newRowEncoder(b.Encoder)}
	for _, model := range b.Boosters {
		booster, err := parse(model)
		if err != nil {
			return nil, badBundle("one of its boosters is not sound").Because(err)
		}
		if booster.Features() != b.columns() || booster.Groups()*len(b.Boosters) != b.width() {
			return nil, badBundle("one of its boosters does not fit its encoder or its classes")
		}
		p.boosters = append(p.boosters, booster)
	}
	return p, nil
}

// Bundle returns what the model says of itself.
func (p *Predictor) Bundle() Bundle { return p.bundle }

// Predict scores a row: a value for each feature, missing ones left out or null.
// Fault: invalid, naming unknown features with the nearest ones, and columns
// whose value has the wrong type.
func (p *Predictor) Predict(row map[string]any) (Prediction, error) {
	x, flags, err := p.Encode(row)
	if err != nil {
		return Prediction{}, err
	}
	scores := make([]float64, p.bundle.width())
	p.Scores(x, scores)
	return p.prediction(scores, flags), nil
}

// Encode returns a row as the model's boosters see it. Fault: as of Predict.
func (p *Predictor) Encode(row map[string]any) ([]float32, []Flag, error) {
	x := make([]float32, p.rows.width)
	flags, err := p.rows.encode(row, x)
	if err != nil {
		return nil, nil, p.explain(row, err)
	}
	if p.bundle.Standardiser == nil {
		return x, flags, nil
	}
	standard := make([]float32, p.bundle.columns())
	p.bundle.Standardiser.applyRow(x, standard)
	return standard, flags, nil
}

// explain adds to the fault of a row that it holds the target, which is no feature.
func (p *Predictor) explain(row map[string]any, err error) error {
	if _, ok := row[p.bundle.Target]; !ok {
		return err
	}
	return fault.From(err).WithFix("Leave the target out: it is what the model predicts.")
}

// Scores predicts an encoded row into out: the probability of the positive
// class, one probability a class, or the amount.
func (p *Predictor) Scores(x []float32, out []float64) {
	b := p.bundle
	if b.Link == LinkPrior {
		copy(out, b.Prior)
		return
	}
	margins := make([]float32, len(out))
	for i, booster := range p.boosters {
		booster.Margin(x, margins[i*booster.Groups():])
	}
	for i, m := range margins {
		out[i] = float64(m)
	}
	b.Link.apply(b.Task, out)
}

func (p *Predictor) prediction(scores []float64, flags []Flag) Prediction {
	out := Prediction{Flags: flags}
	switch p.bundle.Task {
	case plans.Regression:
		out.Value = &scores[0]
	case plans.Binary:
		out.Probability = &scores[0]
		out.Class = p.bundle.Positive
		if scores[0] < 0.5 {
			out.Class = p.bundle.negative()
		}
	default:
		out.Probabilities = scores
		best := 0
		for i, v := range scores {
			if v > scores[best] {
				best = i
			}
		}
		out.Class = p.bundle.Classes[best]
	}
	return out
}

// negative returns the class of a binary target that is not the positive one.
func (b Bundle) negative() string {
	for _, c := range b.Classes {
		if c != b.Positive {
			return c
		}
	}
	return ""
}
