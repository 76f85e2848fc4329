package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"ambit/mcp"
)

var versions = []string{modernVersion, legacyVersion, "2025-06-18", "2025-03-26", "2024-11-05"}

// ask sends a request in a version of the protocol.
func (h host) ask(token, version, method, name, params string) *httptest.ResponseRecorder {
	headers := []string{"Mcp-Protocol-Version", version}
	if version == modernVersion {
		headers = append(headers, "Mcp-Method", method)
		if name != "" {
			headers = append(headers, "Mcp-Name", name)
		}
		params += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	}
	if params != "" && params[0] == ',' {
		params = params[1:]
	}
	return h.do(post(token, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params), headers...))
}

// The same is decided in each version of the protocol.
func TestTheDecisionIsTheSameInEachVersion(t *testing.T) {
	type decided struct {
		tools             string
		call, scope, args string // code of the fault; "" is a result
		unknown, tasks    int    // JSON-RPC codes
		reached           int
	}
	want := decided{
		tools: "brief evaluation get_resource list_resources profile query run_status",
		scope: "scope_forbidden", args: "malformed", unknown: -32602, tasks: -32601,
		reached: 1 + 1 + 1 + 1, // the call, and a report of each refusal
	}
	for _, v := range versions {
		h := newHost(t)
		code := func(name, args string) string {
			w := h.ask(readToken, v, "tools/call", name, `"name":"`+name+`","arguments":`+args)
			r := resultOf(t, messages(t, "", w.Body.String())[0])
			if !r.IsError {
				return ""
			}
			return r.problem(t).Code
		}
		failure := func(method, name, params string) int {
			m := messages(t, "", h.ask(readToken, v, method, name, params).Body.String())[0]
			if m.Error == nil {
				return 0
			}
			return m.Error.Code
		}
		var list struct{ Tools []listed }
		w := h.ask(readToken, v, "tools/list", "", "")
		if err := json.Unmarshal(messages(t, "", w.Body.String())[0].Result, &list); err != nil {
			t.Fatalf("%s: %s", v, w.Body)
		}
		got := decided{
			tools: names(list.Tools), call: code("evaluation", `{"model_id":"m"}`), scope: code("launch_plan", `{"plan_id":"p"}`),
			args: code("evaluation", `{"bogus":1}`), unknown: failure("tools/call", "nope", `"name":"nope"`), tasks: failure("tasks/list", "", ""),
		}
		got.reached = len(h.of())
		if got != want {
			t.Errorf("%s:\n%+v, want\n%+v", v, got, want)
		}
	}
}

// A list that is kept is what the library would have answered.
func TestKeptListsAreTheLibrarys(t *testing.T) {
	h := newHost(t)
	for _, v := range versions {
		var kept, made struct {
			Tools      []json.RawMessage
			ResultType string
			TTLMs      *int
			CacheScope string
			Meta       map[string]json.RawMessage `json:"_meta"`
		}
		w := h.ask(computeToken, v, "tools/list", "", "")
		if err := json.Unmarshal(messages(t, "", w.Body.String())[0].Result, &kept); err != nil {
			t.Fatal(err)
		}
		raw, err := mcp.LibraryList(h.Hosted, "compute", v)
		if err != nil || json.Unmarshal(raw, &made) != nil {
			t.Fatalf("%s: %v %s", v, err, raw)
		}
		same := slices.EqualFunc(kept.Tools, made.Tools, func(a, b json.RawMessage) bool { return string(a) == string(b) })
		if !same || kept.ResultType != made.ResultType || kept.CacheScope != made.CacheScope || len(kept.Meta) != len(made.Meta) {
			t.Errorf("%s: the kept list differs from the library's", v)
		}
		if v == modernVersion && (kept.CacheScope != "private" || kept.TTLMs == nil || *kept.TTLMs != 60_000 || kept.ResultType != "complete") {
			t.Errorf("%s: %s %v %s, want private, 60,000 ms, complete", v, kept.CacheScope, kept.TTLMs, kept.ResultType)
		}
	}
}

