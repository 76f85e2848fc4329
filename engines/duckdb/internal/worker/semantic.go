package worker

import (
	"regexp"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
)

// Thresholds for what a column means.
const (
	idRows      = 20  // fewer rows say nothing about a key
	idWords     = 1.2 // a key is one word
	idLength    = 64
	textWords   = 5.0 // prose has this many words on average
	textShare   = 0.5 // or this share of the values differ, of many
	textValues  = 1_000
	sparseWords = 1.5
)

// idName matches names that keys have: id, customer_id, CustomerID, uuid.
var idName = regexp.MustCompile(`(?i:^(id|key|uuid|guid|row_?id|index)$)|(?i:[_ .-](id|key|uuid|guid|no|nr)$)|[a-z](Id|ID)$`)

// semantic says what a column probably means.
func semantic(p datasets.ColumnProfile, f field, rows int64) datasets.Semantic {
	switch {
	case p.Distinct <= 1 && p.Nonfinite == 0 && (p.Missing == 0 || p.Missing == rows):
		return datasets.Constant
	case f.typ == duck.TypeBoolean, twoValued(p):
		return datasets.Boolean
	case f.typ == duck.TypeDate:
		return datasets.Date
	case f.isMoment():
		return datasets.Datetime
	case f.typ == duck.TypeUUID:
		return datasets.ID
	case f.form() == wholeForm:
		return wholeSemantic(p, rows)
	case f.form() == floatForm:
		return datasets.Number
	case f.typ == duck.TypeVarchar:
		return textSemantic(p, rows)
	case f.typ == duck.TypeEnum:
		return datasets.Category
	}
	return datasets.Other
}

// twoValued reports whether a column of numbers or texts holds 0 and 1, or yes and no.
func twoValued(p datasets.ColumnProfile) bool {
	if p.Distinct != 2 || p.Min == nil || p.Max == nil {
		return false
	}
	switch [2]string{*p.Min, *p.Max} {
	case [2]string{"0", "1"}, [2]string{"no", "yes"}, [2]string{"No", "Yes"}, [2]string{"NO", "YES"}, [2]string{"n", "y"}, [2]string{"N", "Y"},
		[2]string{"f", "t"}, [2]string{"F", "T"}, [2]string{"false", "true"}, [2]string{"False", "True"}:
		return true
	}
	return false
}

// wholeSemantic takes a column of integers for a key if each occurs once and it
// is named like a key or counts up in steps of one.
func wholeSemantic(p datasets.ColumnProfile, rows int64) datasets.Semantic {
	counts := p.Monotone == "up" && p.Histogram != nil && p.Histogram[len(p.Histogram)-1].To-p.Histogram[0].From == float64(rows-1)
	if p.Unique && rows >= idRows && (idName.MatchString(p.Name) || counts) {
		return datasets.ID
	}
	return datasets.Number
}

func textSemantic(p datasets.ColumnProfile, rows int64) datasets.Semantic {
	l := p.Lengths
	if l == nil {
		return datasets.Category
	}
	present := rows - p.Missing
	switch {
	case p.Unique && rows >= idRows && l.Words <= idWords && l.Max <= idLength:
		return datasets.ID
	case l.Words >= textWords && p.Distinct > idRows:
		return datasets.Text
	case p.Distinct > textValues && float64(p.Distinct) > textShare*float64(present) && l.Words >= sparseWords:
		return datasets.Text
	}
	return datasets.Category
}
