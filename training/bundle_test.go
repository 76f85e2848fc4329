package training

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/plans"
)

// additive is a booster whose margins are the sum of its features, plus the group.
type additive struct{ features, groups int }

func (a additive) Features() int { return a.features }
func (a additive) Groups() int   { return a.groups }

func (a additive) Margin(row, out []float32) {
	for g := range a.groups {
		out[g] = float32(g)
		for _, v := range row {
			out[g] += v
		}
	}
}

func parseAdditive(model []byte) (Booster, error) {
	var a struct{ Features, Groups int }
	err := json.Unmarshal(model, &a)
	if a.Features == 0 && err == nil {
		err = fmt.Errorf("no features")
	}
	return additive{a.Features, a.Groups}, err
}

func binaryBundle() Bundle {
	return Bundle{
		Format: bundleFormat, Engine: "xgboost 1.7.4", Trial: "ambit-0", Family: plans.Trees, Link: LinkModel,
		Task: plans.Binary, Target: "y", Classes: []string{"bad", "good"}, Positive: "bad",
		Encoder:  Encoder{Features: []Encoded{{Name: "a", Type: "DOUBLE", Encoding: encodeNumber}, {Name: "b", Type: "DOUBLE", Encoding: encodeNumber}}},
		Boosters: []json.RawMessage{json.RawMessage(`{"features":2,"groups":1}`)},
	}
}

func TestBundleBytes(t *testing.T) {
	b := binaryBundle()
	b.Classes, b.Positive = []string{"<0", "&co"}, "&co" // not escaped
	raw, digest, err := b.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if again, same, _ := b.Marshal(); !bytes.Equal(raw, again) || digest != same {
		t.Error("two marshals differ")
	}
	if !bytes.Contains(raw, []byte(`"classes":["<0","&co"]`)) || len(digest) != 64 {
		t.Errorf("digest %s of %s", digest, raw)
	}
	read, err := readBundle(raw)
	if err != nil {
		t.Fatal(err)
	}
	if back, _, _ := read.Marshal(); !bytes.Equal(raw, back) {
		t.Errorf("read and written again:\n%s\nwant\n%s", back, raw)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Bundle)
		want   string
	}{
		{"sound", func(*Bundle) {}, ""},
		{"other format", func(b *Bundle) { b.Format = "ambit-model-2" }, "its format is not ambit-model-1"},
		{"unknown link", func(b *Bundle) { b.Link = "" }, "its link is unknown"},
		{"no booster", func(b *Bundle) { b.Boosters = nil }, "it has another number of boosters than its link needs"},
		{"two boosters", func(b *Bundle) { b.Boosters = append(b.Boosters, b.Boosters[0]) }, "it has another number of boosters than its link needs"},
		{"a class too many", func(b *Bundle) { b.Task, b.Classes = plans.Multiclass, []string{"a", "b", "c"} },
			"one of its boosters does not fit its encoder or its classes"},
		{"a feature too few", func(b *Bundle) { b.Encoder.Features = b.Encoder.Features[:1] },
			"one of its boosters does not fit its encoder or its classes"},
		{"unsound booster", func(b *Bundle) { b.Boosters[0] = json.RawMessage(`{}`) }, "one of its boosters is not sound"},
		{"no classes", func(b *Bundle) { b.Classes = nil }, "its classes do not fit its task"},
		{"positive of no class", func(b *Bundle) { b.Positive = "worse" }, "its classes do not fit its task"},
		{"no task", func(b *Bundle) { b.Task = "" }, "its classes do not fit its task"},
		{"classes of an amount", func(b *Bundle) { b.Task = plans.Regression }, "its classes do not fit its task"},
		{"unknown encoding", func(b *Bundle) { b.Encoder.Features[0].Encoding = "hash" }, "its encoder is damaged"},
		{"unsorted levels", func(b *Bundle) {
			b.Encoder.Features[0] = Encoded{Name: "a", Encoding: encodeOneHot, Levels: []string{"b", "a"}}
		}, "its encoder is damaged"},
		{"no prior", func(b *Bundle) { b.Link, b.Boosters = LinkPrior, nil }, "it has no prior for each class"},
		{"short standardiser", func(b *Bundle) { b.Standardiser = &Standardiser{Median: []float64{0}} }, "its standardiser does not fit its encoder"},
		{"division by zero", func(b *Bundle) {
			b.Standardiser = &Standardiser{Median: make([]float64, 2), Mean: make([]float64, 2), SD: make([]float64, 2), Level: make([]bool, 2)}
		}, "its standardiser does not fit its encoder"},
		{"indicator of no column", func(b *Bundle) {
			b.Standardiser = &Standardiser{Median: make([]float64, 2), Mean: make([]float64, 2), SD: []float64{1, 1}, Level: make([]bool, 2), Indicators: []int{2}}
		}, "its standardiser does not fit its encoder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := binaryBundle()
			tt.change(&b)
			raw, _, err := b.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			_, err = Open(raw, parseAdditive)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Open = %v, want none", err)
				}
				return
			}
			if f := fault.From(err); f.Code != fault.Invalid || !strings.Contains(f.Detail, tt.want) {
				t.Errorf("Open = %v, want invalid: %s", err, tt.want)
			}
		})
	}
	for _, raw := range []string{"", "{", `{"format":"ambit-model-1","surprise":1}`, "null"} {
		if _, err := Open([]byte(raw), parseAdditive); !fault.Is(err, fault.Invalid) {
			t.Errorf("Open(%q) = %v, want invalid", raw, err)
		}
	}
}

