package duckdb

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

func read(t testing.TB, e *Engine, version string, columns ...datasets.ReadColumn) (datasets.Frame, error) {
	t.Helper()
	return e.Read(t.Context(), datasets.Read{Workspace: "w", Version: version, Columns: columns})
}

// TestReadForms reads columns of every type in every form. Numbers are shown
// with %v, codes with the levels that they stand for.
func TestReadForms(t *testing.T) {
	e := newEngine(t, nil)
	file := parquetFile(t, `SELECT * FROM (VALUES
		(2::BIGINT, 1.5::DOUBLE, 'b', DATE '2024-01-02', TIMESTAMP '1970-01-01 00:00:01.5', true, 1.25::DECIMAL(6,2), 'NaN'::DOUBLE, 200::UTINYINT, '' ),
		(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		(1, 100.0, 'a', DATE '1969-12-31', TIMESTAMP '2024-01-01 00:00:00', false, -3, 'inf', 7, 'é'),
		(10, -0.5, 'b', DATE '2024-01-02', TIMESTAMP '1970-01-01 00:00:01.5', true, 1.25, 2, 7, 'Z')) v(i, x, s, d, ts, b, m, f, u, e)`)
	if _, err := ingestParquet(t, e, "v", file); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		column string
		as     datasets.ReadAs
		want   string
	}{
		{"i", datasets.AsFloat32, "[2 NaN 1 10]"},
		{"i", datasets.AsFloat64, "[2 NaN 1 10]"},
		{"i", datasets.AsLevels, "2 - 1 10 of [1 10 2]"},
		{"x", datasets.AsFloat32, "[1.5 NaN 100 -0.5]"},
		{"x", datasets.AsLevels, "1.5 - 100 -0.5 of [-0.5 1.5 100]"},
		{"s", datasets.AsLevels, "b - a b of [a b]"},
		{"d", datasets.AsLevels, "2024-01-02 - 1969-12-31 2024-01-02 of [1969-12-31 2024-01-02]"},
		{"d", datasets.AsFloat64, "[1.7041536e+09 NaN -86400 1.7041536e+09]"},
		{"ts", datasets.AsLevels, "1970-01-01T00:00:01.5Z - 2024-01-01T00:00:00Z 1970-01-01T00:00:01.5Z of [1970-01-01T00:00:01.5Z 2024-01-01T00:00:00Z]"},
		{"ts", datasets.AsFloat64, "[1.5 NaN 1.7040672e+09 1.5]"},
		{"b", datasets.AsFloat32, "[1 NaN 0 1]"},
		{"b", datasets.AsLevels, "true - false true of [false true]"},
		{"m", datasets.AsFloat64, "[1.25 NaN -3 1.25]"},
		{"m", datasets.AsLevels, "1.25 - -3.00 1.25 of [-3.00 1.25]"},
		{"f", datasets.AsFloat64, "[NaN NaN +Inf 2]"},
		{"f", datasets.AsLevels, "- - Infinity 2 of [2 Infinity]"},
		{"u", datasets.AsFloat32, "[200 NaN 7 7]"},
		{"e", datasets.AsLevels, " - é Z of [ Z é]"},
	}
	columns := make([]datasets.ReadColumn, len(tests))
	for i, tt := range tests {
		columns[i] = datasets.ReadColumn{Name: tt.column, As: tt.as}
	}
	frame, err := read(t, e, "v", columns...)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		if got := showSeries(frame.Columns[i]); got != tt.want || frame.Columns[i].Name != tt.column {
			t.Errorf("%s as %s: got %s of column %s, want %s", tt.column, tt.as, got, frame.Columns[i].Name, tt.want)
		}
	}
}

func showSeries(s datasets.Series) string {
	switch {
	case s.Float32 != nil:
		return fmt.Sprint(s.Float32)
	case s.Float64 != nil:
		return fmt.Sprint(s.Float64)
	}
	words := make([]string, len(s.Codes))
	for i, c := range s.Codes {
		words[i] = "-"
		if c >= 0 {
			words[i] = s.Levels[c]
		}
	}
	return fmt.Sprintf("%s of %v", strings.Join(words, " "), s.Levels)
}

// TestReadKeepsRowOrder reads more rows than the engine keeps in one group, twice
// over one child.
func TestReadKeepsRowOrder(t *testing.T) {
	const rows = 300_000
	e := newEngine(t, func(c *Config) { c.Threads = 4 })
	ingestCSV(t, e, "w", "v", "n,k\n"+lines(rows, func(i int) string { return fmt.Sprintf("%d,k%d", i*7919%rows, i%1000) }))
	for range 2 {
		frame, err := read(t, e, "v", datasets.ReadColumn{Name: "n", As: datasets.AsFloat64}, datasets.ReadColumn{Name: "k", As: datasets.AsLevels})
		if err != nil || frame.Rows != rows || len(frame.Columns[1].Levels) != 1000 {
			t.Fatalf("got %d rows, %v; want %d and 1000 levels", frame.Rows, err, rows)
		}
		for i := range rows {
			n, k := frame.Columns[0].Float64[i], frame.Columns[1]
			if n != float64(i*7919%rows) || k.Levels[k.Codes[i]] != fmt.Sprint("k", i%1000) {
				t.Fatalf("row %d: got %v, %s", i, n, k.Levels[k.Codes[i]])
			}
		}
	}
	if got := len(e.pool.idle); got != 1 {
		t.Errorf("%d idle children, want 1", got)
	}
}

