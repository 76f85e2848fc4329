package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ambit/mcp"
	"ambit/scopes"
)

// listed is a tool as a client sees it.
type listed struct {
	Name, Title, Description string
	InputSchema              struct {
		Type                 string
		AdditionalProperties *bool
		Properties           map[string]json.RawMessage
	}
	OutputSchema struct{ Type string }
	Annotations  map[string]any
}

func (h host) list(t *testing.T, token string) []listed {
	t.Helper()
	w := h.do(post(token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	var r struct{ Tools []listed }
	if err := json.Unmarshal(messages(t, "", w.Body.String())[0].Result, &r); err != nil {
		t.Fatal(err)
	}
	return r.Tools
}

func names(tools []listed) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestListByScope(t *testing.T) {
	h := newHost(t)
	read := "brief evaluation get_resource list_resources profile query run_status"
	tests := []struct{ token, want string }{
		{readToken, read},
		{computeToken, read + " what_if"},
		{builderToken, "brief evaluation get_resource launch_plan list_resources model plan profile query run run_status what_if"},
	}
	for _, tt := range tests {
		if got := names(h.list(t, tt.token)); got != tt.want {
			t.Errorf("%s sees %q, want %q", tt.token, got, tt.want)
		}
	}
}

func TestWhatClientsSeeOfTools(t *testing.T) {
	h := newHost(t)
	all := h.list(t, builderToken)
	for _, tool := range all {
		i := slices.IndexFunc(mcp.Tools, func(row mcp.Tool) bool { return row.Name == tool.Name })
		reads := mcp.Tools[i].Scope == scopes.Read
		want := map[string]any{"title": tool.Title, "readOnlyHint": reads, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
		for k, v := range want {
			if tool.Annotations[k] != v {
				t.Errorf("%s: annotation %s = %v, want %v", tool.Name, k, tool.Annotations[k], v)
			}
		}
		closed := tool.InputSchema.AdditionalProperties
		if tool.Title == "" || tool.Description == "" || tool.InputSchema.Type != "object" || closed == nil || *closed || tool.OutputSchema.Type != "object" {
			t.Errorf("%s is not fully described: %+v", tool.Name, tool)
		}
	}
	if len(all) != len(mcp.Tools) {
		t.Errorf("%d tools are listed, want %d", len(all), len(mcp.Tools))
	}
}

// The measure is bytes of JSON over four, about a model's token.
func TestListsAreAffordable(t *testing.T) {
	h := newHost(t)
	for _, tt := range []struct {
		scope, token string
		budget       int
	}{{"read", readToken, 3000}, {"builder", builderToken, 8000}} {
		n := h.do(post(tt.token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)).Body.Len() / 4
		t.Logf("%s: about %d model tokens", tt.scope, n)
		if n >= tt.budget || n == 0 {
			t.Errorf("%s: the list takes about %d model tokens, want less than %d", tt.scope, n, tt.budget)
		}
	}
}

func TestContract(t *testing.T) {
	want := []string{
		"brief// read POST /api/workspaces/{ws}/brief",
		"list_resources// read GET /api/workspaces",
		"list_resources// read GET /api/workspaces/{ws}/resources",
		"get_resource// read GET /api/workspaces/{ws}/resources/{kind}/{id}",
		"query// read POST /api/query",
		"profile// read POST /api/profile",
		"evaluation// read GET /api/models/{id}/evaluation",
		"run_status// read GET /api/runs/{id}",
		"run_status// read GET /api/runs/{id}/leaderboard",
		"what_if// compute POST /api/models/{id}/score",
		"plan/create/ builder POST /api/workspaces/{ws}/plans key",
		"plan/cancel/ builder POST /api/plans/{id}/cancel key",
		"launch_plan// builder POST /api/plans/{id}/launch key",
		"run/abort/ builder POST /api/runs/{id}/abort key",
		"model/register/ builder POST /api/runs/{id}/models key",
	}
	var got []string
	for _, r := range mcp.Contract(mcp.Tools) {
		row := r.Tool + "/" + r.Action + "/ " + r.Scope + " " + r.Method + " " + r.Path
		if r.Key {
			row += " key"
		}
		got = append(got, row)
	}
	if !slices.Equal(got, want) {
		t.Errorf("contract:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

type keyArg struct {
	Key string `json:"idempotency_key,omitempty" doc:"k" rule:"ascii"`
}

type actionArg struct {
	Action string `json:"action" doc:"a"`
	keyArg
}

// good is a tool that a server starts with; each case spoils one thing.
func good() mcp.Tool {
	return mcp.Tool{Name: "thing", Title: "T", Scope: scopes.Read, Calls: []scopes.RouteID{scopes.Query}, Description: "d"}
}

func nothing(context.Context) error { return nil }

func TestStartIsRefused(t *testing.T) {
	change := func(f func(*mcp.Tool)) []mcp.Tool {
		row := good()
		f(&row)
		return []mcp.Tool{mcp.ToolThat(row, nothing)}
	}
	builder := mcp.Tool{Name: "thing", Title: "T", Scope: scopes.Builder, Description: "d"}
	acts := func(actions ...mcp.Action) mcp.Tool {
		row := builder
		row.Actions = actions
		return row
	}
	type noDoc struct {
		A string `json:"a"`
	}
	type badRule struct {
		A string `json:"a" doc:"d" rule:"maybe"`
	}
	type badType struct {
		A chan int `json:"a" doc:"d"`
	}
	type foreignAction struct {
		actionArg
		A string `json:"a" doc:"d" only:"other"`
	}
	tests := []struct {
		name  string
		tools []mcp.Tool
		want  string // part of the error; "" starts
	}{
		{"good", change(func(*mcp.Tool) {}), ""},
		{"none", []mcp.Tool{}, "no tools"},
		{"there twice", []mcp.Tool{mcp.ToolThat(good(), nothing), mcp.ToolThat(good(), nothing)}, "is there twice"},
		{"no scope", change(func(t *mcp.Tool) { t.Scope = scopes.NoScope }), "has no scope"},
		{"a scope that there is not", change(func(t *mcp.Tool) { t.Scope = 9 }), "has no scope"},
		{"no name", change(func(t *mcp.Tool) { t.Name = "" }), "has no name"},
		{"a name like a path", change(func(t *mcp.Tool) { t.Name = "a/b" }), "has no name"},
		{"no title", change(func(t *mcp.Tool) { t.Title = "" }), "has no title"},
		{"no description", change(func(t *mcp.Tool) { t.Description = "" }), "no description"},
		{"no function", []mcp.Tool{good()}, "has no function"},
		{"no route", change(func(t *mcp.Tool) { t.Calls = nil }), "calls no route"},
		{"an unknown route", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{"nope"} }), "unknown route"},
		{"a route that is not served yet", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{scopes.DataKB} }), "not served yet"},
		{"a compute route in a read tool", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{scopes.ModelScore} }), "not open to it"},
		{"a builder route in a read tool", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{scopes.RunAbort} }), "not open to it"},
		{"a person's route", []mcp.Tool{mcp.ToolTaking[actionArg](acts(mcp.Action{Name: "promote", Call: scopes.ModelPromote}))}, "not open to it"},
		{"deleting", []mcp.Tool{mcp.ToolTaking[actionArg](acts(mcp.Action{Name: "delete", Call: scopes.ModelDelete}))}, "not open to it"},
		{"a public route", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{scopes.AuthLogin} }), "no tool's"},
		{"the MCP mount", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{scopes.MCP} }), "no tool's"},
		{"a stream", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{scopes.RunEvents} }), "no tool's"},
		{"more scope than its routes ask", change(func(t *mcp.Tool) { t.Scope = scopes.Compute }), "none of its routes asks for it"},
		{"no schema of the answer", change(func(t *mcp.Tool) { t.Calls = []scopes.RouteID{scopes.Plans} }), "has no schema"},
		{"a builder tool without a key", []mcp.Tool{mcp.ToolThat(acts(), nothing)}, "take an argument idempotency_key"},
		{"a read tool with a key", []mcp.Tool{mcp.ToolTaking[keyArg](good())}, "take an argument idempotency_key"},
		{"actions without the argument", []mcp.Tool{mcp.ToolTaking[keyArg](acts(mcp.Action{Name: "abort", Call: scopes.RunAbort}))}, "go together"},
		{"an argument of no action", []mcp.Tool{mcp.ToolTaking[foreignAction](acts(mcp.Action{Name: "abort", Call: scopes.RunAbort}))}, "unknown action"},
		{"an argument without a doc", []mcp.Tool{mcp.ToolTaking[noDoc](good())}, "has no doc"},
		{"a rule that there is not", []mcp.Tool{mcp.ToolTaking[badRule](good())}, "not known"},
		{"a type that is no argument", []mcp.Tool{mcp.ToolTaking[badType](good())}, "cannot be an argument"},
		{"too dear", change(func(t *mcp.Tool) { t.Description = strings.Repeat("long ", 2400) }), "model tokens"},
	}
	for _, tt := range tests {
		_, err := mcp.NewHosted(newBackend(t).config(func(c *mcp.Config) { c.Tools = tt.tools }))
		checkStart(t, tt.name, err, tt.want)
	}
}

