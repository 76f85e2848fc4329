package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// read copies columns of the one attached table into the bulk file.
// Faults: invalid, too_large, timeout, memory, engine_unavailable.
func (w *worker) read(r wire.ColumnRead) (*wire.Columns, error) {
	c, err := w.db.connect()
	if err != nil {
		return nil, err
	}
	defer c.close()
	out, err := readColumns(c, w.bulk, quoteName(w.boot.Tables[0].Name), r)
	return out, engineFault(err)
}

func readColumns(c *connection, bulk *os.File, table string, r wire.ColumnRead) (*wire.Columns, error) {
	row, err := c.oneRow("SELECT count(*) FROM " + table)
	if err != nil {
		return nil, err
	}
	out := &wire.Columns{Rows: int(count(row[0])), Levels: make([]wire.Extent, len(r.Columns))}
	if len(r.Columns) == 0 {
		return out, nil
	}
	sql, err := readSQL(c, table, r.Columns)
	if err != nil {
		return nil, err
	}
	sinks, end := newSinks(bulk, r.Columns, out.Rows)
	if end > r.MaxBytes {
		return nil, fault.New(fault.TooLarge, "These columns have %d bytes; the limit is %d.", end, r.MaxBytes).WithFix("Read fewer columns.")
	}
	if err := c.stream(sql, func(columns []*column, rows int) (bool, error) {
		for i, s := range sinks {
			if err := s.take(columns[i], rows); err != nil {
				return false, err
			}
		}
		return true, nil
	}); err != nil {
		return nil, err
	}
	for i, s := range sinks {
		if out.Levels[i], err = s.finish(end, out.Rows); err != nil {
			return nil, err
		}
		end += out.Levels[i].Bytes
	}
	return out, nil
}