// TestPreviewKeepsFileOrder looks at the start of a large table as a preview does.
func TestPreviewKeepsFileOrder(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Threads = 4 })
	ingestCSV(t, e, "w", "v", "n\n"+lines(300_000, func(i int) string { return fmt.Sprint(i * 7919 % 300_000) }))
	r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: []datasets.Table{{Name: "my table", Version: "v"}}, SQL: `SELECT * FROM "my table"`, MaxRows: 4})
	if want := "[0]\n[7919]\n[15838]\n[23757]"; err != nil || rowsOf(r) != want || !r.HasMore {
		t.Errorf("got %q, more %v, %v; want %q and more", rowsOf(r), r.HasMore, err, want)
	}
	r, err = e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: []datasets.Table{{Name: "t", Version: "v"}}, SQL: "SELECT n FROM t", MaxRows: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		if want := fmt.Sprintf("[%d]", i*7919%300_000); string(row) != want {
			t.Fatalf("row %d: got %s, want %s", i, row, want)
		}
	}
}

func TestReadFaults(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.MaxRead = 1000 })
	ingestCSV(t, e, "w", "v", "n,s,d\n"+lines(100, func(i int) string { return fmt.Sprintf("%d,s%d,2024-01-01", i, i) }))
	tests := []struct {
		name    string
		version string
		columns []datasets.ReadColumn
		code    fault.Code
		detail  string
	}{
		{"no such column", "v", []datasets.ReadColumn{{Name: "x", As: datasets.AsFloat32}}, fault.Invalid, `There is no column "x".`},
		{"text as a number", "v", []datasets.ReadColumn{{Name: "s", As: datasets.AsFloat32}}, fault.Invalid, `Column "s" of type VARCHAR cannot be read as float32.`},
		{"date as float32", "v", []datasets.ReadColumn{{Name: "d", As: datasets.AsFloat32}}, fault.Invalid, `"d" of type DATE`},
		{"no such form", "v", []datasets.ReadColumn{{Name: "n", As: "bytes"}}, fault.Invalid, "cannot be read as bytes"},
		{"too large", "v", []datasets.ReadColumn{{Name: "n", As: datasets.AsFloat64}, {Name: "n", As: datasets.AsFloat64}}, fault.TooLarge, "1600 bytes"},
		{"no such version", "gone", nil, fault.EngineUnavailable, "not available"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, e, tt.version, tt.columns...)
			if f := fault.From(err); f.Code != tt.code || !strings.Contains(f.Detail, tt.detail) {
				t.Errorf("got %v, want %s with %q", err, tt.code, tt.detail)
			}
		})
	}
	frame, err := read(t, e, "v") // no columns: the number of rows
	if err != nil || frame.Rows != 100 || len(frame.Columns) != 0 {
		t.Errorf("no columns: got %+v, %v; want 100 rows", frame, err)
	}
}

// TestReadFrameDistrustsItsChild gives what a child that has been taken over could send.
func TestReadFrameDistrustsItsChild(t *testing.T) {
	send := func(rows uint64, numbers ...uint32) string {
		raw := binary.LittleEndian.AppendUint64(nil, rows)
		for _, n := range numbers {
			raw = binary.LittleEndian.AppendUint32(raw, n)
		}
		return string(raw)
	}
	levels := []datasets.ReadColumn{{Name: "s", As: datasets.AsLevels}}
	tests := []struct{ name, sent, want string }{
		{"nothing", "", "EOF"},
		{"endless rows", send(math.MaxUint64), "sends 18446744073709551615 rows"},
		{"rows that do not come", send(2, 1, 0), "EOF"},
		{"a block too long", send(2, 3, 0, 0, 0), "a block of 3 rows after 0 of 2"},
		{"a block of none", send(2, 0), "a block of 0 rows"},
		{"code without a level", send(1, 1, 9, 1, 1) + "a", "code 9 of 1 levels"},
		{"negative code", send(1, 1, math.MaxUint32-1, 1, 1) + "a", "code -2 of 1 levels"},
		{"endless levels", send(1, 1, 0, math.MaxUint32, 1) + "a", "EOF"},
		{"endless level", send(1, 1, 0, 1, math.MaxUint32), "more bytes than there may be"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readFrame(strings.NewReader(tt.sent), levels, 1<<20); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	good := send(3, 2, 1, 0, 1, 0, 2, 1) + "b" + string([]byte{1, 0, 0, 0}) + "a"
	frame, err := readFrame(strings.NewReader(good), levels, 1<<20)
	if err != nil || showSeries(frame.Columns[0]) != "a b b of [a b]" {
		t.Errorf("a good answer: got %v, %v", frame, err)
	}
}

// TestChildCannotNameAnyFault makes sure that a child's word is taken for its own faults only.
func TestChildCannotNameAnyFault(t *testing.T) {
	tests := []struct{ said, want fault.Code }{
		{fault.Invalid, fault.Invalid}, {fault.Timeout, fault.Timeout}, {fault.Memory, fault.Memory},
		{fault.HumanOnly, fault.EngineUnavailable}, {fault.Unauthenticated, fault.EngineUnavailable}, {fault.Internal, fault.EngineUnavailable}, {"", fault.EngineUnavailable},
	}
	for _, tt := range tests {
		if got := fault.CodeOf(known(&wire.Fault{Code: tt.said, Detail: "x"})); got != tt.want {
			t.Errorf("said %q: got %q, want %q", tt.said, got, tt.want)
		}
	}
}
