package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ambit/datasets"
	"ambit/internal/fault"
)

// typed are files, and what becomes of them.
var typed = []struct {
	name, file string
	columns    string // name:type:semantic
	rows       string // of SELECT *
	warnings   string // codes
}{
	{"numbers, texts, dates", "n,x,s,d,b\n1,1.5,a,2024-01-31,true\n-2,2,b,2024-02-29,FALSE\n",
		"n:BIGINT:number x:DOUBLE:number s:VARCHAR:category d:DATE:date b:BOOLEAN:boolean",
		"[1,1.5,\"a\",\"2024-01-31\",true]\n[-2,2,\"b\",\"2024-02-29\",false]", ""},
	{"empty is null", "n,s\n1,\n,x\n", "n:BIGINT:number s:VARCHAR:category", "[1,null]\n[null,\"x\"]", ""},
	{"quoted empty is null", "n,s\n1,\"\"\n2,x\n", "n:BIGINT:number s:VARCHAR:category", "[1,null]\n[2,\"x\"]", ""},
	{"leading zeros stay text", "zip\n00501\n10001\n", "zip:VARCHAR:category", "[\"00501\"]\n[\"10001\"]", "leading_zeros"},
	{"long numbers stay text", "n\n12345678901234567890\n1\n", "n:VARCHAR:category", "[\"12345678901234567890\"]\n[\"1\"]", "long_numbers"},
	{"one late text", "n\n" + strings.Repeat("1\n", 30_000) + "x\n", "n:VARCHAR:category", "", "mixed_numbers duplicate_rows"},
	{"late fraction", "n\n" + strings.Repeat("1\n", 30_000) + "1.5\n", "n:DOUBLE:number", "", "duplicate_rows"},
	{"words for missing among numbers", "n,s\n1,NA\nNA,x\n?,y\n", "n:BIGINT:number s:VARCHAR:category", "[1,\"NA\"]\n[null,\"x\"]\n[null,\"y\"]", "missing_words mostly_missing disguised_missing"},
	{"blanks around numbers", "a, b\n1, 2\n3, 4\n", "a:BIGINT:number  b:BIGINT:number", "[1,2]\n[3,4]", ""},
	{"dates that do not exist", "d\n2023-02-29\n2024-01-01\n", "d:VARCHAR:category", "[\"2023-02-29\"]\n[\"2024-01-01\"]", ""},
	{"other dates stay text", "d\n31/01/2024\n01/02/2024\n", "d:VARCHAR:category", "[\"31/01/2024\"]\n[\"01/02/2024\"]", ""},
	{"times", "t\n2024-01-01 10:00:00\n2024-01-01T10:00\n2024-01-02\n2024-01-01 10:00:00.25\n", "t:TIMESTAMP:datetime",
		"[\"2024-01-01T10:00:00Z\"]\n[\"2024-01-01T10:00:00Z\"]\n[\"2024-01-02T00:00:00Z\"]\n[\"2024-01-01T10:00:00.25Z\"]", "duplicate_rows"},
	{"zones", "t\n2024-01-01T10:00:00+02:00\n2024-01-01T10:00:00Z\n", "t:TIMESTAMP:datetime", "[\"2024-01-01T08:00:00Z\"]\n[\"2024-01-01T10:00:00Z\"]", "zone_converted"},
	{"times with and without zone", "t\n2024-01-01T10:00:00Z\n2024-01-01 10:00:00\n", "t:VARCHAR:category", "", ""},
	{"before 1970", "d,t\n1969-12-31,1969-12-31 23:59:59\n0001-01-01,1900-01-01 00:00:01\n", "d:DATE:date t:TIMESTAMP:datetime",
		"[\"1969-12-31\",\"1969-12-31T23:59:59Z\"]\n[\"0001-01-01\",\"1900-01-01T00:00:01Z\"]", ""},
	{"exponents", "x\n1e3\n-2.5E-1\n.5\n", "x:DOUBLE:number", "[1000]\n[-0.25]\n[0.5]", ""},
	{"no numbers", "s\n+49123\n\"1,5\"\n0x1F\n1_000\n", "s:VARCHAR:category", "", ""},
	{"extremes", "n\n9223372036854775807\n-9223372036854775808\n", "n:BIGINT:number", "[\"9223372036854775807\"]\n[\"-9223372036854775808\"]", ""},
	{"quotes and breaks", "s,t\n\"a,\"\"b\"\"\",\"line\nbreak\"\nc,d\n", "s:VARCHAR:category t:VARCHAR:category", "[\"a,\\\"b\\\"\",\"line\\nbreak\"]\n[\"c\",\"d\"]", ""},
	{"semicolons", "a;b\n1;2,5\n3;4,5\n", "a:BIGINT:number b:VARCHAR:category", "[1,\"2,5\"]\n[3,\"4,5\"]", ""},
	{"tabs", "a\tb\n1\tx y\n2\tz\n", "a:BIGINT:number b:VARCHAR:category", "[1,\"x y\"]\n[2,\"z\"]", ""},
	{"byte order mark", "\ufeffa,b\n1,2\n2,1\n", "a:BIGINT:number b:BIGINT:number", "[1,2]\n[2,1]", ""},
	{"windows line ends", "a,b\r\n1,x\r\n2,y\r\n", "a:BIGINT:number b:VARCHAR:category", "[1,\"x\"]\n[2,\"y\"]", ""},
	{"no last line break", "a\n1\n2", "a:BIGINT:number", "[1]\n[2]", ""},
	{"names to be quoted", "\"a \"\"b\",select,é😀,\"x;y\"\n1,2,3,4\n2,1,3,4\n", `a "b:BIGINT:number select:BIGINT:number é😀:BIGINT:constant x;y:BIGINT:constant`, "[1,2,3,4]\n[2,1,3,4]", "constant_column constant_column"},
	{"long and short texts", "s\nabcdefghijkl\nabcdefghijklm\n" + strings.Repeat("é", 50) + "\n", "s:VARCHAR:category", "[\"abcdefghijkl\"]\n[\"abcdefghijklm\"]\n[\"" + strings.Repeat("é", 50) + "\"]", ""},
	{"keys", "id,v\n" + lines(30, func(i int) string { return fmt.Sprintf("%d,%d", i+100, i%3) }), "id:BIGINT:id v:BIGINT:number", "", ""},
	{"codes and prose", "code,note\n" + lines(30, func(i int) string { return fmt.Sprintf("k%d,the %d words of a longer remark", i, i) }), "code:VARCHAR:id note:VARCHAR:text", "", ""},
}

