package api

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ambit/audit"
	"ambit/internal/clock"
	"ambit/internal/fault"
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

// unknownCallers counts requests without a valid credential. Each gets a log
// line; together they get one audit record a minute, so that nobody fills the
// audit log from outside.
type unknownCallers struct {
	mu    sync.Mutex
	count int
	since clock.Time
}

const unknownEvery = time.Minute

// take counts one more, and returns how many to record now, or 0.
func (u *unknownCallers) take(now clock.Time) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count++
	if u.since != 0 && now.Sub(u.since) < unknownEvery {
		return 0
	}
	n := u.count
	u.count, u.since = 0, now
	return n
}

func (s *Server) refusedUnknown(ctx context.Context, r *request, err error) {
	code := fault.CodeOf(err)
	s.Log.InfoContext(ctx, "refused without a credential", "request", r.id, "route", string(r.route.ID), "code", string(code))
	n := s.unknown.take(s.Now())
	if n == 0 {
		return
	}
	e := audit.Entry{
		At: s.Now(), Principal: scopes.Caller{}.Principal(), Route: string(r.route.ID), Outcome: string(code),
		Detail: fmt.Sprintf("%d requests without a valid credential since the last such record", n), RequestID: r.id,
	}
	if aerr := s.Audit.Append(ctx, e); aerr != nil {
		s.Log.ErrorContext(ctx, "a refusal could not be recorded", "request", r.id, "error", aerr)
	}
}
