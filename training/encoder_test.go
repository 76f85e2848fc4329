package training

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ambit/datasets"
	"ambit/internal/fault"
	"ambit/plans"
)

// mixed is a small table with one column of each encoding, and its features.
func mixed(t *testing.T) ([]plans.Feature, datasets.Frame) {
	t.Helper()
	table := &Table{}
	table.Add("size", "1.5", "2", "", "Inf", "-3")
	table.Add("colour", "red", "", "blue", "red", "green")
	table.Add("day", "2024-02-29", "2023-12-31", "", "2024-01-01", "soon")
	table.Add("at", "2024-02-29 23:59:58.5", "2024-02-29T01:02:03Z", "2024-02-29 01:00:00+02", "", "2024-02-29")
	features := []plans.Feature{
		{Name: "size", Type: "DOUBLE", Encoding: encodeNumber}, {Name: "colour", Type: "VARCHAR", Encoding: encodeOneHot},
		{Name: "day", Type: "DATE", Encoding: encodeDate}, {Name: "at", Type: "TIMESTAMP", Encoding: encodeDate},
	}
	read := datasets.Read{}
	for _, f := range features {
		read.Columns = append(read.Columns, datasets.ReadColumn{Name: f.Name, As: readFeature(f)})
	}
	frame, err := table.Read(t.Context(), read)
	if err != nil {
		t.Fatal(err)
	}
	return features, frame
}

func TestEncode(t *testing.T) {
	features, frame := mixed(t)
	e := fitEncoder(features, frame, []int{0, 1, 2, 3}) // row 4 is not learnt from: green is unknown
	names := "size colour=blue colour=red day.year day.month day.day day.weekday at.year at.month at.day at.weekday at.hour"
	if got := strings.Join(e.Columns(), " "); got != names || e.Width() != 12 {
		t.Errorf("columns = %s (%d), want %s", got, e.Width(), names)
	}
	want := [][]float32{
		{1.5, 0, 1, 2024, 2, 29, 4, 2024, 2, 29, 4, 23},
		{2, nan, nan, 2023, 12, 31, 7, 2024, 2, 29, 4, 1},
		{nan, 1, 0, nan, nan, nan, nan, 2024, 2, 28, 3, 23},
		{nan, 0, 1, 2024, 1, 1, 1, nan, nan, nan, nan, nan},
		{-3, 0, 0, nan, nan, nan, nan, 2024, 2, 29, 4, 0},
	}
	m := e.encode(frame, []int{4, 0, 1, 2, 3})
	for i, row := range []int{4, 0, 1, 2, 3} {
		got := m.Data[i*m.Cols : (i+1)*m.Cols]
		if !slices.EqualFunc(got, want[row], same) {
			t.Errorf("row %d = %v, want %v", row, got, want[row])
		}
	}
}

func TestEncodePools(t *testing.T) {
	table := &Table{}
	cells := []string{}
	for i := range 60 { // level l00 occurs once, l01 twice, …
		for range i + 1 {
			cells = append(cells, fmt.Sprintf("l%02d", i))
		}
	}
	table.Add("x", cells...)
	frame, err := table.Read(t.Context(), datasets.Read{Columns: []datasets.ReadColumn{{Name: "x", As: datasets.AsLevels}}})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(cells))
	for i := range all {
		all[i] = i
	}
	e := fitEncoder([]plans.Feature{{Name: "x", Type: "VARCHAR", Encoding: encodeOneHot}}, frame, all)
	f := e.Features[0]
	if !f.Pooled || e.Width() != 51 || f.Levels[0] != "l10" || f.Levels[49] != "l59" {
		t.Fatalf("pooled %v, %d columns, levels %s to %s, want true, 51, l10 to l59", f.Pooled, e.Width(), f.Levels[0], f.Levels[len(f.Levels)-1])
	}
	m := e.encode(frame, []int{0, len(cells) - 1})
	if m.Data[50] != 1 || m.Data[51+49] != 1 || m.Data[51+50] != 0 {
		t.Errorf("l00 pooled %v, l59 its own %v and pooled %v, want 1, 1, 0", m.Data[50], m.Data[51+49], m.Data[51+50])
	}
}

