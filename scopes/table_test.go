package scopes_test

import (
	"strings"
	"testing"

	"ambit/scopes"
)

func TestTheTableIsValid(t *testing.T) {
	if err := scopes.Check(scopes.Routes); err != nil {
		t.Fatal(err)
	}
}

func TestCheckRefuses(t *testing.T) {
	ok := scopes.Route{ID: "x", Method: "GET", Path: "/x", Class: scopes.ClassRead, Bound: scopes.BoundNone}
	with := func(change func(*scopes.Route)) []scopes.Route {
		r := ok
		change(&r)
		return []scopes.Route{r}
	}
	tests := []struct {
		name   string
		routes []scopes.Route
		want   string
	}{
		{"nothing is wrong", []scopes.Route{ok}, ""},
		{"no id", with(func(r *scopes.Route) { r.ID = "" }), "incomplete"},
		{"no binding", with(func(r *scopes.Route) { r.Bound = scopes.BoundUnset }), "does not say where its workspace"},
		{"path binding without {ws}", with(func(r *scopes.Route) { r.Bound = scopes.BoundPath }), "must agree"},
		{"{ws} without path binding", with(func(r *scopes.Route) { r.Path = "/x/{ws}" }), "must agree"},
		{"entity binding without a kind", with(func(r *scopes.Route) { r.Bound, r.Path = scopes.BoundEntity, "/x/{id}" }), "must agree"},
		{"entity binding without {id}", with(func(r *scopes.Route) { r.Bound, r.Entity = scopes.BoundEntity, "plan" }), "no {id}"},
		{"person row without a role", with(func(r *scopes.Route) { r.Class = scopes.ClassPerson }), "name a role"},
		{"role on a token's row", with(func(r *scopes.Route) { r.Role = scopes.Admin }), "name a role"},
		{"a read that posts", with(func(r *scopes.Route) { r.Method = "POST" }), "a read is a GET"},
		{"a budget without a key", with(func(r *scopes.Route) { r.Budgeted = true }), "needs an Idempotency-Key"},
		{"a token that deletes", with(func(r *scopes.Route) { r.Method, r.Class = "DELETE", scopes.ClassBuilder }), "deleting is a person's"},
		{"twice", []scopes.Route{ok, ok}, "twice"},
		{"one place under two ids", []scopes.Route{ok, {ID: "y", Method: "GET", Path: "/x", Class: scopes.ClassRead, Bound: scopes.BoundNone}}, "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := scopes.Check(tt.routes)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Check = %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestValidID(t *testing.T) {
	tests := []struct {
		id   string
		want bool
	}{
		{"ds_0aZ-9", true},
		{"", false}, {"..", false}, {"a/b", false}, {"a%2fb", false}, {"a\\b", false}, {"a;b", false}, {"a b", false},
		{"é", false}, {"a\x00", false}, {"a\n", false}, {strings.Repeat("a", 128), true}, {strings.Repeat("a", 129), false},
	}
	for _, tt := range tests {
		if got := scopes.ValidID(tt.id); got != tt.want {
			t.Errorf("ValidID(%q) = %v, want %v", tt.id, got, tt.want)
		}
	}
}
