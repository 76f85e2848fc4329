package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ambit/internal/fault"
)

func TestFrames(t *testing.T) {
	var pipe bytes.Buffer
	for _, body := range [][]byte{nil, []byte("body"), bytes.Repeat([]byte("x"), 1<<20)} {
		if err := Write(&pipe, Request{Op: OpQuery, Query: &Query{SQL: "SELECT é"}}, body); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{0, 4, 1 << 20} {
		var r Request
		body, err := Read(&pipe, &r)
		if err != nil || r.Op != OpQuery || r.Query.SQL != "SELECT é" || len(body) != want {
			t.Errorf("got %+v with %d bytes, %v; want the query with %d", r, len(body), err, want)
		}
	}
	if _, err := Read(&pipe, &Request{}); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: got %v, want %v", err, io.EOF)
	}
}

func TestReadRefuses(t *testing.T) {
	head := func(message, body uint32) string {
		return string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, message), body))
	}
	tests := []struct{ name, frame, want string }{
		{"long message", head(MaxMessage+1, 0), "over the bound"},
		{"long body", head(2, MaxBody+1), "over the bound"},
		{"cut in the head", head(2, 0)[:5], "unexpected EOF"},
		{"cut in the message", head(10, 0) + "{}", "unexpected EOF"},
		{"no JSON", head(2, 0) + "xx", "decoding a frame"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Read(strings.NewReader(tt.frame), &Answer{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if err := Write(io.Discard, "x", make([]byte, MaxBody+1)); err == nil {
		t.Error("a body over the bound was written")
	}
}

func TestRows(t *testing.T) {
	body := AppendRow(AppendRow(AppendRow(nil, []byte("[1]")), []byte("[]")), []byte(`["x"]`))
	rows, err := Rows(body)
	if got, want := fmt.Sprintf("%s", rows), "[[1] [] [\"x\"]]"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if raw, err := json.Marshal(must(Rows(nil))); err != nil || string(raw) != "[]" {
		t.Errorf("no rows: got %s, %v; want []", raw, err)
	}
	for _, broken := range [][]byte{body[:2], body[:5], binary.LittleEndian.AppendUint32(nil, 1<<31)} {
		if rows, err := Rows(broken); err == nil {
			t.Errorf("%v: got %s, want an error", broken, rows)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestFaultsTravel sends a fault through JSON: the cause arrives as text, for the log.
func TestFaultsTravel(t *testing.T) {
	sent := fault.New(fault.UnknownTable, "There is no table %q.", "x").WithFix("Tables: a.").With("tables", []string{"a"}).Because(errors.New("why"))
	raw, err := json.Marshal(FromError(fmt.Errorf("doing: %w", sent)))
	if err != nil {
		t.Fatal(err)
	}
	var m Fault
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	if got := m.Error(); got.Error() != sent.Error() || got.Fix != sent.Fix || fmt.Sprint(got.Info) != "map[tables:[a]]" {
		t.Errorf("got %+v, want %+v", got, sent)
	}
}