// A row of named values must be encoded as the table's row is, to the last bit.
func TestRowsEncodeAsTablesDo(t *testing.T) {
	table := ReadTable(t, "credit-g.csv")
	features, _ := chooseFeatures(table.Version(), "class", nil)
	read := datasets.Read{}
	for _, f := range features {
		read.Columns = append(read.Columns, datasets.ReadColumn{Name: f.Name, As: readFeature(f)})
	}
	frame, err := table.Read(t.Context(), read)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]int, table.Rows)
	for i := range rows {
		rows[i] = i
	}
	e := fitEncoder(features, frame, rows[:500])
	m, single := e.encode(frame, rows), newRowEncoder(e)
	for i := range rows {
		values := map[string]any{}
		for _, f := range features {
			values[f.Name] = table.Cells[slices.Index(table.Names, f.Name)][i] // numbers as texts
		}
		got := make([]float32, m.Cols)
		if _, err := single.encode(values, got); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
		if want := m.Data[i*m.Cols : (i+1)*m.Cols]; !slices.EqualFunc(got, want, same) {
			t.Fatalf("row %d = %v, want %v", i, got, want)
		}
	}
}

func TestEncodeRow(t *testing.T) {
	features, frame := mixed(t)
	single := newRowEncoder(fitEncoder(features, frame, []int{0, 1, 2, 3}))
	tests := []struct {
		name  string
		row   map[string]any
		size  float32
		red   float32
		hour  float32
		flags string
	}{
		{"all there", map[string]any{"size": 1.5, "colour": "red", "day": "2024-01-01", "at": "2024-01-01T05:00:00Z"}, 1.5, 1, 5, ""},
		{"number as JSON", map[string]any{"size": json.Number("2e3"), "colour": "red", "day": "2024-01-01", "at": "2024-01-01 05:00:00"}, 2000, 1, 5, ""},
		{"number as text", map[string]any{"size": " -7 ", "colour": "red", "day": "2024-01-01", "at": "2024-01-01"}, -7, 1, 0, ""},
		{"number as boolean", map[string]any{"size": true, "colour": "red", "day": "2024-01-01", "at": "2024-01-01"}, 1, 1, 0, ""},
		{"nothing", map[string]any{}, nan, nan, nan, "size missing, colour missing, day missing, at missing"},
		{"nulls and empty texts", map[string]any{"size": nil, "colour": "", "day": "", "at": nil}, nan, nan, nan,
			"size missing, colour missing, day missing, at missing"},
		{"new level", map[string]any{"size": 1, "colour": "mauve", "day": "2024-01-01", "at": "2024-01-01"}, 1, 0, 0, "colour unseen"},
		{"number as level", map[string]any{"size": 1, "colour": 3.0, "day": "2024-01-01", "at": "2024-01-01"}, 1, 0, 0, "colour unseen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := make([]float32, single.width)
			flags, err := single.encode(tt.row, out)
			if err != nil {
				t.Fatal(err)
			}
			if !same(out[0], tt.size) || !same(out[2], tt.red) || !same(out[11], tt.hour) {
				t.Errorf("size, red, hour = %v, %v, %v, want %v, %v, %v", out[0], out[2], out[11], tt.size, tt.red, tt.hour)
			}
			got := []string{}
			for _, f := range flags {
				got = append(got, f.Column+" "+f.Kind)
			}
			if strings.Join(got, ", ") != tt.flags {
				t.Errorf("flags = %v, want %s", got, tt.flags)
			}
		})
	}
}

func TestEncodeRowFlagsPooledLevels(t *testing.T) {
	e := Encoder{Features: []Encoded{{Name: "x", Type: "VARCHAR", Encoding: encodeOneHot, Levels: []string{"1", "a"}, Pooled: true}}}
	tests := []struct {
		value any
		want  []float32
		kind  string
	}{
		{"a", []float32{0, 1, 0}, ""},
		{"rare", []float32{0, 0, 1}, FlagPooled},
		{1.0, []float32{1, 0, 0}, ""}, // as the table's engine writes it
		{json.Number("1"), []float32{1, 0, 0}, ""},
		{int64(1), []float32{1, 0, 0}, ""},
	}
	for _, tt := range tests {
		out := make([]float32, 3)
		flags, err := newRowEncoder(e).encode(map[string]any{"x": tt.value}, out)
		kind := ""
		if len(flags) > 0 {
			kind = flags[0].Kind
		}
		if err != nil || !slices.Equal(out, tt.want) || kind != tt.kind {
			t.Errorf("%v = %v, %q, %v, want %v, %q", tt.value, out, kind, err, tt.want, tt.kind)
		}
	}
}

