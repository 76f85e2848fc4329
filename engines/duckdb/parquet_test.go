package duckdb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"

	"ambit/datasets"
	"ambit/internal/fault"
)

// parquetFile has the engine write a SELECT as Parquet.
func parquetFile(t testing.TB, sql string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.parquet")
	if _, err := openDirect(t).Exec(fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet)", sql, path)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func ingestParquet(t testing.TB, e *Engine, version string, file []byte) (datasets.Ingested, error) {
	t.Helper()
	return e.Ingest(t.Context(), datasets.Ingest{Workspace: "w", Version: version, Format: datasets.Parquet, Source: bytes.NewReader(file), MaxBytes: 1 << 30})
}

func TestIngestParquet(t *testing.T) {
	file := parquetFile(t, `SELECT * FROM (VALUES
		(1::INTEGER, 1.5::DOUBLE, '007', DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00', true, 1.25::DECIMAL(6,2), [1, 2], {'k': 'v'}, ''),
		(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) v(i, x, s, d, ts, b, m, l, r, "a ""b")`)
	e := newEngine(t, nil)
	in, err := ingestParquet(t, e, "v", file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := columnsOf(in.Columns), `i:INTEGER:number x:DOUBLE:number s:VARCHAR:category d:DATE:date ts:TIMESTAMP:datetime b:BOOLEAN:boolean m:DECIMAL(6,2):number l:INTEGER[]:other r:STRUCT("k" VARCHAR):other a "b:VARCHAR:category`; got != want {
		t.Errorf("columns\n got %s\nwant %s", got, want)
	}
	r, err := ask(t, e, "w", "SELECT * FROM t", "t=v")
	want := `[1,1.5,"007","2024-01-01","2024-01-01T10:00:00Z",true,"1.25",[1,2],{"k":"v"},""]` + "\n[" + strings.TrimSuffix(strings.Repeat("null,", 10), ",") + "]"
	if err != nil || rowsOf(r) != want {
		t.Errorf("rows: %v\n got %s\nwant %s", err, rowsOf(r), want)
	}
}

// lying returns the file with another footer.
func lying(t *testing.T, file []byte, rows, groupRows int64) []byte {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	meta := *f.Metadata()
	meta.NumRows = rows
	meta.RowGroups[0].NumRows = groupRows
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		t.Fatal(err)
	}
	return withFooter(file, footer)
}

// withFooter returns the file's data with another footer behind it.
func withFooter(file, footer []byte) []byte {
	n := len(footer)
	length := []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
	old := int(file[len(file)-8]) | int(file[len(file)-7])<<8 | int(file[len(file)-6])<<16
	out := append([]byte{}, file[:len(file)-8-old]...)
	return append(append(append(out, footer...), length...), "PAR1"...)
}

func TestIngestRefusesBadParquet(t *testing.T) {
	good := parquetFile(t, "SELECT range AS i, 'x' || range AS s FROM range(10)")
	broken := append([]byte{}, good...)
	for i := 4; i < 60; i++ {
		broken[i] ^= 0xff
	}
	columns := make([]string, 2001)
	for i := range columns {
		columns[i] = fmt.Sprint("1 AS c", i)
	}
	tests := []struct {
		name   string
		file   []byte
		code   fault.Code
		detail string
	}{
		{"empty", nil, fault.Invalid, "not a readable Parquet file"},
		{"text", []byte("a,b\n1,2\n3,4\n5,6\n"), fault.Invalid, "not a readable Parquet file"},
		{"cut off", good[:len(good)/2], fault.Invalid, "not a readable Parquet file"},
		{"footer longer than the file", withLength(good, 1<<30), fault.Invalid, "not a readable Parquet file"},
		{"footer of noise", withFooter(good, bytes.Repeat([]byte{0x15, 0xff, 0x19}, 50)), fault.Invalid, "not a readable Parquet file"},
		{"broken pages", broken, fault.Invalid, "The file cannot be read"},
		{"no rows", parquetFile(t, "SELECT 1 AS a WHERE false"), fault.Invalid, "no rows"},
		{"rows that are not there", lying(t, good, 1000, 1000), fault.Invalid, ""},
		{"parts that differ", lying(t, good, 3, 10), fault.Invalid, "says it has 3 rows, and its parts have 10"},
		{"300 million rows", lying(t, good, 300_000_000, 300_000_000), fault.TooLarge, "300000000 rows"},
		{"negative rows", lying(t, good, -5, -5), fault.Invalid, "not a readable Parquet file"},
		{"too many columns", parquetFile(t, "SELECT "+strings.Join(columns, ", ")), fault.Invalid, "2001 columns"},
		{"too many nested columns", parquetFile(t, "SELECT {"+fields(2001)+"} AS s"), fault.Invalid, "nested ones included"},
		{"control character in a name", parquetFile(t, `SELECT 1 AS "a`+"\n"+`b"`), fault.Invalid, "control character"},
	}
	e := newEngine(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ingestParquet(t, e, "v", tt.file)
			if f := fault.From(err); f.Code != tt.code || !strings.Contains(f.Detail, tt.detail) || strings.Contains(f.Detail, e.scratch.path) {
				t.Errorf("got %v, want %s with %q", f, tt.code, tt.detail)
			}
			checkNothingBuilt(t, e)
		})
	}
}

func fields(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("'f%d': 1", i)
	}
	return strings.Join(parts, ", ")
}

func withLength(file []byte, n int) []byte {
	out := append([]byte{}, file...)
	copy(out[len(out)-8:], []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	return out
}