func TestPredict(t *testing.T) {
	multi := func(b *Bundle) {
		b.Task, b.Positive, b.Classes = plans.Multiclass, "", []string{"a", "b", "c"}
		b.Boosters[0] = json.RawMessage(`{"features":2,"groups":3}`)
	}
	tests := []struct {
		name   string
		change func(*Bundle)
		row    map[string]any
		want   string
	}{
		{"binary", func(*Bundle) {}, map[string]any{"a": 0.0, "b": 0.0}, `{"probability":0.5,"class":"bad","flags":[]}`},
		{"binary, less probable", func(*Bundle) {}, map[string]any{"a": -800.0, "b": 0.0}, `{"probability":0,"class":"good","flags":[]}`},
		{"amount", func(b *Bundle) { b.Task, b.Classes = plans.Regression, nil }, map[string]any{"a": 1.5, "b": "2"}, `{"value":3.5,"flags":[]}`},
		{"several classes", multi, map[string]any{"a": 1.0, "b": 1.0},
			`{"class":"c","probabilities":[0.09003057317038046,0.24472847105479764,0.6652409557748218],"flags":[]}`},
		{"standardised", func(b *Bundle) {
			b.Task, b.Classes = plans.Regression, nil
			b.Standardiser = &Standardiser{Median: []float64{9, 4}, Mean: []float64{1, 0}, SD: []float64{2, 1}, Level: make([]bool, 2)}
		}, map[string]any{"a": 5}, `{"value":6,"flags":[{"column":"b","kind":"missing"}]}`},
		{"floor", func(b *Bundle) { b.Link, b.Boosters, b.Prior = LinkPrior, nil, []float64{0.3} }, map[string]any{"a": 5, "b": 1},
			`{"probability":0.3,"class":"good","flags":[]}`},
		{"forests of classes", func(b *Bundle) {
			multi(b)
			one := json.RawMessage(`{"features":2,"groups":1}`)
			b.Link, b.Boosters = LinkShare, []json.RawMessage{one, one, one}
		}, map[string]any{"a": 0.5, "b": 0}, `{"class":"a","probabilities":[0.3333333333333333,0.3333333333333333,0.3333333333333333],"flags":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := binaryBundle()
			tt.change(&b)
			raw, _, err := b.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			p, err := Open(raw, parseAdditive)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Predict(tt.row)
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := json.Marshal(got); string(text) != tt.want {
				t.Errorf("Predict(%v) = %s, want %s", tt.row, text, tt.want)
			}
		})
	}
}

func TestPredictRefusesTheTarget(t *testing.T) {
	raw, _, _ := binaryBundle().Marshal()
	p, err := Open(raw, parseAdditive)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Predict(map[string]any{"a": 1, "y": "bad"})
	f := fault.From(err)
	if f.Code != fault.Invalid || f.Fix != "Leave the target out: it is what the model predicts." || !slices.Equal(f.Fields[0].Valid, []string{"a", "b"}) {
		t.Errorf("Predict with the target = %+v", f)
	}
}
