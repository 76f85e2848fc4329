package mcp_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"ambit/mcp"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// change is what a case does to a good request.
type change func(*http.Request)

func set(header string, values ...string) change {
	return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(header)] = values }
}

func hostHeader(h string) change { return func(r *http.Request) { r.Host = h } }

func method(m string) change { return func(r *http.Request) { r.Method = m } }

// body sends a body, with its length said before or not.
func body(text string, said bool) change {
	return func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), -1
		if said {
			r.ContentLength = int64(len(text))
		}
	}
}

func TestDoor(t *testing.T) {
	long := ping[:len(ping)-1] + strings.Repeat(" ", 1<<20) + "}"
	fits := ping + strings.Repeat(" ", 1<<20-len(ping))
	tests := []struct {
		name    string
		changes []change
		status  int
		code    string
	}{
		{"good", nil, 200, ""},

		{"the host with a port", []change{hostHeader("ambit.test:8080")}, 200, ""},
		{"the host in capitals", []change{hostHeader("AMBIT.test")}, 200, ""},
		{"an address with its port", []change{hostHeader("[::1]:8080")}, 200, ""},
		{"a host with the port that is listed", []change{hostHeader("127.0.0.1:9000")}, 200, ""},
		{"a host with another port than is listed", []change{hostHeader("127.0.0.1:9001")}, 403, "origin_forbidden"},
		{"a foreign host", []change{hostHeader("evil.example")}, 403, "origin_forbidden"},
		{"the host with a dot", []change{hostHeader("ambit.test.")}, 403, "origin_forbidden"},
		{"the host as a user", []change{hostHeader("ambit.test@evil.example")}, 403, "origin_forbidden"},
		{"a port that is none", []change{hostHeader("ambit.test:evil")}, 403, "origin_forbidden"},
		{"a short form of an address", []change{hostHeader("127.1:9000")}, 403, "origin_forbidden"},
		{"no host", []change{hostHeader("")}, 403, "origin_forbidden"},

		{"the origin", []change{set("Origin", "https://app.example")}, 200, ""},
		{"the server's own page", []change{hostHeader("ambit.test:8080"), set("Origin", "http://ambit.test:8080")}, 200, ""},
		{"a page on another port of the host", []change{hostHeader("ambit.test:8080"), set("Origin", "http://ambit.test:9090")}, 403, "origin_forbidden"},
		{"a foreign page that calls itself the host", []change{hostHeader("evil.example"), set("Origin", "http://evil.example")}, 403, "origin_forbidden"},
		{"another origin", []change{set("Origin", "https://evil.example")}, 403, "origin_forbidden"},
		{"the origin over another scheme", []change{set("Origin", "http://app.example")}, 403, "origin_forbidden"},
		{"null", []change{set("Origin", "null")}, 403, "origin_forbidden"},
		{"an empty origin", []change{set("Origin", "")}, 403, "origin_forbidden"},
		{"two origins", []change{set("Origin", "https://app.example", "https://evil.example")}, 403, "origin_forbidden"},

		{"GET", []change{method("GET")}, 405, "method_not_allowed"},
		{"DELETE", []change{method("DELETE")}, 405, "method_not_allowed"},
		{"PUT", []change{method("PUT")}, 405, "method_not_allowed"},
		{"HEAD", []change{method("HEAD")}, 405, "method_not_allowed"},
		{"OPTIONS", []change{method("OPTIONS")}, 405, "method_not_allowed"},

		{"as long as may be", []change{body(fits, true)}, 200, ""},
		{"too long, and said so", []change{body(long, true)}, 413, "too_large"},
		{"too long, without saying so", []change{body(long, false)}, 413, "too_large"},

		{"no token", []change{set("Authorization")}, 401, "unauthenticated"},
		{"an empty header", []change{set("Authorization", "")}, 401, "unauthenticated"},
		{"another scheme", []change{set("Authorization", "Basic "+readToken)}, 401, "unauthenticated"},
		{"no token's shape", []change{set("Authorization", "Bearer hello")}, 401, "unauthenticated"},
		{"a token and more", []change{set("Authorization", "Bearer "+readToken+"x")}, 401, "unauthenticated"},
		{"a token that does not begin like one", []change{set("Authorization", "Bearer AMB"+readToken[3:])}, 401, "unauthenticated"},
		{"a token whose parts are elsewhere", []change{set("Authorization", "Bearer amb_"+readToken[5:17]+"_"+readToken[17:])}, 401, "unauthenticated"},
		{"a token with a sign in its id", []change{set("Authorization", "Bearer amb_-"+readToken[5:])}, 401, "unauthenticated"},
		{"a token with a sign in its secret", []change{set("Authorization", "Bearer "+readToken[:65]+"=")}, 401, "unauthenticated"},
		{"two tokens", []change{set("Authorization", "Bearer "+readToken, "Bearer "+builderToken)}, 401, "unauthenticated"},
		{"a token that does not hold", []change{set("Authorization", "Bearer "+deadToken)}, 401, "unauthenticated"},
		{"the scheme in small letters", []change{set("Authorization", "bearer "+readToken)}, 200, ""},

		{"text", []change{set("Content-Type", "text/plain")}, 415, "unsupported_media_type"},
		{"no type", []change{set("Content-Type")}, 415, "unsupported_media_type"},
		{"two types", []change{set("Content-Type", "application/json", "text/plain")}, 415, "unsupported_media_type"},
		{"a type with parameters, in capitals", []change{set("Content-Type", "Application/JSON; charset=utf-8")}, 200, ""},

		// the order: host, origin, method, size, credential, type
		{"all wrong", []change{hostHeader("x"), set("Origin", "null"), method("GET"), body(long, true), set("Authorization"), set("Content-Type")}, 403, "origin_forbidden"},
		{"all but the host and origin wrong", []change{method("GET"), body(long, true), set("Authorization"), set("Content-Type")}, 405, "method_not_allowed"},
		{"too long, without a token", []change{body(long, true), set("Authorization")}, 413, "too_large"},
		{"no token, and text", []change{set("Authorization"), set("Content-Type", "text/plain")}, 401, "unauthenticated"},
		{"no token, and no JSON", []change{set("Authorization"), body("{", true)}, 401, "unauthenticated"},
	}
	h := newHost(t, func(c *mcp.Config) {
		c.Hosts = []string{"Ambit.test", "::1", "127.0.0.1:9000"}
		c.Origins = []string{"https://App.example"}
	})
	for _, tt := range tests {
		h.forget()
		r := post(readToken, ping)
		for _, f := range tt.changes {
			f(r)
		}
		w := h.do(r)
		if w.Code != tt.status || tt.code != "" && !bytes.Contains(w.Body.Bytes(), []byte(`"code":"`+tt.code+`"`)) {
			t.Errorf("%s: %d %s, want %d %s", tt.name, w.Code, w.Body, tt.status, tt.code)
		}
		if got := w.Header().Get("WWW-Authenticate"); (got == `Bearer realm="ambit"`) != (tt.status == 401) {
			t.Errorf("%s: WWW-Authenticate = %q", tt.name, got)
		}
		if got := w.Header().Get("Allow"); (got == "POST") != (tt.status == 405) {
			t.Errorf("%s: Allow = %q", tt.name, got)
		}
		if len(h.of()) != 0 {
			t.Errorf("%s: reached the API: %+v", tt.name, h.of())
		}
		if w.Header().Get("Mcp-Session-Id") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: header %v, want no session and no store", tt.name, w.Header())
		}
	}
}

