package app

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/audit"
)

// keyApp is an App on a folder, closed when the test ends.
func keyApp(t *testing.T, data string) *App {
	t.Helper()
	cfg := Default()
	cfg.Data, cfg.Addr, cfg.Version, cfg.Command = data, "127.0.0.1:0", "0.0.0-test", []string{os.Args[0]}
	cfg.Log = slog.New(slog.DiscardHandler)
	a, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// A server whose key is not the log's could write nothing. It says so at the start.
func TestServeNeedsTheKeyOfTheAuditLog(t *testing.T) {
	data := t.TempDir()
	a := keyApp(t, data)
	if err := a.checkAuditKey(t.Context()); err != nil {
		t.Errorf("with an empty log: %v", err)
	}
	if err := a.store.Append(t.Context(), audit.Entry{Principal: "cli", Route: "test", Outcome: "ok"}); err != nil {
		t.Fatal(err)
	}
	if err := a.checkAuditKey(t.Context()); err != nil {
		t.Errorf("with its own key: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(data, "audit.key")); err != nil {
		t.Fatal(err)
	}
	err := keyApp(t, data).Serve(t.Context(), func(string) error { return errors.New("it serves") })
	if err == nil || !strings.Contains(err.Error(), "not signed with this server's key") {
		t.Errorf("Serve with another key = %v, want that the log is not signed with it", err)
	}
}