func checkStart(t *testing.T, name string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: start = %v, want %q", name, err, want)
	}
}

func TestStartWithBadSchemas(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"an object", `{"type":"object"}`, ""},
		{"its own reference", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`, ""},
		{"a reference to nowhere", `{"$ref":"#/$defs/B"}`, "/$defs/B"},
		{"a pattern that does not compile", `{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`, "missing closing"},
		{"no object", `{"type":"array"}`, "is no object"},
		{"no JSON", `{`, "unexpected end"},
		{"none", ``, "has no schema"},
	}
	for _, tt := range tests {
		_, err := mcp.NewHosted(newBackend(t).config(func(c *mcp.Config) {
			c.Tools = []mcp.Tool{mcp.ToolThat(good(), nothing)}
			c.Schema = func(scopes.RouteID) json.RawMessage { return json.RawMessage(tt.schema) }
		}))
		checkStart(t, tt.name, err, tt.want)
	}
}

func TestStartNeeds(t *testing.T) {
	tests := []struct {
		name string
		take func(*mcp.Config)
		want string
	}{
		{"all", func(*mcp.Config) {}, ""},
		{"an API", func(c *mcp.Config) { c.API = nil }, "API client"},
		{"a version", func(c *mcp.Config) { c.Version = "" }, "version"},
		{"schemas", func(c *mcp.Config) { c.Schema = nil }, "schemas"},
		{"hosts", func(c *mcp.Config) { c.Hosts = nil }, "hosts"},
		{"origins that are some", func(c *mcp.Config) { c.Origins = []string{"*"} }, "no browser origin"},
	}
	for _, tt := range tests {
		_, err := mcp.NewHosted(newBackend(t).config(tt.take))
		checkStart(t, tt.name, err, tt.want)
	}
}
