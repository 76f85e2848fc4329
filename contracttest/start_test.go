package contracttest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ambit/api"
	"ambit/scopes"
)

// The server does not start on a table that does not fit its handlers.
func TestAPIRefusesToStart(t *testing.T) {
	row := func(id scopes.RouteID, change func(*scopes.Route)) []scopes.Route {
		routes := slices.Clone(scopes.Routes)
		i := slices.IndexFunc(routes, func(r scopes.Route) bool { return r.ID == id })
		change(&routes[i])
		return routes
	}
	without := func(id scopes.RouteID) []scopes.Route {
		return slices.DeleteFunc(slices.Clone(scopes.Routes), func(r scopes.Route) bool { return r.ID == id })
	}
	more := func(r scopes.Route) []scopes.Route { return append(slices.Clone(scopes.Routes), r) }
	tests := []struct {
		name   string
		routes []scopes.Route
		want   string // "" starts
	}{
		{"the table as it is", scopes.Routes, ""},
		{"no table", nil, "has no served route"},
		{"a row without a handler", more(scopes.Route{ID: "new", Method: "GET", Path: "/api/new", Class: scopes.ClassRead, Bound: scopes.BoundNone}), "route new has no handler"},
		{"a planned row that is served without a handler", row(scopes.RunReplicate, func(r *scopes.Route) { r.Planned = false }), "route run_replicate has no handler"},
		{"a handler without a row", without(scopes.RunAbort), "handler run_abort has no served route"},
		{"a handler for a planned row", row(scopes.RunAbort, func(r *scopes.Route) { r.Planned = true }), "route run_abort is planned and has a handler"},
		{"one id twice", more(scopes.Route{ID: scopes.RunGet, Method: "GET", Path: "/api/new", Class: scopes.ClassRead, Bound: scopes.BoundNone}), "twice"},
		{"one place twice", more(scopes.Route{ID: "new", Method: "GET", Path: "/api/runs/{id}", Class: scopes.ClassRead, Bound: scopes.BoundEntity, Entity: "run", Planned: true}), "twice"},
		{"no binding", row(scopes.RunGet, func(r *scopes.Route) { r.Bound = scopes.BoundUnset }), "does not say where its workspace is found"},
		{"no entity", row(scopes.RunGet, func(r *scopes.Route) { r.Entity = "" }), "an entity and the binding must agree"},
		{"bound by a body without a workspace", row(scopes.AuditVerify, func(r *scopes.Route) { r.Bound = scopes.BoundBody }), "has no workspace_id"},
		{"neither class nor role", row(scopes.RunGet, func(r *scopes.Route) { r.Class = scopes.ClassPerson }), "name a role"},
		{"a delete that tokens may send", row(scopes.PlanDelete, func(r *scopes.Route) { r.Class, r.Role = scopes.ClassBuilder, scopes.NoRole }), "deleting is a person's"},
		{"a read that posts", row(scopes.ModelScore, func(r *scopes.Route) { r.Class = scopes.ClassRead }), "a read is a GET"},
		{"a stream that changes something", row(scopes.RunEvents, func(r *scopes.Route) { r.Method, r.Class = "POST", scopes.ClassBuilder }), "cannot stream"},
		{"an own mount that is no mount", row(scopes.Version, func(r *scopes.Route) { r.Class = scopes.ClassOwn }), "own mounts, and no others"},
		{"a mount that is not its own", row(scopes.MCP, func(r *scopes.Route) { r.Class = scopes.ClassReadPost }), "own mounts, and no others"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := api.New(api.Config{Routes: tt.routes})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("New = %v, want %q in it", err, tt.want)
			}
			if err == nil {
				s.Close()
			}
		})
	}
}

// A row that was just added and does not say what it asks of its caller is
// closed to every token and to the host's operator, whatever its handler does.
func testNewRoute(t *testing.T, w *world) {
	cfg := w.API().Config
	cfg.Routes = slices.Clone(cfg.Routes)
	i := slices.IndexFunc(cfg.Routes, func(r scopes.Route) bool { return r.ID == scopes.Version })
	cfg.Routes[i] = scopes.Route{ID: scopes.Version, Method: "POST", Path: "/api/new", Role: scopes.Viewer, Bound: scopes.BoundNone}
	s, err := api.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tests := []struct {
		caller string
		want   verdict
	}{
		{"nobody", verdict{401, "unauthenticated"}},
		{"read", verdict{403, "human_only"}},
		{"compute", verdict{403, "human_only"}},
		{"builder", verdict{403, "human_only"}},
		{"revoked", verdict{401, "unauthenticated"}},
		{"cli", verdict{403, "session_required"}},
		{"viewer", verdict{200, ""}}, // the route is there
	}
	for _, tt := range tests {
		req, err := w.request(w.callers[tt.caller].credential, "POST", "/api/new", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Path, req.URL.Opaque = "/api/new", ""
		handler := http.Handler(s)
		if w.callers[tt.caller].cli {
			handler = s.Operator()
		}
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, req)
		got := answer{status: rec.Code, body: rec.Body.Bytes()}
		got.is(t, tt.caller, tt.want.status, tt.want.code)
	}
}
