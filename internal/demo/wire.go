package demo

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// Wire is a log handler that keeps the calls which tools make of the API, so
// that the walk can show what each tool put on the wire.
type Wire struct {
	Next slog.Handler // gets warnings and errors

	mu    sync.Mutex
	calls []string
}

// Enabled reports that calls are logged at the level of information.
func (w *Wire) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs and WithGroup keep nothing: the server's log has no context of its own.
func (w *Wire) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup returns the handler as it is.
func (w *Wire) WithGroup(string) slog.Handler { return w }

// Handle keeps a call that a tool made, and passes on warnings and errors.
func (w *Wire) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		return w.Next.Handle(ctx, r)
	}
	attrs := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool { attrs[a.Key] = a.Value; return true })
	if r.Message != "call" || attrs["tool"].String() == "" || attrs["caller"].String() == "cli" {
		return nil
	}
	line := fmt.Sprintf("%s %s → %d", attrs["method"], attrs["path"], attrs["status"].Int64())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, line)
	return nil
}

// take returns the calls since the last take, equal ones in a row as one.
func (w *Wire) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for at := 0; at < len(w.calls); {
		n := 1
		for at+n < len(w.calls) && w.calls[at+n] == w.calls[at] {
			n++
		}
		line := w.calls[at]
		if n > 1 {
			line += fmt.Sprintf("   (%d times)", n)
		}
		lines = append(lines, line)
		at += n
	}
	w.calls = nil
	return lines
}
