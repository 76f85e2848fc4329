package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"ambit/audit"
	"ambit/internal/fault"
	"ambit/internal/idempotency"
	"ambit/scopes"
	"ambit/workspaces"
)

// effectTimeout bounds a transaction once it has begun. It does not end when the
// client hangs up: a half-done commit would be worse than an unread answer.
const effectTimeout = 10 * time.Second

// request is one request on its way through admit.
type request struct {
	c       *gin.Context
	id      string
	route   scopes.Route
	end     endpoint
	call    *Call
	in      any    // the decoded input
	body    []byte // as it was sent; nil for uploads and GETs
	key     idempotency.Key
	derived bool // the key was derived by the MCP layer

	reply    idempotency.Reply
	replayed bool
}

// step is one part of admit. The first that fails ends the request.
type step struct {
	name string
	run  func(s *Server, ctx context.Context, r *request) error
}

// admit is the life of a request, in order. There is no other way to a handler.
var admit = []step{
	{"limits", (*Server).checkLimits},
	{"origin", (*Server).checkOrigin},
	{"authenticate", (*Server).authenticate},
	{"class", (*Server).checkClass},
	{"decode", (*Server).decode},
	{"bind", (*Server).bind},
	{"stage", (*Server).checkStage},
	{"key", (*Server).checkKey},
	{"act", (*Server).act},
}

// serve runs a request through admit and answers it.
func (s *Server) serve(route scopes.Route, end endpoint) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := &request{c: c, id: requestID(c), route: route, end: end, call: &Call{Route: route, params: paramsOf(c)}}
		started := time.Now()
		defer s.logLine(r, started)
		if end.raw != nil {
			end.raw.ServeHTTP(c.Writer, c.Request)
			return
		}
		err := s.run(c.Request.Context(), r)
		switch {
		case err == nil:
			s.writeReply(r)
		case r.abandoned(err):
			c.AbortWithStatus(statusAbandoned)
		default:
			s.auditRefusal(c.Request.Context(), r, err)
			s.writeProblem(c, err, r.id)
		}
	}
}

func paramsOf(c *gin.Context) map[string]string {
	params := make(map[string]string, len(c.Params))
	for _, p := range c.Params {
		params[p.Key] = p.Value
	}
	return params
}