// Whoever has no usable token is not somebody else.
func TestNothingRunsAsTheServer(t *testing.T) {
	h := newHost(t)
	for _, auth := range [][]string{nil, {"Bearer nonsense"}, {"Basic abc"}} {
		r := post("", toolCall(1, "list_resources", `{}`, ""))
		r.Header["Authorization"] = auth
		h.do(r)
	}
	if n := len(h.of()) + len(h.of("auth_me")); n != 0 {
		t.Errorf("%d requests reached the API without a token", n)
	}
}

func TestCredentialsStayOutOfTheLibraryAndTheAPI(t *testing.T) {
	h := newHost(t)
	h.do(post(readToken, toolCall(1, "evaluation", `{"model_id":"m"}`, ""), "Cookie", "ambit_session=s", "Mcp-Session-Id", "foreign"))
	got := h.of()
	if len(got) != 1 || got[0].header.Get("Cookie") != "" || got[0].header.Get("Mcp-Session-Id") != "" {
		t.Errorf("reached the API: %+v, want one call without cookie and session", got)
	}
}

func TestWhatTheLibrarySees(t *testing.T) {
	in := http.Header{"Authorization": {"Bearer x"}, "Cookie": {"c"}, "Mcp-Session-Id": {"s"}, "Mcp-Method": {"ping"}}
	if got := mcp.ForLibrary(in); len(got) != 1 || got.Get("Mcp-Method") != "ping" || len(in) != 4 {
		t.Errorf("the library sees %v of %v, want Mcp-Method alone", got, in)
	}
}

func TestClaims(t *testing.T) {
	const modern = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	client := func(name, version string) string {
		return `"io.modelcontextprotocol/clientInfo":{"name":"` + name + `","version":"` + version + `"}`
	}
	headers := []string{"Mcp-Protocol-Version", modernVersion, "Mcp-Method", "tools/call", "Mcp-Name", "evaluation"}
	trace := "00-" + strings.Repeat("a", 32) + "-" + strings.Repeat("b", 16) + "-01"
	tests := []struct {
		name, meta    string
		headers       []string
		host, traceID string
	}{
		{"user agent", "", nil, "agent/1", ""},
		{"client info", modern + "," + client("desk", "2.0"), headers, "desk/2.0", ""},
		{"without a version", modern + "," + client("desk", ""), headers, "desk", ""},
		{"cleaned", modern + "," + client(`d\u202ee\ns\"k é`, "2"), headers, `des"k /2`, ""},
		{"cut", modern + "," + client(strings.Repeat("n", 300), "2"), headers, strings.Repeat("n", 128), ""},
		{"trace in _meta", `"traceparent":"` + trace + `"`, nil, "agent/1", trace},
		{"trace in a header", "", []string{"Traceparent", trace}, "agent/1", trace},
		{"a trace that is none", `"traceparent":"00-x"`, nil, "agent/1", ""},
	}
	for _, tt := range tests {
		h := newHost(t)
		w := h.do(post(readToken, toolCall(1, "evaluation", `{"model_id":"m"}`, tt.meta), tt.headers...))
		got := h.of()
		if len(got) != 1 {
			t.Errorf("%s: %d requests: %s", tt.name, len(got), w.Body)
			continue
		}
		if g := got[0].header; g.Get("X-Ambit-Host") != tt.host || g.Get("Traceparent") != tt.traceID {
			t.Errorf("%s: host %q, trace %q; want %q, %q", tt.name, g.Get("X-Ambit-Host"), g.Get("Traceparent"), tt.host, tt.traceID)
		}
	}
}