func TestIngestTypes(t *testing.T) {
	e := newEngine(t, nil)
	for n, tt := range typed {
		t.Run(tt.name, func(t *testing.T) {
			version := fmt.Sprint("v", n)
			in := ingestCSV(t, e, "w", version, tt.file)
			if got := columnsOf(in.Columns); got != tt.columns {
				t.Errorf("columns\n got %s\nwant %s", got, tt.columns)
			}
			if got := codesOf(in.Warnings); got != tt.warnings {
				t.Errorf("warnings: got %q, want %q (%v)", got, tt.warnings, in.Warnings)
			}
			if tt.rows == "" {
				return
			}
			r, err := ask(t, e, "w", "SELECT * FROM t", "t="+version)
			if err != nil || rowsOf(r) != tt.rows {
				t.Errorf("rows: %v\n got %s\nwant %s", err, rowsOf(r), tt.rows)
			}
		})
	}
}

func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

func columnsOf(columns []datasets.Column) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = fmt.Sprintf("%s:%s:%s", c.Name, c.Type, c.Semantic)
	}
	return strings.Join(parts, " ")
}

func codesOf(warnings []datasets.Warning) string {
	parts := make([]string, len(warnings))
	for i, w := range warnings {
		parts[i] = w.Code
	}
	return strings.Join(parts, " ")
}