// run goes through the steps. A panic is an error like any other.
func (s *Server) run(ctx context.Context, r *request) (err error) {
	defer recovered(&err)
	for _, step := range admit {
		if err := step.run(s, ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) checkClass(_ context.Context, r *request) error {
	return scopes.Decide(r.route, r.call.Caller)
}

// checkStage keeps agents from training once the workspace's stage has ended it.
func (s *Server) checkStage(ctx context.Context, r *request) error {
	if r.call.Caller.Kind != scopes.Token || !r.route.Trains {
		return nil
	}
	w, err := s.Workspaces.Get(ctx, r.call.Workspace)
	if err != nil || !w.Stage.Frozen() {
		return err
	}
	return fault.New(fault.StageForbids, "The workspace is in stage %s, where agents do not train.", w.Stage).
		WithFix("Ask a person to move the workspace back to stage build.").
		With("stage", w.Stage).With("needed", workspaces.Build)
}

// act runs the handler: with its effect, its audit record and its kept reply in
// one transaction where the route changes something.
func (s *Server) act(ctx context.Context, r *request) error {
	if r.end.stream != nil {
		leave, err := s.waiting.enter(r.call.Caller.Principal())
		if err != nil {
			return err
		}
		defer leave()
		return r.end.stream(ctx, r.call, r.in, r.c.Writer)
	}
	if !r.route.Mutates() {
		return s.answer(ctx, r)
	}
	if r.key.Value == "" {
		return s.once(ctx, r)
	}
	return s.replayOrAct(ctx, r)
}

// answer runs a handler that changes nothing.
func (s *Server) answer(ctx context.Context, r *request) error {
	prepared, err := r.end.prepare(ctx, r.call, r.in)
	if err != nil {
		return err
	}
	out, err := r.end.effect(ctx, r.call, r.in, prepared)
	if err != nil {
		return err
	}
	if r.reply, err = s.replyOf(r, out); err != nil {
		return err
	}
	if r.route.Audited() { // before the answer goes out
		return s.Audit.Append(context.WithoutCancel(ctx), s.entry(r, "ok"))
	}
	return nil
}

// replayOrAct holds the key from before the first slow step until the commit.
func (s *Server) replayOrAct(ctx context.Context, r *request) error {
	for {
		done, next, err := s.tryKey(ctx, r)
		if err != nil || done {
			return err
		}
		r.key.Value = next // a derived key whose record has aged: the call acts afresh under the next one
	}
}

func (s *Server) tryKey(ctx context.Context, r *request) (done bool, next string, err error) {
	release, err := s.Replays.Hold(ctx, r.key)
	if err != nil {
		return false, "", err
	}
	defer release()
	if r.route.Upload {
		return true, "", s.once(ctx, r) // what was uploaded is known only after it was read
	}
	kept, found, err := s.Replays.Find(ctx, r.key)
	if err != nil {
		return false, "", err
	}
	if !found {
		return true, "", s.once(ctx, r)
	}
	if r.derived && s.Now().Sub(kept.CreatedAt) > derivedFor {
		return false, nextKey(r.key.Value), nil
	}
	return true, "", s.replay(ctx, r, kept)
}

// once prepares and acts.
func (s *Server) once(ctx context.Context, r *request) error {
	prepared, err := r.end.prepare(ctx, r.call, r.in)
	if d, ok := prepared.(discarder); ok {
		defer func() {
			if r.forsaken(err) {
				d.discard(context.WithoutCancel(ctx))
			}
		}()
		r.key = withDigest(r.key, d)
	}
	if err == nil && r.call.again != nil { // what is slow may have outlived its credential
		err = r.call.still(ctx)
	}
	if err != nil {
		return err
	}
	if r.route.Upload && r.key.Value != "" {
		kept, found, ferr := s.Replays.Find(ctx, r.key)
		if err = ferr; err != nil {
			return err
		}
		if found {
			err = s.replay(ctx, r, kept)
			return err
		}
	}
	err = s.commit(ctx, r, prepared)
	return err
}

// forsaken reports whether nothing can refer to what was prepared. After a commit
// whose outcome is unknown something may: what nothing does then, a sweep finds.
func (r *request) forsaken(err error) bool {
	return r.replayed || err != nil && fault.CodeOf(err) != fault.Unavailable
}

// commit runs the effect in its transaction.
func (s *Server) commit(ctx context.Context, r *request, prepared any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), effectTimeout)
	defer cancel()
	var answer idempotency.Reply
	_, err := s.Replays.Once(ctx, r.key, func(ctx context.Context) (kept idempotency.Reply, err error) {
		defer recovered(&err)
		if r.route.Budgeted && r.call.Caller.Kind == scopes.Token {
			if err := s.Tokens.Take(ctx, r.call.Caller.ID); err != nil {
				return idempotency.Reply{}, err
			}
		}
		out, err := r.end.effect(ctx, r.call, r.in, prepared)
		if err != nil {
			return idempotency.Reply{}, err
		}
		if answer, err = s.replyOf(r, out); err != nil {
			return idempotency.Reply{}, err
		}
		if kept, err = s.keptOf(r, out, answer); err != nil {
			return idempotency.Reply{}, err
		}
		if r.call.Caller.Kind == scopes.Nobody { // signed out without a session: nothing has happened
			return kept, nil
		}
		return kept, s.Audit.Append(ctx, s.entry(r, "ok"))
	})
	r.reply = answer
	return err
}

// replay answers with what was kept, after its own audit record is committed.
func (s *Server) replay(ctx context.Context, r *request, kept idempotency.Reply) error {
	r.reply, r.replayed = kept, true
	e := s.entry(r, "ok")
	e.Replay, e.Detail = true, "digest of the first answer: "+kept.Digest
	return s.Audit.Append(context.WithoutCancel(ctx), e)
}

// replyOf puts what a handler returned on the wire.
func (s *Server) replyOf(r *request, out any) (idempotency.Reply, error) {
	reply := idempotency.Reply{Status: r.end.status, Headers: r.call.headers}
	if _, empty := out.(none); empty {
		reply.Status = http.StatusNoContent
		return reply, nil
	}
	var err error
	reply.Body, err = json.Marshal(out)
	return reply, err
}

// entry is the audit record of a request.
func (s *Server) entry(r *request, outcome string) audit.Entry {
	c := r.call
	e := audit.Entry{
		At: s.Now(), Principal: c.Caller.Principal(), ActsFor: c.Caller.ActsFor, Tool: c.Tool, Host: c.Host,
		Route: string(r.route.ID), Workspace: c.Workspace, Entity: c.entity, Outcome: outcome, Detail: c.detail,
		Key: r.key.Value, RequestID: r.id,
	}
	if r.body != nil && !r.end.secret { // a digest is enough to try passwords on
		sum := sha256.Sum256(r.body)
		e.Digest = hex.EncodeToString(sum[:])
	}
	return e
}