// readSQL selects the columns in their forms.
func readSQL(c *connection, table string, columns []datasets.ReadColumn) (string, error) {
	fields, err := fieldsOf(c, "SELECT * FROM "+table)
	if err != nil {
		return "", err
	}
	byName := map[string]field{}
	for _, f := range fields {
		byName[f.name] = f
	}
	list := make([]string, len(columns))
	for i, want := range columns {
		f, ok := byName[want.Name]
		if !ok {
			return "", fault.New(fault.Invalid, "There is no column %q.", want.Name).With("column", want.Name)
		}
		if list[i], err = formSQL(f, want.As); err != nil {
			return "", err
		}
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + table, nil
}

// formSQL writes a column in the form that is asked for. Dates and timestamps
// read as float64 are seconds since 1970 in UTC; float32 is too coarse for them.
func formSQL(f field, as datasets.ReadAs) (string, error) {
	numeric := f.form() == wholeForm || f.form() == floatForm || f.typ == duck.TypeBoolean
	switch {
	case as == datasets.AsLevels && f.form() != otherForm:
		return quoteName(f.name), nil
	case as == datasets.AsFloat64 && numeric:
		return numberSQL(f), nil
	case as == datasets.AsFloat32 && numeric && !f.isMoment():
		return "CAST(" + quoteName(f.name) + " AS FLOAT)", nil
	}
	return "", fault.New(fault.Invalid, "Column %q of type %s cannot be read as %s.", f.name, f.kind, as).
		With("column", f.name).WithFix("Read texts as levels, and dates as float64 or levels.")
}

// numberSQL writes a column as DOUBLE.
func numberSQL(f field) string {
	name := quoteName(f.name)
	if f.isMoment() {
		return "epoch(" + name + ")::DOUBLE"
	}
	return "CAST(" + name + " AS DOUBLE)"
}

// sink gathers the values of one column and writes them to their place in the file.
type sink struct {
	file   io.WriterAt
	as     datasets.ReadAs
	at     int64 // where the next write goes
	buffer []byte
	rows   int
	codes  map[string]int32
	levels []string
}

// flushAt is how many bytes of a column are gathered before they are written.
const flushAt = 256 << 10

// newSinks lays the columns out one after another; end is where levels may start.
func newSinks(file io.WriterAt, columns []datasets.ReadColumn, rows int) (sinks []*sink, end int64) {
	for _, c := range columns {
		s := &sink{file: file, as: c.As, at: end}
		if c.As == datasets.AsLevels {
			s.codes = map[string]int32{}
		}
		sinks = append(sinks, s)
		end += int64(rows) * int64(width(c.As))
	}
	return sinks, end
}

func width(as datasets.ReadAs) int {
	if as == datasets.AsFloat64 {
		return 8
	}
	return 4
}

func (s *sink) take(c *column, rows int) error {
	switch s.as {
	case datasets.AsFloat32:
		s.buffer = appendNumbers[float32, uint32](s.buffer, c, rows, nan32)
	case datasets.AsFloat64:
		s.buffer = appendNumbers[float64, uint64](s.buffer, c, rows, nan64)
	default:
		s.takeLevels(c, rows)
	}
	s.rows += rows
	if len(s.buffer) < flushAt {
		return nil
	}
	return s.flush()
}

// The bits of NaN, which is how a missing number is written.
const (
	nan32 uint32 = 0x7fc00000
	nan64 uint64 = 0x7ff8000000000001
)

// appendNumbers copies a vector as it is, then writes NaN over what is missing.
func appendNumbers[T float32 | float64, B uint32 | uint64](dst []byte, c *column, rows int, missing B) []byte {
	var zero T
	size := int(unsafe.Sizeof(zero))
	start := len(dst)
	dst = append(dst, unsafe.Slice((*byte)(c.data), rows*size)...)
	if c.valid == nil {
		return dst
	}
	for i := range rows {
		if c.null(i) {
			switch b := any(missing).(type) {
			case uint32:
				binary.LittleEndian.PutUint32(dst[start+i*size:], b)
			case uint64:
				binary.LittleEndian.PutUint64(dst[start+i*size:], b)
			}
		}
	}
	return dst
}

// takeLevels writes each value as its number in order of first appearance, or -1.
// A number that is NaN is missing.
func (s *sink) takeLevels(c *column, rows int) {
	var text []byte
	for i := range rows {
		code := int32(-1)
		if !c.null(i) {
			if text = c.appendText(text[:0], i); !s.isNaN(c, text) {
				code = s.code(text)
			}
		}
		s.buffer = binary.LittleEndian.AppendUint32(s.buffer, uint32(code))
	}
}

func (s *sink) isNaN(c *column, text []byte) bool {
	return (c.typ == duck.TypeFloat || c.typ == duck.TypeDouble) && string(text) == "NaN"
}

func (s *sink) code(text []byte) int32 {
	code, ok := s.codes[string(text)]
	if !ok {
		code = int32(len(s.levels))
		level := string(text)
		s.codes[level] = code
		s.levels = append(s.levels, level)
	}
	return code
}

func (s *sink) flush() error {
	n, err := s.file.WriteAt(s.buffer, s.at)
	s.at += int64(n)
	s.buffer = s.buffer[:0]
	if err != nil {
		return tooLarge(err)
	}
	return nil
}

// tooLarge is the refusal when the file may not grow.
func tooLarge(err error) error {
	return fault.New(fault.TooLarge, "These columns are too large to read at once.").WithFix("Read fewer columns.").Because(err)
}

// finish writes what is left and the levels, which it says the place of.
func (s *sink) finish(at int64, rows int) (wire.Extent, error) {
	if s.rows != rows {
		return wire.Extent{}, fmt.Errorf("read %d rows of %d", s.rows, rows)
	}
	if err := s.flush(); err != nil {
		return wire.Extent{}, err
	}
	if s.as != datasets.AsLevels {
		return wire.Extent{}, nil
	}
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, at), flushAt)
	extent := wire.Extent{Offset: at, Count: len(s.levels)}
	for _, level := range s.levels {
		var head [4]byte
		binary.LittleEndian.PutUint32(head[:], uint32(len(level)))
		_, err1 := w.Write(head[:])
		_, err2 := w.WriteString(level)
		if err := errors.Join(err1, err2); err != nil {
			return extent, tooLarge(err)
		}
		extent.Bytes += int64(4 + len(level))
	}
	if err := w.Flush(); err != nil {
		return extent, tooLarge(err)
	}
	return extent, nil
}
