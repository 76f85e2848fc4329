// Package intake reads what callers upload, before the engine sees it: the CSV
// reader with its checks and the typing of columns, and the check of a Parquet
// file's footer. It runs in an ingest child and calls no engine.
//
// Every refusal says where the file is wrong and how to mend it.
package intake

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"ambit/datasets"
	"ambit/internal/fault"
)

// Limits bound a file.
type Limits struct {
	Rows    int64
	Columns int
	Line    int // bytes of one record, its line breaks included
}

// Sheet is a CSV file that was read once, from end to end, and found whole.
type Sheet struct {
	Columns  []Column
	Rows     int64
	Warnings []datasets.Warning

	path  string
	comma rune
	limit Limits
}

// Open reads the file, checks every record and decides the type of each column
// over all rows.
// Faults: invalid, too_large.
func Open(path string, limit Limits) (*Sheet, error) {
	comma, err := delimiter(path)
	if err != nil {
		return nil, err
	}
	s := &Sheet{path: path, comma: comma, limit: limit}
	var guesses []*guess
	err = s.records(func(header []string) error {
		guesses = make([]*guess, len(header))
		for i := range guesses {
			guesses[i] = &guess{}
		}
		s.Columns = make([]Column, len(header))
		for i, name := range header {
			s.Columns[i].Name = name
		}
		return nil
	}, func(row int64, fields []string) error {
		for i, f := range fields {
			guesses[i].add(row, f)
		}
		s.Rows = row
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.Rows == 0 {
		return nil, fault.New(fault.Invalid, "The file has a header and no rows.").WithFix("Send a file with at least one row of data.")
	}
	for i, g := range guesses {
		s.Columns[i].Kind = g.kind()
		s.Warnings = append(s.Warnings, g.warnings(s.Columns[i])...)
	}
	return s, nil
}

// Each hands over every row in file order, its fields as they are in the file.
// The slice is reused. It returns the first error of each.
func (s *Sheet) Each(each func(fields []string) error) error {
	return s.records(func([]string) error { return nil }, func(_ int64, fields []string) error { return each(fields) })
}

// records reads the file with all checks that a record alone can fail.
func (s *Sheet) records(header func([]string) error, each func(row int64, fields []string) error) error {
	f, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("opening the upload: %w", err)
	}
	defer f.Close()
	g := &guard{in: f, max: s.limit.Line}
	r := csv.NewReader(g)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = s.comma, -1, true
	names, err := s.header(r, g)
	if err != nil {
		return err
	}
	if err := header(names); err != nil {
		return err
	}
	lines := &gaps{}
	for row := int64(1); ; row++ {
		fields, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return unreadable(err, row)
		}
		if err := s.check(r, row, names, fields); err != nil {
			return err
		}
		if err := lines.check(r, row, fields); err != nil {
			return err
		}
		if err := each(row, fields); err != nil {
			return err
		}
		g.record(r.InputOffset())
	}
}

// check refuses a record that is ragged, not text, or one too many.
func (s *Sheet) check(r *csv.Reader, row int64, names, fields []string) error {
	line, _ := r.FieldPos(0)
	if len(fields) != len(names) {
		return at(row, fault.New(fault.Invalid, "Row %d (line %d) has %d fields, and the header has %d columns.", row, line, len(fields), len(names))).
			WithFix("Give every row %d fields; put fields that hold the delimiter %q in double quotes.", len(names), s.comma)
	}
	if row > s.limit.Rows {
		return fault.New(fault.TooLarge, "The file has more than %d rows.", s.limit.Rows).WithFix("Split the file, or sample it.")
	}
	for i, f := range fields {
		if !utf8.ValidString(f) {
			return at(row, fault.New(fault.Invalid, "Row %d (line %d), column %q is not valid UTF-8.", row, line, names[i])).
				With("column", names[i]).WithFix("Save the file as UTF-8 and send it again.")
		}
	}
	return nil
}

// gaps finds empty lines in a file of one column: the CSV reader skips them, and
// with them what was meant as a missing value.
type gaps struct{ next int }

func (g *gaps) check(r *csv.Reader, row int64, fields []string) error {
	line, _ := r.FieldPos(0)
	missed := g.next > 0 && line > g.next
	if len(fields) == 1 && missed {
		return at(row, fault.New(fault.Invalid, "Line %d is empty.", g.next)).
			WithFix(`In a file of one column, write a missing value as "".`)
	}
	g.next = line + strings.Count(fields[0], "\n") + 1
	return nil
}

func at(row int64, f *fault.Fault) *fault.Fault { return f.With("row", row) }

func unreadable(err error, row int64) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		if _, known := f.Info["row"]; !known && row > 0 {
			return at(row, f)
		}
		return f
	}
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return fmt.Errorf("reading the upload: %w", err)
	}
	where := fmt.Sprintf("Line %d, character %d", p.Line, p.Column)
	if errors.Is(err, csv.ErrBareQuote) {
		return at(row, fault.New(fault.Invalid, "%s: a double quote stands in a field that does not start with one.", where)).
			WithFix(`Put the field in double quotes, and write a double quote in it as "".`)
	}
	return at(row, fault.New(fault.Invalid, "%s: a quoted field that starts on line %d does not end properly.", where, p.StartLine)).
		WithFix(`End the field with a double quote right before the delimiter, and write a double quote in it as "".`)
}

// delimiter finds out what separates fields: the candidate that gives the first
// records the most columns, all the same number.
func delimiter(path string) (rune, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("opening the upload: %w", err)
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return 0, fmt.Errorf("reading the upload: %w", err)
	}
	best, most := ',', 1
	for _, comma := range []rune{',', ';', '\t', '|'} {
		if columns := columnsWith(string(head[:n]), comma); columns > most {
			best, most = comma, columns
		}
	}
	return best, nil
}

// columnsWith returns the number of fields of the first records, or 0 if they differ.
func columnsWith(head string, comma rune) int {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(head, bom)))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, true
	columns := 0
	for n := 0; n < 20; n++ {
		fields, err := r.Read()
		if err != nil {
			break
		}
		if n > 0 && int(r.InputOffset()) >= len(head)-len(bom) {
			break // perhaps cut off
		}
		if n > 0 && len(fields) != columns {
			return 0
		}
		columns = len(fields)
	}
	return columns
}
