package training

import (
	"cmp"
	"math"
	"slices"

	"ambit/datasets"
	"ambit/plans"
)

// maxLevels is how many levels of a feature have a column of their own; the
// others share one more.
const maxLevels = 50

// nan stands for a missing value in every encoded column of its feature.
var nan = float32(math.NaN())

// Encoder turns rows of a table into rows of float32. It is fitted on the rows
// that a model learns from and on no others, and is stored with the model.
type Encoder struct {
	Features []Encoded `json:"features"` // in the order of the plan
}

// Encoded says how one feature is encoded.
type Encoded struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Encoding string   `json:"encoding"`         // number, one_hot or date_parts
	Levels   []string `json:"levels,omitempty"` // one_hot: those with a column of their own, ascending
	Pooled   bool     `json:"pooled,omitempty"` // one_hot: one more column is for all other levels
}

// sound reports whether a stored encoder is one that fitEncoder can make.
func (e Encoder) sound() bool {
	for _, f := range e.Features {
		known := f.Encoding == encodeNumber || f.Encoding == encodeOneHot || f.Encoding == encodeDate
		if !known || len(f.Levels) > maxLevels || !slices.IsSorted(f.Levels) {
			return false
		}
	}
	return true
}

// dateParts are the encoded columns of a date; a datetime has the hour too.
var dateParts = []string{"year", "month", "day", "weekday", "hour"}

// fitEncoder returns the encoder of the features, whose series the frame holds
// in the same order, as the rows of these ordinals show them.
func fitEncoder(features []plans.Feature, frame datasets.Frame, rows []int) Encoder {
	e := Encoder{Features: make([]Encoded, len(features))}
	for i, f := range features {
		e.Features[i] = Encoded{Name: f.Name, Type: f.Type, Encoding: f.Encoding}
		if f.Encoding == encodeOneHot {
			e.Features[i].fitLevels(frame.Columns[i], rows)
		}
	}
	return e
}

// fitLevels keeps the most frequent levels, of equals the first in text order.
func (f *Encoded) fitLevels(s datasets.Series, rows []int) {
	count := make([]int, len(s.Levels))
	for _, row := range rows {
		if code := s.Codes[row]; code >= 0 {
			count[code]++
		}
	}
	codes := []int{}
	for code, n := range count {
		if n > 0 {
			codes = append(codes, code)
		}
	}
	slices.SortStableFunc(codes, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	f.Pooled = len(codes) > maxLevels
	codes = codes[:min(len(codes), maxLevels)]
	f.Levels = make([]string, len(codes))
	for i, code := range codes {
		f.Levels[i] = s.Levels[code]
	}
	slices.Sort(f.Levels)
}

// width returns the encoded columns of the feature.
func (f *Encoded) width() int {
	switch f.Encoding {
	case encodeOneHot:
		if f.Pooled {
			return len(f.Levels) + 1
		}
		return len(f.Levels)
	case encodeDate:
		if f.datetime() {
			return len(dateParts)
		}
		return len(dateParts) - 1
	}
	return 1
}

func (f *Encoded) datetime() bool { return kindOf(datasets.Column{Type: f.Type}) == kindDatetime }

// Width returns the number of encoded columns.
func (e Encoder) Width() int {
	n := 0
	for i := range e.Features {
		n += e.Features[i].width()
	}
	return n
}

// Columns returns the name of each encoded column, such as "purpose=radio/tv".
func (e Encoder) Columns() []string {
	names := []string{}
	for i := range e.Features {
		for _, suffix := range e.Features[i].suffixes() {
			names = append(names, e.Features[i].Name+suffix)
		}
	}
	return names
}

// column says where an encoded column comes from.
type column struct {
	feature int
	level   bool // one of a one_hot feature: 0 or 1
}

func (e Encoder) columns() []column {
	out := []column{}
	for i := range e.Features {
		for range e.Features[i].width() {
			out = append(out, column{feature: i, level: e.Features[i].Encoding == encodeOneHot})
		}
	}
	return out
}

func (f *Encoded) suffixes() []string {
	out := []string{}
	switch f.Encoding {
	case encodeOneHot:
		for _, l := range f.Levels {
			out = append(out, "="+l)
		}
		if f.Pooled {
			out = append(out, " of other levels")
		}
	case encodeDate:
		for _, part := range dateParts[:f.width()] {
			out = append(out, "."+part)
		}
	default:
		out = append(out, "")
	}
	return out
}

// encode returns the rows of these ordinals as a matrix without labels.
func (e Encoder) encode(frame datasets.Frame, rows []int) Matrix {
	m := Matrix{Rows: len(rows), Cols: e.Width()}
	m.Data = make([]float32, m.Rows*m.Cols)
	at := 0
	for i := range e.Features {
		f := &e.Features[i]
		if f.Encoding == encodeNumber {
			writeNumbers(m, at, frame.Columns[i].Float32, rows)
		} else {
			f.writeLevels(m, at, frame.Columns[i], rows)
		}
		at += f.width()
	}
	return m
}

func writeNumbers(m Matrix, at int, values []float32, rows []int) {
	for i, row := range rows {
		m.Data[i*m.Cols+at] = finite32(values[row])
	}
}

// finite32 takes an infinity for missing: the engine refuses it.
func finite32(v float32) float32 {
	if math.IsInf(float64(v), 0) {
		return nan
	}
	return v
}

func (f *Encoded) writeLevels(m Matrix, at int, s datasets.Series, rows []int) {
	blocks := f.blocks()
	cells := make([][]float32, len(s.Levels))
	for i, level := range s.Levels {
		cells[i], _ = blocks.of(level)
	}
	for i, row := range rows {
		cell := blocks.missing
		if code := s.Codes[row]; code >= 0 {
			cell = cells[code]
		}
		copy(m.Data[i*m.Cols+at:], cell)
	}
}

// blocks are the encoded columns of a feature for each value that it can have.
type blocks struct {
	f       *Encoded
	missing []float32
	other   []float32   // of a level without a column of its own
	levels  [][]float32 // in the order of f.Levels
}

func (f *Encoded) blocks() blocks {
	w := f.width()
	b := blocks{f: f, missing: slices.Repeat([]float32{nan}, w), other: make([]float32, w)}
	if f.Encoding != encodeOneHot {
		return b
	}
	hot := make([]float32, w*len(f.Levels))
	for i := range f.Levels {
		b.levels = append(b.levels, hot[i*w:(i+1)*w])
		b.levels[i][i] = 1
	}
	if f.Pooled {
		b.other[w-1] = 1
	}
	return b
}

// of returns the encoded columns of a value, and whether the model knows it.
func (b blocks) of(text string) (cell []float32, known bool) {
	if b.f.Encoding == encodeDate {
		if cell := parseDate(text, b.f.width()); cell != nil {
			return cell, true
		}
		return b.missing, false
	}
	if i, ok := slices.BinarySearch(b.f.Levels, text); ok {
		return b.levels[i], true
	}
	return b.other, false
}
