package api

import (
	"context"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/scopes"
)

// holds is a credential that says the same again.
func holds(c scopes.Caller) func(context.Context) (scopes.Caller, error) {
	return func(context.Context) (scopes.Caller, error) { return c, nil }
}

func TestStill(t *testing.T) {
	builder := scopes.Caller{Kind: scopes.Token, ID: "t", Scope: scopes.Builder, Workspaces: []string{"ws_1"}}
	reader, elsewhere := builder, builder
	reader.Scope, elsewhere.Workspaces = scopes.Read, []string{"ws_2"}
	build, who := scopes.Route{Method: "POST", Class: scopes.ClassBuilder}, scopes.Route{Method: "GET", Class: scopes.ClassRead}
	gone := func(context.Context) (scopes.Caller, error) { return scopes.Caller{}, unauthenticated() }
	tests := []struct {
		name      string
		route     scopes.Route
		workspace string
		ago       time.Duration
		again     func(context.Context) (scopes.Caller, error)
		want      fault.Code
	}{
		{"it holds", build, "ws_1", time.Hour, holds(builder), ""},
		{"it was revoked", build, "ws_1", time.Hour, gone, fault.Unauthenticated},
		{"it was seen a moment ago", build, "ws_1", 0, gone, ""},
		{"it lost the workspace", build, "ws_1", time.Hour, holds(elsewhere), fault.Unauthenticated},
		{"it lost the scope", build, "ws_1", time.Hour, holds(reader), fault.ScopeForbidden},
		{"no workspace is asked for", who, "", time.Hour, holds(reader), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &Call{Route: tt.route, Workspace: tt.workspace, checked: time.Now().Add(-tt.ago), again: tt.again}
			if err := c.still(t.Context()); fault.CodeOf(err) != tt.want {
				t.Errorf("still = %v, want %q", err, tt.want)
			}
		})
	}
}

// What took long to prepare has no effect for a credential that has ended meanwhile.
// This server has nothing to have an effect with.
func TestOnceLooksAtTheCredentialAgain(t *testing.T) {
	r := &request{
		call: &Call{again: func(context.Context) (scopes.Caller, error) { return scopes.Caller{}, unauthenticated() }},
		end:  endpoint{prepare: func(context.Context, *Call, any) (any, error) { return none{}, nil }},
	}
	if err := (&Server{}).once(t.Context(), r); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("once = %v, want unauthenticated", err)
	}
}
