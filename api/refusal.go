package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"ambit/audit"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/scopes"
)

// statusAbandoned is for the log: nobody reads it.
const statusAbandoned = 499

// abandoned reports whether a request failed because its caller hung up, which
// refuses nobody anything. An effect goes on without its caller: what fails it is
// something else.
func (r *request) abandoned(err error) bool {
	if r.c.Request.Context().Err() == nil {
		return false
	}
	return errors.Is(err, context.Canceled) || !r.route.Mutates() && fault.CodeOf(err).Status() >= http.StatusInternalServerError
}

// auditRefusal records what a known caller was refused, before the answer goes out.
func (s *Server) auditRefusal(ctx context.Context, r *request, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), effectTimeout)
	defer cancel()
	if r.call.Caller.Kind == scopes.Nobody && r.call.again == nil && r.route.Class != scopes.ClassPublic {
		claims(r) // it was refused before anybody asked who it is
		_ = s.identify(ctx, r.c.Request, r.call)
	}
	if r.call.Caller.Kind == scopes.Nobody {
		s.refusedUnknown(ctx, r, err)
		return
	}
	f := fault.From(err)
	e := s.entry(r, string(f.Code))
	if aerr := s.Audit.Append(ctx, e); aerr != nil {
		s.Log.ErrorContext(ctx, "a refusal could not be recorded", "request", r.id, "error", aerr)
	}
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
