package training

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"ambit/datasets"
	"ambit/internal/fault"
)

// Table is a table of texts, "" being missing, that stands for the tables' engine.
type Table struct {
	Names []string
	Types []string
	Cells [][]string // by column
	Rows  int
}

// ReadTable reads a file of testdata and gives each column the narrowest of
// BIGINT, DOUBLE and VARCHAR that holds it.
func ReadTable(t testing.TB, file string) *Table {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := &Table{}
	for c, name := range records[0] {
		cells := make([]string, len(records)-1)
		for r, record := range records[1:] {
			cells[r] = record[c]
		}
		table.Add(name, cells...)
	}
	return table
}

// Add adds a column.
func (t *Table) Add(name string, cells ...string) {
	t.Names, t.Cells, t.Rows = append(t.Names, name), append(t.Cells, cells), len(cells)
	t.Types = append(t.Types, narrowest(cells))
}

func narrowest(cells []string) string {
	typ := "BIGINT"
	for _, c := range cells {
		if _, err := strconv.ParseInt(c, 10, 64); err == nil || c == "" {
			continue
		}
		typ = "DOUBLE"
		if _, err := strconv.ParseFloat(c, 64); err != nil {
			return "VARCHAR"
		}
	}
	return typ
}

// Version describes the table as ingest would.
func (t *Table) Version() datasets.Version {
	v := datasets.Version{ID: "dv_1", Workspace: "ws_1", Dataset: "ds_1", Number: 1, Rows: int64(t.Rows), Fingerprint: "sha256:00"}
	for i, name := range t.Names {
		missing, distinct := 0, map[string]bool{}
		for _, c := range t.Cells[i] {
			if c == "" {
				missing++
			} else {
				distinct[c] = true
			}
		}
		v.Columns = append(v.Columns, datasets.Column{Name: name, Type: t.Types[i]})
		v.Profile.Columns = append(v.Profile.Columns, datasets.ColumnProfile{
			Name: name, Type: t.Types[i], Missing: int64(missing), Distinct: int64(len(distinct)),
		})
	}
	return v
}

// Read returns columns as the tables' engine does.
func (t *Table) Read(_ context.Context, r datasets.Read) (datasets.Frame, error) {
	f := datasets.Frame{Rows: t.Rows}
	for _, c := range r.Columns {
		i := slices.Index(t.Names, c.Name)
		if i < 0 {
			return datasets.Frame{}, fault.New(fault.Invalid, "no column %q", c.Name)
		}
		s, err := series(c, t.Cells[i])
		if err != nil {
			return datasets.Frame{}, err
		}
		f.Columns = append(f.Columns, s)
	}
	return f, nil
}

func series(c datasets.ReadColumn, cells []string) (datasets.Series, error) {
	s := datasets.Series{Name: c.Name}
	if c.As == datasets.AsLevels {
		s.Levels = slices.Compact(slices.Sorted(slices.Values(cells)))
		s.Levels = slices.DeleteFunc(s.Levels, func(l string) bool { return l == "" })
		for _, cell := range cells {
			code, ok := slices.BinarySearch(s.Levels, cell)
			if !ok {
				code = -1
			}
			s.Codes = append(s.Codes, int32(code))
		}
		return s, nil
	}
	for _, cell := range cells {
		v, err := strconv.ParseFloat(cmp.Or(cell, "NaN"), 64)
		if err != nil {
			return s, fmt.Errorf("column %s: %w", c.Name, err)
		}
		if c.As == datasets.AsFloat32 {
			s.Float32 = append(s.Float32, float32(v))
		} else {
			s.Float64 = append(s.Float64, v)
		}
	}
	return s, nil
}

// same reports whether two numbers are equal, or both missing.
func same(a, b float32) bool {
	return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b))
}
