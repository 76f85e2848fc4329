package app

import (
	"context"
	"log/slog"
	"time"
)

// timeless takes the time from records, so that a test can say what they are.
type timeless struct{ slog.Handler }

func (h timeless) Handle(ctx context.Context, r slog.Record) error {
	r.Time = time.Time{}
	return h.Handler.Handle(ctx, r)
}

func (h timeless) WithAttrs(attrs []slog.Attr) slog.Handler {
	return timeless{h.Handler.WithAttrs(attrs)}
}
func (h timeless) WithGroup(name string) slog.Handler { return timeless{h.Handler.WithGroup(name)} }
