package api

import (
	"log/slog"
	"strings"
	"time"

	"ambit/scopes"
)

// logLine writes the one line of a call: who, with what tool, what, how it went.
// Never a payload, never a secret.
func (s *Server) logLine(r *request, started time.Time) {
	level := slog.LevelInfo
	if r.route.Class == scopes.ClassPublic {
		level = slog.LevelDebug
	}
	ctx, caller := r.c.Request.Context(), r.call.Caller
	if !s.Log.Enabled(ctx, level) {
		return
	}
	s.Log.LogAttrs(ctx, level, "call",
		slog.String("request", r.id), slog.String("caller", caller.Principal()), slog.String("scope", caller.Scope.String()),
		slog.String("tool", r.call.Tool), slog.String("method", r.route.Method), slog.String("path", loggedPath(r)),
		slog.Int("status", r.c.Writer.Status()), slog.Duration("took", time.Since(started)))
}

// loggedPath is the path with the ids in it; a value that is no id is not
// written, so that no caller writes the log.
func loggedPath(r *request) string {
	path := r.route.Path
	for name, value := range r.call.params {
		if scopes.ValidID(value) {
			path = strings.Replace(path, "{"+name+"}", value, 1)
		}
	}
	return path
}
