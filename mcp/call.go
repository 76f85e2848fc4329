package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"ambit/api/client"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/scopes"
)

// request is a message of a caller whose credential was looked at.
type request struct {
	envelope
	caller caller
	host   string // claim: the program that the agent runs in
	// notify sends a progress message to the stream of this request, and returns
	// when it has left. Nil: nobody listens.
	notify func(ctx context.Context, progress map[string]any)
}

type requestKey struct{}

func withRequest(ctx context.Context, rq *request) context.Context {
	return context.WithValue(ctx, requestKey{}, rq)
}

func requestFrom(ctx context.Context) *request {
	rq, _ := ctx.Value(requestKey{}).(*request)
	return rq
}

// call is one run of a tool.
type call struct {
	api   *client.Client // may make the calls of the tool's action, and no others
	rq    *request
	key   callKey
	now   clock.Clock
	every time.Duration // least time between two polls
	shown float64       // progress that the caller was told of
}

// send calls a route of the tool.
func (c *call) send(ctx context.Context, id scopes.RouteID, params map[string]string, query url.Values, body any) (client.Answer, error) {
	return c.api.Call(ctx, id, params, query, body)
}

// progress tells the caller that a share of its call is done, if it asked to be
// told and the share grew. It returns when the message has left, so none is
// after the result.
func (c *call) progress(ctx context.Context, share float64, message string) {
	token := c.rq.params.Meta.Progress
	if token == nil || c.rq.notify == nil || share <= c.shown {
		return
	}
	c.shown = share
	c.rq.notify(ctx, map[string]any{"progressToken": token, "progress": share, "total": 1, "message": message})
}

// answer runs a tool for a request. It always has a result: what went wrong is
// for the model to read, and never an error of the protocol.
func (s *core) answer(ctx context.Context, t Tool, rq *request) *mcpgo.CallToolResult {
	do, err := admit(t, rq)
	if err != nil {
		s.refused(ctx, rq, t.Name, err)
		return failed(callKey{}, client.Answer{}, err)
	}
	c := &call{rq: rq, key: keyOf(t, rq), now: s.now, every: s.every}
	c.api = s.api.As(client.Caller{
		Bearer: rq.caller.token, Tool: t.Name, Host: rq.host, Trace: trace(rq),
		Key: c.key.value, Derived: c.key.derived,
	}).Only(t.reach(rq.params.Arguments)...)
	ctx, cancel := context.WithTimeout(ctx, t.deadline())
	defer cancel()
	r, err := s.run(ctx, t, do, c)
	if err == nil {
		err = sound(r.answer)
	}
	if err != nil {
		s.learn(ctx, rq, t, err)
		return failed(c.key, r.answer, err)
	}
	return succeeded(t, c.key, r)
}

// admit decides whether a caller may run a tool, and reads the arguments.
func admit(t Tool, rq *request) (work, error) {
	if rq.caller.err != nil {
		return nil, rq.caller.err
	}
	if rq.caller.scope < t.Scope || rq.caller.scope == scopes.NoScope {
		return nil, fault.New(fault.ScopeForbidden, "The tool %s needs a token of scope %s; yours is %s.", t.Name, t.Scope, scopeName(rq.caller.scope)).
			WithFix("Ask an admin for a %s token, or use the tools that are listed.", t.Scope).With("needed", t.Scope.String())
	}
	args := rq.params.Arguments
	if args == nil {
		args = json.RawMessage("{}")
	}
	if args[0] != '{' {
		return nil, fault.InvalidFields([]fault.Field{{Path: "arguments", Rule: "must be an object"}})
	}
	return t.read(args)
}

func scopeName(s scopes.Scope) string {
	if s == scopes.NoScope {
		return "none"
	}
	return s.String()
}

// run does a tool's work. A panic ends the call and nothing else.
func (s *core) run(ctx context.Context, t Tool, do work, c *call) (r reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			id := ids.New("err")
			s.log.ErrorContext(ctx, "a tool panicked", "tool", t.Name, "error_id", id, "panic", p, "stack", string(debug.Stack()))
			err = broken(id)
		}
	}()
	return do(ctx, c)
}

func broken(id string) error {
	return fault.New(fault.Internal, "Ambit failed to do this.").
		WithFix("Try again; if it happens again, report the error_id.").With("error_id", id)
}

// learn logs what callers are not shown, and forgets a credential that no longer holds.
func (s *core) learn(ctx context.Context, rq *request, t Tool, err error) {
	f := fault.From(err)
	if f.Code == fault.Unauthenticated {
		s.callers.forget(rq.caller)
	}
	if f.Err != nil {
		s.log.WarnContext(ctx, "a tool call failed", "tool", t.Name, "code", f.Code, "error", f.Err)
	}
}

// sound reports whether an answer can be a result: results are objects.
func sound(a client.Answer) error {
	if len(a.Body) > 0 && a.Body[0] != '{' {
		return fault.From(fmt.Errorf("status %d and %d bytes that are no object", a.Status, len(a.Body)))
	}
	if len(a.Body) > maxResult {
		return fault.New(fault.TooLarge, "The result has more than %d KiB.", maxResult>>10).
			WithFix("Ask for less: fewer rows or columns, a smaller limit, one part.")
	}
	return nil
}
