package training

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ambit/internal/fault"
)

// Flag says that a value of a row is not as the model has seen it.
type Flag struct {
	Column string `json:"column"`
	Kind   string `json:"kind"` // missing, unseen, or pooled: counted among the feature's rarer levels
}

// Kinds of flags.
const (
	FlagMissing = "missing"
	FlagUnseen  = "unseen"
	FlagPooled  = "pooled"
)

// rowEncoder encodes single rows of named values.
type rowEncoder struct {
	names  []string // of the features
	blocks []blocks // of the features
	width  int
}

func newRowEncoder(e Encoder) *rowEncoder {
	r := &rowEncoder{width: e.Width()}
	for i := range e.Features {
		r.names = append(r.names, e.Features[i].Name)
		r.blocks = append(r.blocks, e.Features[i].blocks())
	}
	return r
}

// encode writes a row to out, which has width elements, and flags what is
// missing or new, in the order of the features. A value may be a number or its
// text, a boolean, a text, a date as ISO 8601 text, or null; a feature that is
// not in the row is missing.
// Fault: invalid, naming each unknown feature with the nearest ones, and each
// column whose value has the wrong type.
func (r *rowEncoder) encode(row map[string]any, out []float32) ([]Flag, error) {
	wrong := r.unknown(row)
	flags, at := []Flag{}, 0
	for i, b := range r.blocks {
		w := len(b.missing)
		kind, err := b.encode(row[r.names[i]], out[at:at+w])
		if err != nil {
			wrong = append(wrong, fault.Field{Path: r.names[i], Rule: err.Error()})
		}
		if kind != "" {
			flags = append(flags, Flag{Column: r.names[i], Kind: kind})
		}
		at += w
	}
	return flags, fault.InvalidFields(wrong)
}

// unknown returns the names of the row that are no features, in text order.
func (r *rowEncoder) unknown(row map[string]any) (wrong []fault.Field) {
	for name := range row {
		if !slices.Contains(r.names, name) {
			wrong = append(wrong, fault.Field{Path: name, Rule: "is not a feature of the model", Valid: nearest(name, r.names)})
		}
	}
	slices.SortFunc(wrong, func(a, b fault.Field) int { return strings.Compare(a.Path, b.Path) })
	return wrong
}

// encode writes the encoded value and returns the kind of its flag, or "".
func (b blocks) encode(value any, out []float32) (string, error) {
	if text, ok := value.(string); value == nil || ok && text == "" {
		copy(out, b.missing)
		return FlagMissing, nil
	}
	if b.f.Encoding == encodeNumber {
		v, err := number(value)
		out[0] = finite32(float32(v))
		return "", err
	}
	text, err := levelText(value)
	if err != nil {
		return "", err
	}
	cell, known := b.of(text)
	copy(out, cell)
	switch {
	case known:
		return "", nil
	case b.f.Encoding == encodeDate:
		return "", fmt.Errorf("must be a date such as 2024-05-31 or 2024-05-31T08:00:00Z")
	case b.f.Pooled:
		return FlagPooled, nil
	}
	return FlagUnseen, nil
}

// number reads a number, a text of one, or a boolean as 0 or 1.
func number(value any) (float64, error) {
	switch v := value.(type) {
	case float64:
		return finiteNumber(v, nil)
	case int:
		return float64(v), nil
	case int64:
		return float64(v), nil
	case json.Number:
		return finiteNumber(strconv.ParseFloat(v.String(), 64))
	case string:
		return finiteNumber(strconv.ParseFloat(strings.TrimSpace(v), 64))
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	}
	return 0, errNumber()
}

func finiteNumber(v float64, err error) (float64, error) {
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errNumber()
	}
	return v, nil
}

func errNumber() error { return fmt.Errorf("must be a number") }

// levelText returns a value as the text that a table's engine writes for it.
func levelText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case json.Number:
		return v.String(), nil
	}
	return "", fmt.Errorf("must be a text, a number or a boolean")
}