func TestIngestRefusesBadCSV(t *testing.T) {
	wide := strings.TrimSuffix(strings.Repeat("a,", 3000), ",")
	names := strings.Split(wide, ",")
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	tests := []struct {
		name, file string
		code       fault.Code
		detail     string
		fix        string
	}{
		{"empty file", "", fault.Invalid, "The file is empty.", "header line"},
		{"header only", "a,b\n", fault.Invalid, "a header and no rows", "at least one row"},
		{"no header", "1,2\n3,4\n", fault.Invalid, "no header", "names of the columns"},
		{"empty name", "a,,c\n1,2,3\n", fault.Invalid, "Column 2 has no name.", "Write a name"},
		{"same name", "a,b,A\n1,2,3\n", fault.Invalid, `Columns 1 and 3 are both named "A".`, "name of its own"},
		{"control character in a name", "a,\"b\nc\"\n1,2\n", fault.Invalid, "name of column 2 holds a control character", "line breaks"},
		{"long name", strings.Repeat("x", 300) + "\n1\n", fault.Invalid, "has 300 bytes", "Shorten"},
		{"too many columns", strings.Join(names, ",") + "\n" + wide + "\n", fault.Invalid, "3000 columns; the limit is 2000", "fewer columns"},
		{"too few fields", "a,b,c\n1,2,3\n4,5\n6,7,8\n", fault.Invalid, "Row 2 (line 3) has 2 fields, and the header has 3 columns.", "double quotes"},
		{"too many fields", "a,b\n1,2\n3,4,5\n", fault.Invalid, "Row 2 (line 3) has 3 fields, and the header has 2 columns.", `delimiter ','`},
		{"not utf-8", "a,b\n1,x\n2,caf\xe9\n", fault.Invalid, `Row 2 (line 3), column "b" is not valid UTF-8.`, "UTF-8"},
		{"name not utf-8", "a,caf\xe9\n1,2\n", fault.Invalid, "name of column 2 is not valid UTF-8", "UTF-8"},
		{"utf-16", "\xff\xfea\x00\n\x001\x00", fault.Invalid, "UTF-16", "UTF-8"},
		{"nul", "a,b\n1,2\n3,\x00\n", fault.Invalid, "Line 3 holds a NUL byte.", "UTF-8"},
		{"long line", "a,b\n1,2\n3," + strings.Repeat("x", 3<<20) + "\n", fault.Invalid, "row of more than 2097152 bytes", "never closed"},
		{"long header", strings.Repeat("x", 3<<20), fault.Invalid, "row of more than 2097152 bytes", "Shorten"},
		{"quote never closed", "a,b\n1,\"x\n" + strings.Repeat("2,y\n", 10), fault.Invalid, "a quoted field that starts on line 2 does not end", "double quote"},
		{"quote never closed, long", "a,b\n1,\"x\n" + strings.Repeat("2,y\n", 1<<20), fault.Invalid, "row of more than 2097152 bytes", "never closed"},
		{"quote in the middle", "a,b\n1,x\"y\n", fault.Invalid, "Line 2, character 4: a double quote stands in a field", `""`},
		{"gap in one column", "a\n1\n\n2\n", fault.Invalid, "Line 3 is empty.", `""`},
		{"too many rows", "a\n" + strings.Repeat("1\n", 101), fault.TooLarge, "more than 100 rows", "Split"},
	}
	e := newEngine(t, func(c *Config) { c.IngestRows = 100 })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.Ingest(t.Context(), datasets.Ingest{
				Workspace: "w", Version: "v", Format: datasets.CSV, Source: strings.NewReader(tt.file), MaxBytes: 1 << 30,
			})
			f := fault.From(err)
			if f.Code != tt.code || !strings.Contains(f.Detail, tt.detail) || !strings.Contains(f.Fix, tt.fix) {
				t.Errorf("got %v (%s)\nwant %s with %q and %q", f, f.Fix, tt.code, tt.detail, tt.fix)
			}
			checkNothingBuilt(t, e)
		})
	}
}