func TestEncodeRowRefuses(t *testing.T) {
	features, frame := mixed(t)
	single := newRowEncoder(fitEncoder(features, frame, []int{0, 1, 2, 3}))
	tests := []struct {
		name string
		row  map[string]any
		want []fault.Field
	}{
		{"unknown name", map[string]any{"sise": 1, "COLOUR": "red"}, []fault.Field{
			{Path: "COLOUR", Rule: "is not a feature of the model", Valid: []string{"colour", "size", "day"}},
			{Path: "sise", Rule: "is not a feature of the model", Valid: []string{"size", "day", "at"}},
		}},
		{"text for a number", map[string]any{"size": "big"}, []fault.Field{{Path: "size", Rule: "must be a number"}}},
		{"text that overflows", map[string]any{"size": "1e999"}, []fault.Field{{Path: "size", Rule: "must be a number"}}},
		{"not a number", map[string]any{"size": "NaN"}, []fault.Field{{Path: "size", Rule: "must be a number"}}},
		{"list for a number", map[string]any{"size": []any{1.0}}, []fault.Field{{Path: "size", Rule: "must be a number"}}},
		{"object for a level", map[string]any{"colour": map[string]any{}}, []fault.Field{{Path: "colour", Rule: "must be a text, a number or a boolean"}}},
		{"no date", map[string]any{"day": "31.12.2024"}, []fault.Field{{Path: "day", Rule: "must be a date such as 2024-05-31 or 2024-05-31T08:00:00Z"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := single.encode(tt.row, make([]float32, single.width))
			if f := fault.From(err); f.Code != fault.Invalid || !reflect.DeepEqual(f.Fields, tt.want) {
				t.Errorf("fault = %s %+v, want invalid %+v", f.Code, f.Fields, tt.want)
			}
		})
	}
}

func TestStandardiser(t *testing.T) {
	// Four features: a number, two levels, a constant, one that is empty.
	m := Matrix{Rows: 4, Cols: 5, Data: []float32{
		1, 0, 1, 7.1, nan,
		3, nan, nan, 7.1, nan,
		nan, 1, 0, 7.1, nan,
		8, 0, 1, 7.1, nan,
	}}
	s := fitStandardiser(m, []column{{0, false}, {1, true}, {1, true}, {2, false}, {3, false}})
	want := Standardiser{
		Median: []float64{3, 0, 0, float64(float32(7.1)), 0}, Mean: []float64{3.75, 0, 0, float64(float32(7.1)), 0},
		SD: []float64{math.Sqrt(26.75 / 4), 1, 1, 1, 1}, Level: []bool{false, true, true, false, false}, Indicators: []int{0, 1},
	}
	if !reflect.DeepEqual(s, want) {
		t.Fatalf("standardiser = %+v, want %+v", s, want)
	}
	got := s.apply(m)
	sd := math.Sqrt(26.75 / 4)
	rows := [][]float32{
		{float32(-2.75 / sd), nan, 1, 0, 0, nan, nan},
		{float32(-0.75 / sd), nan, nan, 0, 0, nan, 1},
		{float32(-0.75 / sd), 1, nan, 0, 0, 1, nan},
		{float32(4.25 / sd), nan, 1, 0, 0, nan, nan},
	}
	for i, row := range rows {
		if r := got.Data[i*got.Cols : (i+1)*got.Cols]; !slices.EqualFunc(r, row, same) {
			t.Errorf("row %d = %v, want %v", i, r, row)
		}
	}
}

func TestLink(t *testing.T) {
	third := 1. / 3
	tests := []struct {
		name string
		link Link
		task plans.Task
		row  []float64
		want []float64
	}{
		{"logistic", LinkModel, plans.Binary, []float64{math.Log(3)}, []float64{0.75}},
		{"logistic, far", LinkModel, plans.Binary, []float64{-1e4}, []float64{0}},
		{"softmax", LinkModel, plans.Multiclass, []float64{0, 0, math.Log(2)}, []float64{0.25, 0.25, 0.5}},
		{"softmax, far", LinkModel, plans.Multiclass, []float64{1000, 0, 0}, []float64{1, 0, 0}},
		{"amount", LinkModel, plans.Regression, []float64{-5}, []float64{-5}},
		{"share", LinkShare, plans.Binary, []float64{1.02}, []float64{1}},
		{"shares", LinkShare, plans.Multiclass, []float64{-0.1, 0.5, 1.5}, []float64{0, third, 2 * third}},
		{"no share", LinkShare, plans.Multiclass, []float64{-0.1, 0, 0}, []float64{third, third, third}},
		{"amount of a forest", LinkShare, plans.Regression, []float64{17}, []float64{17}},
		{"prior", LinkPrior, plans.Binary, []float64{0.3}, []float64{0.3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.Clone(tt.row)
			tt.link.apply(tt.task, got)
			for i := range got {
				if math.Abs(got[i]-tt.want[i]) > 1e-15 {
					t.Errorf("apply(%v) = %v, want %v", tt.row, got, tt.want)
					break
				}
			}
		})
	}
}
