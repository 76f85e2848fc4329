package mcp_test

import (
	"strings"
	"testing"
)

func TestEnvelope(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	tests := []struct {
		name, body string
		status     int
		code       int // of JSON-RPC; 0 is an answer without an error
	}{
		{"ping", ping, 200, 0},
		{"id as text", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, 200, 0},
		{"negative id", `{"jsonrpc":"2.0","id":-1,"method":"ping"}`, 200, 0},
		{"unknown param", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"later":1}}`, 200, 0},

		{"batch", `[` + ping + `]`, 400, -32600},
		{"batch after space", " \n[" + ping + `]`, 400, -32600},
		{"empty batch", `[]`, 400, -32600},
		{"nothing", ``, 400, -32700},
		{"no JSON", `{`, 400, -32700},
		{"text", `"ping"`, 400, -32600},
		{"null", `null`, 400, -32600},
		{"two messages", ping + ping, 400, -32700},
		{"bad UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}", 400, -32700},
		{"NUL in a key", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a\u0000":1}}`, 400, -32700},
		{"nested too deep", call(`{"name":"query","arguments":` + deep + `}`), 400, -32700},

		{"method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, -32700},
		{"method twice, in two cases", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/list"}`, 400, -32700},
		{"method in another case", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, 400, -32600},
		{"params in another case", `{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":"query"}}`, 400, -32600},
		{"an unknown member", `{"jsonrpc":"2.0","id":1,"method":"ping","more":1}`, 400, -32600},
		{"name twice", call(`{"name":"brief","name":"launch_plan"}`), 400, -32700},
		{"name in another case", call(`{"Name":"launch_plan"}`), 200, -32602},
		{"name with a long s", call(`{"name":"query","argument\u017f":{}}`), 200, -32602},
		{"_meta in another case", call(`{"name":"query","_Meta":{}}`), 200, -32602},
		{"a key of _meta in another case", call(`{"name":"query","_meta":{"ProgressToken":1}}`), 200, -32602},
		{"arguments twice", call(`{"name":"query","arguments":{},"arguments":{}}`), 400, -32700},
		{"an argument twice", call(`{"name":"query","arguments":{"sql":"a","sql":"b"}}`), 400, -32700},
		{"a cell's name twice", call(`{"name":"what_if","arguments":{"rows":[{"a":1,"a":2}]}}`), 400, -32700},

		{"no version", `{"id":1,"method":"ping"}`, 400, -32600},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 400, -32600},
		{"no method", `{"jsonrpc":"2.0","id":1}`, 400, -32600},
		{"a method that is no text", `{"jsonrpc":"2.0","id":1,"method":1}`, 400, -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600},
		{"id an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, -32600},
		{"id a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, -32600},
		{"id with an exponent", `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, 400, -32600},
		{"id too large for every reader", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, 400, -32600},
		{"id empty", `{"jsonrpc":"2.0","id":"","method":"ping"}`, 400, -32600},
		{"id too long", `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 257) + `","method":"ping"}`, 400, -32600},
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, -32600},

		{"params an array", call(`[]`), 200, -32602},
		{"params null", call(`null`), 200, -32602},
		{"_meta an array", call(`{"name":"query","_meta":[]}`), 200, -32602},
		{"a name that is no text", call(`{"name":5}`), 200, -32602},
		{"progress token an object", call(`{"name":"query","_meta":{"progressToken":{}}}`), 200, -32602},
		{"a task that is no object", call(`{"name":"query","task":5}`), 200, -32602},
		{"a life of a task that is no number", call(`{"name":"query","task":{"ttl":"x"}}`), 200, -32602},
		{"answers to nothing that are no object", call(`{"name":"query","inputResponses":[]}`), 200, -32602},
		{"a state that is no text", call(`{"name":"query","requestState":1}`), 200, -32602},
		{"a cursor that is no text", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1}}`, 200, -32602},
		{"a cursor", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"!!"}}`, 200, -32602},
		{"initialize with a version that is no text", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`, 200, -32602},

		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`, 200, -32601},
		{"resources", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, 200, -32601},
		{"tasks", `{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`, 200, -32601},
		{"log level", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, 200, -32601},
		{"completion", `{"jsonrpc":"2.0","id":1,"method":"completion/complete"}`, 200, -32601},
	}
	h := newHost(t)
	for _, tt := range tests {
		w := h.do(post(builderToken, tt.body))
		m := messages(t, "", w.Body.String())[0]
		code := 0
		if m.Error != nil {
			code = m.Error.Code
		}
		if w.Code != tt.status || code != tt.code {
			t.Errorf("%s: %d %s, want %d with code %d", tt.name, w.Code, w.Body, tt.status, tt.code)
		}
		if m.Error != nil && (strings.Contains(m.Error.Message, "json:") || strings.Contains(m.Error.Message, "Go ")) {
			t.Errorf("%s: the message shows the inside: %s", tt.name, m.Error.Message)
		}
	}
	if got := h.of(); len(got) != 0 {
		t.Errorf("reached the API: %+v", got)
	}
}

