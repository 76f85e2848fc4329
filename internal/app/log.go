package app

import (
	"context"
	"io"
	"log/slog"
	"os"
)

// logger returns the log that the configuration asks for.
func (c Config) logger() *slog.Logger {
	if c.Log != nil {
		return c.Log
	}
	var to io.Writer = os.Stderr
	if c.LogTo != nil {
		to = c.LogTo
	}
	var level slog.LevelVar
	_ = level.UnmarshalText([]byte(c.LogLevel)) // Check has read it
	options := &slog.HandlerOptions{Level: &level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// onlyErrors passes on errors alone. The job queue warns of what is nothing
// unusual here: a job that was cancelled, or that a server left behind.
type onlyErrors struct{ slog.Handler }

func (h onlyErrors) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, level)
}

func (h onlyErrors) WithAttrs(attrs []slog.Attr) slog.Handler {
	return onlyErrors{h.Handler.WithAttrs(attrs)}
}
func (h onlyErrors) WithGroup(name string) slog.Handler { return onlyErrors{h.Handler.WithGroup(name)} }
