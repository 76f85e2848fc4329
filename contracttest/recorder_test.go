package contracttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"ambit/api"
	"ambit/api/client"
	"ambit/mcp"
	"ambit/scopes"
)

// wired is a request as it left a tool's client.
type wired struct {
	method, path string
	header       http.Header
	status       int // of the answer
}

// recorder is a transport that writes down what goes over it.
type recorder struct {
	next http.RoundTripper
	mu   sync.Mutex
	sent []wired
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	w := wired{method: req.Method, path: req.URL.Path, header: req.Header.Clone()}
	if err == nil {
		w.status = resp.StatusCode
	}
	r.sent = append(r.sent, w)
	return resp, err
}

// take returns what was sent since the last time, but for what the host asks
// for itself: who the caller is.
func (r *recorder) take() []wired {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := slices.DeleteFunc(r.sent, func(w wired) bool { return w.path == "/api/auth/me" && w.header.Get("X-Ambit-Tool") == "mcp" })
	r.sent = nil
	return sent
}

// recording returns a client of the real API in process, and what records it.
func (w *world) recording(t testing.TB) (*client.Client, *recorder) {
	t.Helper()
	r := &recorder{next: client.InProcess(w.API())}
	c, err := client.New("http://ambit.test", r)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

// maySend are the classes that a tool of a scope may send, by the law: read
// tools GETs and read-shaped POSTs, compute tools the compute POSTs too, builder
// tools the builder mutations too.
var maySend = map[string][]string{
	"read":    {"read", "readpost"},
	"compute": {"read", "readpost", "compute"},
	"builder": {"read", "readpost", "compute", "builder"},
}

// breaches says what of a tool's traffic the law does not allow its scope.
func breaches(rows []lawRow, tool mcp.Tool, sent []wired) []string {
	var out []string
	for _, s := range sent {
		row, ok := match(rows, s)
		what := fmt.Sprintf("%s (%s) sent %s %s", tool.Name, tool.Scope, s.method, s.path)
		switch {
		case !ok:
			out = append(out, what+", which the law does not know")
		case !slices.Contains(maySend[tool.Scope.String()], row.class):
			out = append(out, what+", which is of class "+row.class)
		case row.key != (s.header.Get("Idempotency-Key") != ""):
			out = append(out, fmt.Sprintf("%s with the Idempotency-Key %q: required is %v", what, s.header.Get("Idempotency-Key"), row.key))
		case s.header.Get("X-Ambit-Tool") != tool.Name:
			out = append(out, fmt.Sprintf("%s in the name of %q", what, s.header.Get("X-Ambit-Tool")))
		}
	}
	return out
}

// match finds the law of a request.
func match(rows []lawRow, s wired) (lawRow, bool) {
	got := strings.Split(s.path, "/")
	i := slices.IndexFunc(rows, func(r lawRow) bool {
		want := strings.Split(r.path, "/")
		same := r.method == s.method && len(want) == len(got)
		for i := 0; same && i < len(want); i++ {
			same = want[i] == got[i] || strings.HasPrefix(want[i], "{") && got[i] != ""
		}
		return same
	})
	if i < 0 {
		return lawRow{}, false
	}
	return rows[i], true
}

// toolCalls are calls of every tool and of every action. In them a word in
// braces stands for an id of the world.
var toolCalls = []struct{ tool, action, args string }{
	{"brief", "", `{"workspace_id":"{ws}","detail":"full"}`},
	{"list_resources", "", `{}`},
	{"list_resources", "", `{"workspace_id":"{ws}","kind":"plan","limit":2}`},
	{"get_resource", "", `{"workspace_id":"{ws}","kind":"model","id":"{model}"}`},
	{"query", "", `{"workspace_id":"{ws}","sql":"SELECT count(*) FROM \"table\""}`},
	{"profile", "", `{"workspace_id":"{ws}","dataset_id":"{dataset}"}`},
	{"evaluation", "", `{"model_id":"{model}"}`},
	{"run_status", "", `{"run_id":"{run}","wait_s":1}`},
	{"run_status", "", `{"run_id":"{run}","part":"leaderboard"}`},
	{"what_if", "", `{"model_id":"{model}","rows":[{"size":3,"colour":"red","noise":1}]}`},
	{"plan", "create", `{"action":"create","workspace_id":"{ws}","dataset_id":"{dataset}","target":"class","families":["linear"]}`},
	{"plan", "cancel", `{"action":"cancel","plan_id":"{cancelled plan}"}`},
	{"launch_plan", "", `{"plan_id":"{plan}","hash":"not-its-hash"}`},
	{"run", "abort", `{"action":"abort","run_id":"{run}"}`},
	{"model", "register", `{"action":"register","run_id":"{run}","trial_id":"{trial}","name":"first"}`}, // a name that is taken
}

// Every tool and every action, over the real API: nothing goes on the wire that
// the tool's scope may not send, and all that it declares does.
func testTools(t *testing.T, w *world) {
	rows := law(t)
	c, rec := w.recording(t)
	hosted := w.host(t, c)
	used := map[string]bool{}
	for _, tt := range toolCalls {
		args := w.fill(t, tt.args, lawRow{})
		rec.take()
		w.callTool(t, hosted, w.callers["builder"].credential, tt.tool, args)
		sent := rec.take()
		if len(sent) == 0 {
			t.Errorf("%s %s sent nothing", tt.tool, args)
		}
		for _, b := range breaches(rows, toolNamed(t, tt.tool), sent) {
			t.Error(b)
		}
		for _, s := range sent {
			row, _ := match(rows, s)
			used[tt.tool+" "+tt.action+" "+row.place()] = true
			if got := s.header.Get("Authorization"); got != "Bearer "+w.callers["builder"].bearer {
				t.Errorf("%s sent %s %s without the caller's own bearer", tt.tool, s.method, s.path)
			}
		}
	}
	declared := map[string]bool{}
	for _, row := range mcp.Contract(mcp.Tools) {
		declared[row.Tool+" "+row.Action+" "+row.Method+" "+row.Path] = true
	}
	for what := range declared {
		if !used[what] {
			t.Errorf("%s: declared, and no call here sends it", what)
		}
	}
	for what := range used {
		if !declared[what] {
			t.Errorf("%s: sent, and not declared", what)
		}
	}
}

func toolNamed(t testing.TB, name string) mcp.Tool {
	t.Helper()
	i := slices.IndexFunc(mcp.Tools, func(tool mcp.Tool) bool { return tool.Name == name })
	if i < 0 {
		t.Fatalf("no tool is called %s", name)
	}
	return mcp.Tools[i]
}

// host is the hosted MCP server over a client.
func (w *world) host(t testing.TB, c *client.Client) http.Handler {
	t.Helper()
	h, err := mcp.NewHosted(mcp.Config{
		Version: "0.0.0-test", API: c, Hosts: []string{"ambit.test"}, Now: w.API().Now,
		Schema: func(id scopes.RouteID) json.RawMessage {
			raw, err := api.AnswerSchema(id)
			if err != nil {
				t.Error(err)
			}
			return raw
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// toolResult is what a tool answers.
type toolResult struct {
	IsError bool `json:"isError"`
	Content []struct{ Text string }
}

// code is that of a refusal.
func (r toolResult) code() string {
	if !r.IsError || len(r.Content) == 0 {
		return ""
	}
	return answer{body: []byte(r.Content[0].Text)}.code()
}

// callTool calls a tool as an agent would.
func (w *world) callTool(t testing.TB, h http.Handler, as credential, tool, args string) toolResult {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, fresh(), tool, args)
	req := httptest.NewRequest("POST", "http://ambit.test/mcp", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("User-Agent", "agent/1")
	req.Header.Set("Authorization", "Bearer "+as.bearer)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	text := rec.Body.String()
	for line := range strings.Lines(rec.Body.String()) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			text = data // the result is the last event
		}
	}
	var message struct{ Result *toolResult }
	if err := json.Unmarshal([]byte(text), &message); err != nil || message.Result == nil {
		t.Fatalf("%s: %d %s", tool, rec.Code, rec.Body)
	}
	return *message.Result
}

// A tool that says it reads and mutates is caught by its traffic, whatever its name.
func testMisdeclaredTools(t *testing.T, w *world) {
	c, rec := w.recording(t)
	id := map[string]string{"id": w.things["run"]}
	as := client.Caller{Bearer: w.callers["builder"].bearer, Tool: "get_x", Host: "agent/1", Key: fresh()}
	keyless, unnamed := as, as
	keyless.Key, unnamed.Tool = "", ""
	tests := []struct {
		name   string
		scope  scopes.Scope
		caller client.Caller
		route  scopes.RouteID
		want   string
	}{
		{"reads", scopes.Read, keyless, scopes.RunGet, ""},
		{"posts to a mutating route", scopes.Read, as, scopes.RunAbort, "which is of class builder"},
		{"computes", scopes.Read, keyless, scopes.ModelScore, "which is of class compute"},
		{"builds with the scope of compute", scopes.Compute, as, scopes.RunAbort, "which is of class builder"},
		{"does what is a person's", scopes.Builder, as, scopes.ModelPromote, "which is of class person"},
		{"builds without a key", scopes.Builder, keyless, scopes.RunAbort, "required is true"},
		{"reads with a key", scopes.Read, as, scopes.RunGet, "required is false"},
		{"does not say who it is", scopes.Builder, unnamed, scopes.RunAbort, `in the name of ""`},
		{"has no scope", scopes.NoScope, keyless, scopes.RunGet, "which is of class read"},
	}
	for _, tt := range tests {
		rec.take()
		c.As(tt.caller).Call(t.Context(), tt.route, id, nil, struct{}{}) // what it answers is not asked
		got := strings.Join(breaches(law(t), mcp.Tool{Name: "get_x", Scope: tt.scope}, rec.take()), "; ")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("a tool that %s: got %q, want %q in it", tt.name, got, tt.want)
		}
	}
}

// Every call of every tool, as a caller of a lesser scope: it is refused before
// anything of it reaches the API, and the API would refuse it too.
func testToolScopes(t *testing.T, w *world) {
	c, rec := w.recording(t)
	hosted := w.host(t, c)
	for _, tt := range toolCalls {
		tool := toolNamed(t, tt.tool)
		for _, scope := range scopeRanks {
			if rank(scopeRanks, scope) >= rank(scopeRanks, tool.Scope.String()) {
				continue
			}
			rec.take()
			r := w.callTool(t, hosted, w.callers[scope].credential, tt.tool, w.fill(t, tt.args, lawRow{}))
			if r.code() != "scope_forbidden" {
				t.Errorf("%s by a %s token: got %v, want scope_forbidden", tt.tool, scope, r)
			}
			for _, s := range rec.take() {
				if s.path != "/api/audit/refusals" {
					t.Errorf("%s by a %s token reached the API: %s %s", tt.tool, scope, s.method, s.path)
				}
			}
		}
	}
}
