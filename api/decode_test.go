package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestBadText(t *testing.T) {
	tests := []struct {
		name string
		got  []string
		bad  bool
	}{
		{"text", []string{"Grüße"}, false},
		{"nothing", []string{""}, false},
		{"NUL", []string{"a\x00b"}, true},
		{"not UTF-8", []string{"\xff"}, true},
		{"the second", []string{"a", "\xff"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := badText("principal", tt.got); (got != nil) != tt.bad {
				t.Errorf("badText(%q) = %v, want wrong: %v", tt.got, got, tt.bad)
			}
		})
	}
}

// deadlines is a connection that notes what it is told of reading.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// An upload's time starts again with every read, and ends with the body: from
// then on the server waits for the client to hang up, for as long as it takes.
func TestPatientBody(t *testing.T) {
	conn := &deadlines{ResponseWriter: httptest.NewRecorder()}
	body := patient{io.NopCloser(strings.NewReader("abc")), http.NewResponseController(conn)}
	before := time.Now()
	raw, err := io.ReadAll(body)
	if err != nil || string(raw) != "abc" {
		t.Fatalf("ReadAll = %q, %v", raw, err)
	}
	if len(conn.set) < 3 {
		t.Fatalf("deadlines %v, want one for each of two reads or more, and none after them", conn.set)
	}
	last := len(conn.set) - 1
	for i, at := range conn.set[:last] {
		if at.Before(before.Add(stallsFor)) {
			t.Errorf("deadline %d is %v after the start, want %v or more", i, at.Sub(before), stallsFor)
		}
	}
	if !conn.set[last].IsZero() {
		t.Errorf("after the body the deadline is %v, want none", conn.set[last])
	}
}
