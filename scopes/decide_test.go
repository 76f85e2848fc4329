package scopes_test

import (
	"testing"

	"ambit/internal/fault"
	"ambit/scopes"
)

func TestDecide(t *testing.T) {
	builder := scopes.Route{ID: "b", Method: "POST", Class: scopes.ClassBuilder}
	compute := scopes.Route{ID: "c", Method: "POST", Class: scopes.ClassCompute}
	read := scopes.Route{ID: "r", Method: "GET", Class: scopes.ClassRead}
	admin := scopes.Route{ID: "a", Method: "POST", Class: scopes.ClassPerson, Role: scopes.Admin}
	stepUp := scopes.Route{ID: "s", Method: "POST", Class: scopes.ClassPerson, Role: scopes.Admin, StepUp: true}
	byCLI := scopes.Route{ID: "o", Method: "POST", Class: scopes.ClassPerson, Role: scopes.Admin, CLI: true}
	gate := scopes.Route{ID: "g", Method: "POST", Class: scopes.ClassPerson, Role: scopes.Operator, Session: true}

	token := func(s scopes.Scope) scopes.Caller { return scopes.Caller{Kind: scopes.Token, ID: "t", Scope: s} }
	person := func(r scopes.Role) scopes.Caller { return scopes.Caller{Kind: scopes.Person, ID: "p", Role: r} }
	cli := scopes.Caller{Kind: scopes.CLI, Everywhere: true}
	session := scopes.Caller{Kind: scopes.AgentSession, ID: "x"}

	tests := []struct {
		name   string
		route  scopes.Route
		caller scopes.Caller
		want   fault.Code // "" allows
	}{
		{"the zero route is closed to the best token", scopes.Route{}, token(scopes.Builder), fault.HumanOnly},
		{"the zero route is closed to an admin", scopes.Route{}, person(scopes.Admin), fault.RoleForbidden},
		{"the zero caller", read, scopes.Caller{}, fault.Unauthenticated},
		{"a token without a scope", read, token(scopes.NoScope), fault.ScopeForbidden},
		{"read reads", read, token(scopes.Read), ""},
		{"read does not compute", compute, token(scopes.Read), fault.ScopeForbidden},
		{"compute computes", compute, token(scopes.Compute), ""},
		{"builder computes", compute, token(scopes.Builder), ""},
		{"compute does not build", builder, token(scopes.Compute), fault.ScopeForbidden},
		{"builder builds", builder, token(scopes.Builder), ""},
		{"no token is a person", admin, token(scopes.Builder), fault.HumanOnly},
		{"a scope that does not exist is no person either", admin, token(scopes.Builder + 1), fault.HumanOnly},
		{"a person without a role", read, person(scopes.NoRole), fault.RoleForbidden},
		{"viewer reads", read, person(scopes.Viewer), ""},
		{"viewer does not build", builder, person(scopes.Viewer), fault.RoleForbidden},
		{"operator builds", builder, person(scopes.Operator), ""},
		{"operator is no admin", admin, person(scopes.Operator), fault.RoleForbidden},
		{"admin", admin, person(scopes.Admin), ""},
		{"admin without a step-up", stepUp, person(scopes.Admin), fault.StepUpRequired},
		{"admin with a step-up", stepUp, scopes.Caller{Kind: scopes.Person, Role: scopes.Admin, SteppedUp: true}, ""},
		{"operator with a step-up is asked for the role", stepUp, scopes.Caller{Kind: scopes.Person, Role: scopes.Operator, SteppedUp: true}, fault.RoleForbidden},
		{"the host's operator gets", read, cli, ""},
		{"the host's operator does not decide", admin, cli, fault.SessionRequired},
		{"the host's operator does not build", builder, cli, fault.SessionRequired},
		{"the host's operator where the row says so", byCLI, cli, ""},
		{"an agent session answers gates", gate, session, ""},
		{"an agent session reads nothing", read, session, fault.ScopeForbidden},
		{"a token does not answer gates", gate, token(scopes.Builder), fault.HumanOnly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fault.CodeOf(scopes.Decide(tt.route, tt.caller)); got != tt.want {
				t.Errorf("Decide = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestIn(t *testing.T) {
	tests := []struct {
		name      string
		caller    scopes.Caller
		workspace string
		want      bool
	}{
		{"no bounds mean none", scopes.Caller{}, "ws_1", false},
		{"inside", scopes.Caller{Workspaces: []string{"ws_1"}}, "ws_1", true},
		{"outside", scopes.Caller{Workspaces: []string{"ws_1"}}, "ws_2", false},
		{"everywhere", scopes.Caller{Everywhere: true}, "ws_2", true},
		{"no workspace is in no bounds", scopes.Caller{Everywhere: true, Workspaces: []string{""}}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.caller.In(tt.workspace); got != tt.want {
				t.Errorf("In(%q) = %v, want %v", tt.workspace, got, tt.want)
			}
		})
	}
}

func TestNamesParseBack(t *testing.T) {
	for _, s := range []scopes.Scope{scopes.Read, scopes.Compute, scopes.Builder} {
		if got := scopes.ParseScope(s.String()); got != s {
			t.Errorf("ParseScope(%q) = %v, want %v", s, got, s)
		}
	}
	for _, r := range []scopes.Role{scopes.Viewer, scopes.Operator, scopes.Admin} {
		if got := scopes.ParseRole(r.String()); got != r {
			t.Errorf("ParseRole(%q) = %v, want %v", r, got, r)
		}
	}
	for _, bad := range []string{"", "Builder", "admin ", "person"} {
		if got := scopes.ParseScope(bad); got != scopes.NoScope {
			t.Errorf("ParseScope(%q) = %v, want none", bad, got)
		}
	}
}