// checkNothingBuilt makes sure that a refused file left nothing anywhere.
func checkNothingBuilt(t *testing.T, e *Engine) {
	t.Helper()
	for _, pattern := range []string{"/w/*", "/.building/*/site-*"} {
		if left, err := filepath.Glob(e.cfg.Root + pattern); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	if left, err := filepath.Glob(e.scratch.path + "/upload-*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestIngestFaults(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("the line went dead")
	tests := []struct {
		name   string
		ctx    context.Context
		change func(*datasets.Ingest)
		want   func(error) bool
	}{
		{"too many bytes", t.Context(), func(in *datasets.Ingest) { in.MaxBytes = 5 }, func(err error) bool { return fault.Is(err, fault.TooLarge) }},
		{"unknown format", t.Context(), func(in *datasets.Ingest) { in.Format = "xlsx" }, func(err error) bool { return fault.Is(err, fault.Invalid) }},
		{"csv as parquet", t.Context(), func(in *datasets.Ingest) { in.Format = datasets.Parquet }, func(err error) bool { return fault.Is(err, fault.Invalid) }},
		{"caller gone", gone, func(*datasets.Ingest) {}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"source fails", t.Context(), func(in *datasets.Ingest) { in.Source = io.MultiReader(in.Source, failing{broken}) }, func(err error) bool { return errors.Is(err, broken) }},
		{"workspace is no id", t.Context(), func(in *datasets.Ingest) { in.Workspace = "../w" }, func(err error) bool { return err != nil }},
	}
	e := newEngine(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := datasets.Ingest{Workspace: "w", Version: "v", Format: datasets.CSV, Source: strings.NewReader("a,b\n1,2\n"), MaxBytes: 100}
			tt.change(&in)
			if _, err := e.Ingest(tt.ctx, in); !tt.want(err) {
				t.Errorf("got %v", err)
			}
			checkNothingBuilt(t, e)
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestIngestTimeout(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Ingest = Limits{Timeout: time.Millisecond} })
	_, err := e.Ingest(t.Context(), datasets.Ingest{
		Workspace: "w", Version: "v", Format: datasets.CSV, Source: strings.NewReader(string(wideCSV(40_000, 50))), MaxBytes: 1 << 30,
	})
	if fault.CodeOf(err) != fault.Timeout {
		t.Errorf("got %v, want timeout", err)
	}
	checkNothingBuilt(t, e)
}

func TestIngested(t *testing.T) {
	e := newEngine(t, nil)
	in := ingestCSV(t, e, "w", "v", "a,b\n1,x\n2,y\n2,y\n")
	if in.Rows != 3 || in.Bytes != 16 || in.EngineVersion != engineVersion || in.Profile.DuplicateRows != 1 {
		t.Errorf("got %d rows, %d bytes, engine %s, %d duplicates; want 3, 16, %s, 1", in.Rows, in.Bytes, in.EngineVersion, in.Profile.DuplicateRows, engineVersion)
	}
	if want := "c80fc8227ebbbcd7a418fec46f29ce2793099b58de768d454bfb6fca0ebb6e32"; in.SourceSHA256 != want {
		t.Errorf("source hash %s, want %s", in.SourceSHA256, want)
	}
	path, err := e.tables.path("w", "v")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Stat(path)
	if err != nil || file.Mode().Perm() != 0o444 {
		t.Errorf("file: %v, %v; want mode 444", file, err)
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil || folder.Mode().Perm() != 0o555 {
		t.Errorf("folder: %v, %v; want mode 555", folder, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("beside the table: %v, %v; want nothing", left, err)
	}
	_, err = e.Ingest(t.Context(), datasets.Ingest{Workspace: "w", Version: "v", Format: datasets.CSV, Source: strings.NewReader("a\n9\n"), MaxBytes: 100})
	if err == nil {
		t.Error("a version was built twice")
	}
	if r, err := ask(t, e, "w", "SELECT sum(a) FROM t", "t=v"); err != nil || rowsOf(r) != "[5]" {
		t.Errorf("the first table: got %s, %v; want [5]", rowsOf(r), err)
	}
}

func TestRemove(t *testing.T) {
	e := newEngine(t, nil)
	ingestCSV(t, e, "w", "v1", "a\n1\n")
	ingestCSV(t, e, "w", "v2", "a\n2\n")
	if _, err := ask(t, e, "w", "SELECT a FROM t", "t=v1"); err != nil {
		t.Fatal(err)
	}
	holder := e.pool.idle[0].child
	for range 2 { // the second time there is none
		if err := e.Remove("w", "v1"); err != nil {
			t.Error(err)
		}
	}
	<-holder.Done() // a child that has the file open is ended
	if _, err := ask(t, e, "w", "SELECT a FROM t", "t=v1"); fault.CodeOf(err) != fault.EngineUnavailable {
		t.Errorf("the removed table: got %v, want engine_unavailable", err)
	}
	if r, err := ask(t, e, "w", "SELECT a FROM t", "t=v2"); err != nil || rowsOf(r) != "[2]" {
		t.Errorf("the other table: got %s, %v; want [2]", rowsOf(r), err)
	}
}

func TestSweep(t *testing.T) {
	now := time.Now()
	e := newEngine(t, func(c *Config) { c.Now = func() time.Time { return now } })
	for _, version := range []string{"kept", "orphan"} {
		ingestCSV(t, e, "w", version, "a\n1\n")
	}
	dead := filepath.Join(e.cfg.Root, buildFolder, instancePrefix+"dead")
	if err := os.MkdirAll(filepath.Join(dead, "site-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	keep := func(workspace, version string) bool { return workspace == "w" && version == "kept" }
	list := func() string {
		files, err := filepath.Glob(e.cfg.Root + "/w/*")
		if err != nil {
			t.Fatal(err)
		}
		for i := range files {
			files[i] = filepath.Base(files[i])
		}
		return strings.Join(files, " ")
	}
	if err := e.Sweep(keep); err != nil || list() != "kept.duckdb orphan.duckdb" {
		t.Errorf("young: got %s, %v; want both", list(), err)
	}
	now = now.Add(2 * time.Hour)
	if err := e.Sweep(keep); err != nil || list() != "kept.duckdb" {
		t.Errorf("old: got %s, %v; want kept.duckdb", list(), err)
	}
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("the dead process's folder: %v", err)
	}
	if _, err := os.Stat(e.tables.building.path); err != nil {
		t.Errorf("our own folder: %v", err)
	}
}