func TestIDsComeBackAsSent(t *testing.T) {
	h := newHost(t)
	for _, id := range []string{`0`, `-7`, `999999999999999`, `"a"`, `"1"`, `"é\"\\ "`} {
		for _, method := range []string{"ping", "tools/list", "resources/list"} {
			w := h.do(post(readToken, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`"}`))
			if got := string(messages(t, "", w.Body.String())[0].ID); got != id {
				t.Errorf("%s: id %s came back as %s", method, id, got)
			}
		}
	}
}

func TestHeadersEqualTheBody(t *testing.T) {
	tests := []struct {
		name    string
		headers []string
		ok      bool
	}{
		{"none", nil, true},
		{"both", []string{"Mcp-Method", "tools/call", "Mcp-Name", "evaluation"}, true},
		{"a name in base64", []string{"Mcp-Name", "=?base64?ZXZhbHVhdGlvbg==?="}, true},
		{"another method", []string{"Mcp-Method", "tools/list"}, false},
		{"another name", []string{"Mcp-Name", "brief"}, false},
		{"another name in base64", []string{"Mcp-Name", "=?base64?YnJpZWY=?="}, false},
		{"base64 that is none", []string{"Mcp-Name", "=?base64?%?="}, false},
		{"the name in another case", []string{"Mcp-Name", "Evaluation"}, false},
		{"two versions", []string{"Mcp-Protocol-Version", "2025-11-25", "Mcp-Protocol-Version", "2024-11-05"}, false},
		{"two names", []string{"Mcp-Name", "evaluation", "Mcp-Name", "brief"}, false},
	}
	for _, tt := range tests {
		h := newHost(t)
		w := h.do(post(readToken, toolCall(1, "evaluation", `{"model_id":"m"}`, ""), tt.headers...))
		m := messages(t, "", w.Body.String())[0]
		if tt.ok != (m.Error == nil) || tt.ok != (len(h.of()) == 1) || !tt.ok && (w.Code != 400 || m.Error.Code != -32020) {
			t.Errorf("%s: %d %s", tt.name, w.Code, w.Body)
		}
	}
}

func TestNotificationsAreTakenAndDoNothing(t *testing.T) {
	h := newHost(t)
	for _, method := range []string{"notifications/initialized", "notifications/cancelled", "notifications/unknown", "tools/call"} {
		w := h.do(post(builderToken, `{"jsonrpc":"2.0","method":"`+method+`","params":{"name":"launch_plan","arguments":{"plan_id":"p"}}}`))
		if w.Code != 202 || w.Body.Len() != 0 {
			t.Errorf("%s: %d %q, want 202 and nothing", method, w.Code, w.Body)
		}
	}
	if got := h.of(); len(got) != 0 {
		t.Errorf("reached the API: %+v", got)
	}
}
