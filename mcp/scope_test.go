package mcp_test

import (
	"net/http"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/mcp"
	"ambit/scopes"
)

func TestOutOfScope(t *testing.T) {
	tests := []struct{ name, token, tool, args, needed string }{
		{"read calls compute", readToken, "what_if", `{"model_id":"m","rows":[{}]}`, "compute"},
		{"read calls builder", readToken, "launch_plan", `{"plan_id":"p"}`, "builder"},
		{"compute calls builder", computeToken, "plan", `{"action":"cancel","plan_id":"p"}`, "builder"},
		{"the scope is decided before the arguments", readToken, "launch_plan", `{"bogus":1}`, "builder"},
	}
	for _, tt := range tests {
		h := newHost(t)
		r := h.call(t, tt.token, tt.tool, tt.args)
		p := r.problem(t)
		if want := "Ask an admin for a " + tt.needed + " token, or use the tools that are listed."; p.Code != "scope_forbidden" || p.Fix != want {
			t.Errorf("%s: %s %q, want scope_forbidden %q", tt.name, p.Code, p.Fix, want)
		}
		reached := h.of()
		if len(reached) != 1 || reached[0].route != scopes.AuditRefusals || reached[0].body != `{"tool":"`+tt.tool+`","code":"scope_forbidden"}` {
			t.Fatalf("%s: reached the API: %+v, want one report of the refusal", tt.name, reached)
		}
		if got := reached[0].header.Get("Authorization"); got != "Bearer "+tt.token {
			t.Errorf("%s: reported as %q, want the caller itself", tt.name, got)
		}
	}
}

func TestRefusedAlsoWhenTheReportFails(t *testing.T) {
	h := newHost(t)
	h.answer(scopes.AuditRefusals, problem(fault.New(fault.Unavailable, "Away.")))
	if p := h.call(t, readToken, "launch_plan", `{"plan_id":"p"}`).problem(t); p.Code != "scope_forbidden" {
		t.Errorf("code = %q, want scope_forbidden", p.Code)
	}
}

func TestUnknownTool(t *testing.T) {
	for name, reported := range map[string]string{"promote\u202e": "promote", "": "unnamed", "\u202e": "unnamed"} {
		h := newHost(t)
		w := h.do(post(readToken, toolCall(1, name, `{}`, "")))
		m := messages(t, "", w.Body.String())[0]
		if m.Error == nil || m.Error.Code != -32602 || m.Error.Message != "There is no such tool; tools/list has those there are." {
			t.Errorf("%q: %s", name, w.Body)
		}
		if got := h.of(); len(got) != 1 || got[0].body != `{"tool":"`+reported+`","code":"not_found"}` {
			t.Errorf("%q: reached the API: %+v, want one report of %s", name, got, reported)
		}
	}
}

// What a token may do is kept for a minute, and not longer.
func TestAuthMeIsCached(t *testing.T) {
	now := clock.Time(1)
	h := newHost(t, func(c *mcp.Config) { c.Now = func() clock.Time { return now } })
	asked := func() int { return len(h.of(scopes.AuthMe)) }
	for _, step := range []struct {
		name string
		at   clock.Time
		who  string
		want int // times the API was asked, in all
	}{
		{"first", 1, readToken, 1},
		{"again", 1, readToken, 1},
		{"just before a minute", 60_000, readToken, 1},
		{"after a minute", 60_001, readToken, 2},
		{"another caller", 60_001, builderToken, 3},
		{"both are known", 60_002, readToken, 3},
	} {
		now = step.at
		h.list(t, step.who)
		if got := asked(); got != step.want {
			t.Errorf("%s: the API was asked %d times, want %d", step.name, got, step.want)
		}
	}
	h.answer(scopes.ModelEvaluation, problem(fault.New(fault.Unauthenticated, "Revoked.")))
	if p := h.call(t, readToken, "evaluation", `{"model_id":"m"}`).problem(t); p.Code != "unauthenticated" || asked() != 3 {
		t.Errorf("a revoked token: %s after %d questions", p.Code, asked())
	}
	h.list(t, readToken)
	if got := asked(); got != 4 {
		t.Errorf("after a 401 of a tool the API was asked %d times, want 4", got)
	}
}

func TestWhenAuthMeFails(t *testing.T) {
	read := "brief evaluation get_resource list_resources profile query run_status"
	tests := []struct {
		name   string
		me     http.HandlerFunc
		status int
		list   string
	}{
		{"500", problem(fault.New(fault.Internal, "x")), 200, read},
		{"503", problem(fault.New(fault.Unavailable, "x")), 200, read},
		{"502 of something else", say(502, "<html>"), 200, read},
		{"401", problem(fault.New(fault.Unauthenticated, "x")), 401, ""},
		{"429", problem(fault.New(fault.RateLimited, "x")), 429, ""},
		{"403", problem(fault.New(fault.HumanOnly, "x")), 403, ""},
		{"a person", say(200, `{"kind":"person","role":"admin"}`), 401, ""},
		{"a person with a scope", say(200, `{"kind":"person","scope":"builder"}`), 401, ""},
		{"no scope", say(200, `{"kind":"token"}`), 401, ""},
		{"a scope that there is not", say(200, `{"kind":"token","scope":"admin"}`), 401, ""},
		{"no answer", say(200, ``), 401, ""},
	}
	for _, tt := range tests {
		h := newHost(t)
		h.answer(scopes.AuthMe, tt.me)
		w := h.do(post(builderToken, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if w.Code != tt.status {
			t.Errorf("%s: status = %d, want %d: %s", tt.name, w.Code, tt.status, w.Body)
			continue
		}
		if (w.Header().Get("WWW-Authenticate") != "") != (tt.status == 401) {
			t.Errorf("%s: WWW-Authenticate = %q", tt.name, w.Header().Get("WWW-Authenticate"))
		}
		if tt.status == 200 {
			if got := names(h.list(t, builderToken)); got != tt.list {
				t.Errorf("%s: list = %q, want the read tools", tt.name, got)
			}
			if p := h.call(t, builderToken, "launch_plan", `{"plan_id":"p"}`).problem(t); p.Code != "scope_forbidden" {
				t.Errorf("%s: a builder tool: %s, want scope_forbidden", tt.name, p.Code)
			}
		}
	}
}