func TestInitialize(t *testing.T) {
	tests := []struct{ asked, want string }{
		{legacyVersion, legacyVersion}, {"2025-06-18", "2025-06-18"}, {"2025-03-26", "2025-03-26"}, {"2024-11-05", "2024-11-05"},
		{modernVersion, legacyVersion}, {"1999-01-01", legacyVersion},
	}
	h := newHost(t)
	for _, tt := range tests {
		w := h.do(post(readToken, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+tt.asked+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
		var r struct {
			ProtocolVersion, Instructions string
			Capabilities                  map[string]json.RawMessage
		}
		if err := json.Unmarshal(messages(t, "", w.Body.String())[0].Result, &r); err != nil {
			t.Fatal(err)
		}
		if r.ProtocolVersion != tt.want || r.Instructions == "" || w.Header().Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: got %s, session %q", tt.asked, r.ProtocolVersion, w.Header().Get("Mcp-Session-Id"))
		}
		if len(r.Capabilities) != 1 || r.Capabilities["tools"] == nil {
			t.Errorf("%s: capabilities = %v, want tools alone", tt.asked, r.Capabilities)
		}
	}
}

func TestModernRequestsThatDoNotHoldTogether(t *testing.T) {
	const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	const caps = `,"io.modelcontextprotocol/clientCapabilities":{}`
	list := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + meta + `}}}`
	}
	all := []string{"Mcp-Protocol-Version", modernVersion, "Mcp-Method", "tools/list"}
	tests := []struct {
		name, body string
		headers    []string
		code       int
	}{
		{"good", list(meta + caps), all, 0},
		{"no version in a header", list(meta + caps), []string{"Mcp-Method", "tools/list"}, -32020},
		{"no version in the body", list(""), all, -32602},
		{"two versions", list(meta + caps), []string{"Mcp-Protocol-Version", legacyVersion, "Mcp-Method", "tools/list"}, -32020},
		{"no method in a header", list(meta + caps), all[:2], -32020},
		{"no capabilities", list(meta), all, -32602},
		{"a version of the future", list(`"io.modelcontextprotocol/protocolVersion":"2099-01-01"` + caps), []string{"Mcp-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list"}, -32022},
		{"resuming a stream", list(meta + caps), append(slices.Clone(all), "Last-Event-ID", "1"), -32020},
	}
	h := newHost(t)
	for _, tt := range tests {
		w := h.do(post(readToken, tt.body, tt.headers...))
		m := messages(t, "", w.Body.String())[0]
		if tt.code == 0 && m.Error == nil && w.Code == 200 {
			continue
		}
		if m.Error == nil || m.Error.Code != tt.code || w.Code != 400 {
			t.Errorf("%s: %d %s, want code %d", tt.name, w.Code, w.Body, tt.code)
		}
	}
	w := h.do(post(readToken, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Protocol-Version", "1999-01-01"))
	if w.Code != 400 {
		t.Errorf("an unknown version of the past: %d, want 400", w.Code)
	}
}

// The library's own client, in both eras, over a socket.
func TestTheLibrarysClient(t *testing.T) {
	h := newHost(t, func(c *mcp.Config) { c.Hosts = []string{"127.0.0.1"} })
	srv := httptest.NewServer(h)
	defer srv.Close()
	for _, version := range []string{modernVersion, legacyVersion} {
		c, err := client.NewStreamableHttpClient(srv.URL, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + computeToken}))
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		if err := c.Start(ctx); err != nil {
			t.Fatal(err)
		}
		useClient(ctx, t, c, version)
		c.Close()
	}
}

func useClient(ctx context.Context, t *testing.T, c *client.Client, version string) {
	t.Helper()
	if version == legacyVersion {
		client.WithProtocolVersion(version)(c)
	}
	var hello mcpgo.InitializeRequest
	hello.Params.ClientInfo = mcpgo.Implementation{Name: "lib", Version: "1"}
	hello.Params.ProtocolVersion = version
	if _, err := c.Initialize(ctx, hello); err != nil {
		t.Fatal(err)
	}
	if got := c.ProtocolVersion(); got != version {
		t.Errorf("speaks %s, want %s", got, version)
	}
	tools, err := c.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil || len(tools.Tools) != 8 {
		t.Fatalf("%s: %v %+v, want 8 tools", version, err, tools)
	}
	var call mcpgo.CallToolRequest
	call.Params.Name, call.Params.Arguments = "query", map[string]any{"workspace_id": "ws_1", "sql": "SELECT 1"}
	r, err := c.CallTool(ctx, call)
	if err != nil || r.IsError || r.StructuredContent == nil {
		t.Errorf("%s: query: %v %+v", version, err, r)
	}
	call.Params.Name = "launch_plan"
	if r, err = c.CallTool(ctx, call); err != nil || !r.IsError {
		t.Errorf("%s: a tool out of scope: %v %+v, want an error for the model", version, err, r)
	}
}
