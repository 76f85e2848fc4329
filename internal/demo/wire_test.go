package demo

import (
	"bytes"
	"log/slog"
	"slices"
	"testing"
)

func TestWire(t *testing.T) {
	var log bytes.Buffer
	w := &Wire{Next: slog.NewTextHandler(&log, nil)}
	l := slog.New(w)
	call := func(caller, tool, path string, status int) {
		l.Info("call", "caller", caller, "tool", tool, "method", "GET", "path", path, "status", status)
	}
	call("token:a", "brief", "/api/a", 200)
	call("token:a", "brief", "/api/a", 200)
	call("token:a", "query", "/api/b", 404)
	call("token:a", "brief", "/api/a", 200)
	call("cli", "ambit workspace add", "/api/c", 200)
	call("token:a", "", "/api/d", 200)
	l.Info("something else", "tool", "brief")
	l.Debug("call", "tool", "brief")
	l.Warn("trouble")
	want := []string{"GET /api/a → 200   (2 times)", "GET /api/b → 404", "GET /api/a → 200"}
	if got := w.take(); !slices.Equal(got, want) {
		t.Errorf("take = %q, want %q", got, want)
	}
	if got := w.take(); got != nil {
		t.Errorf("taken twice: %q", got)
	}
	if !bytes.Contains(log.Bytes(), []byte("msg=trouble")) || bytes.Count(log.Bytes(), []byte("\n")) != 1 {
		t.Errorf("log = %q, want the warning alone", log.String())
	}
}
