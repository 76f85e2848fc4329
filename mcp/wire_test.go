package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ambit/mcp"
)

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

// host is a hosted server over a backend.
type host struct {
	*mcp.Hosted
	*backend
}

func newHost(t *testing.T, change ...func(*mcp.Config)) host {
	t.Helper()
	b := newBackend(t)
	h, err := mcp.NewHosted(b.config(change...))
	if err != nil {
		t.Fatal(err)
	}
	return host{h, b}
}

func (h host) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.Hosted.ServeHTTP(w, r) }

// post is a request to a host: everything that a test may want to be wrong.
func post(token, body string, headers ...string) *http.Request {
	r := httptest.NewRequest("POST", "http://ambit.test/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("User-Agent", "agent/1")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// do sends a request and returns the answer.
func (h host) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// message is a JSON-RPC message from a server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// messages reads an answer, a JSON document or a stream of events.
func messages(t *testing.T, kind, body string) []message {
	t.Helper()
	var texts []string
	if strings.HasPrefix(kind, "text/event-stream") {
		for line := range strings.Lines(body) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				texts = append(texts, data)
			}
		}
	} else {
		texts = []string{body}
	}
	var all []message
	for _, text := range texts {
		var m message
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatalf("no message: %q: %v", text, err)
		}
		all = append(all, m)
	}
	return all
}

// result is the result of a tool call.
type result struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Meta       struct {
		Untrusted []string `json:"untrusted"`
		Key       string   `json:"idempotency_key"`
		Replayed  bool     `json:"replayed"`
	} `json:"_meta"`
}

func (r result) text() string { return r.Content[0].Text }

// problem reads the fault of a result that is an error.
func (r result) problem(t *testing.T) (p struct {
	Code, Detail, Fix string
	Fields            []struct {
		Path, Rule string
		Valid      []string
	}
}) {
	t.Helper()
	if !r.IsError {
		t.Fatalf("the result is no error: %s", r.text())
	}
	if err := json.Unmarshal([]byte(r.text()), &p); err != nil {
		t.Fatalf("the error is no problem document: %q", r.text())
	}
	return p
}

func resultOf(t *testing.T, m message) result {
	t.Helper()
	var r result
	if m.Error != nil || json.Unmarshal(m.Result, &r) != nil || len(r.Content) == 0 {
		t.Fatalf("no result of a tool: %+v %s", m.Error, m.Result)
	}
	return r
}

// toolCall is the message that calls a tool; meta is the JSON of _meta's members, or "".
func toolCall(id int, tool, args, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s}}}`, id, tool, args, meta)
}

// call calls a tool over HTTP and returns its result.
func (h host) call(t *testing.T, token, tool, args string) result {
	t.Helper()
	w := h.do(post(token, toolCall(1, tool, args, "")))
	all := messages(t, w.Header().Get("Content-Type"), w.Body.String())
	return resultOf(t, all[len(all)-1])
}
