package contracttest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// disguises are other ways to write a path. None of them may reach a handler:
// what is authorized is the path as it stands on the wire.
var disguises = []struct {
	name string
	of   func(path string) string
}{
	{"trailing slash", func(p string) string { return p + "/" }},
	{"two trailing slashes", func(p string) string { return p + "//" }},
	{"double slash in front", func(p string) string { return "/" + p }},
	{"double slash inside", func(p string) string { return beforeLast(p, "//") }},
	{"another case", func(p string) string { return strings.ToUpper(p[:4]) + p[4:] }},
	{anotherID, func(p string) string { return p[:len(p)-2] + swapCase(p[len(p)-2:]) }},
	{"encoded slash", func(p string) string { return beforeLast(p, "%2F") }},
	{"encoded slash, small", func(p string) string { return beforeLast(p, "%2f") }},
	{"encoded slash, twice", func(p string) string { return beforeLast(p, "%252F") }},
	{"encoded backslash", func(p string) string { return beforeLast(p, "%5C") }},
	{"encoded letter", func(p string) string { return fmt.Sprintf("/%%%02X%s", p[1], p[2:]) }},
	{"encoded slash at the end", func(p string) string { return p + "%2F" }},
	{"dot in front", func(p string) string { return "/." + p }},
	{"up and down again", func(p string) string { return "/x/.." + p }},
	{"up and down again, encoded", func(p string) string { return "/x/%2e%2e" + p }},
	{"up from below", func(p string) string { return p + "/x/.." }},
	{"encoded dot in front", func(p string) string { return "/%2e" + p }},
	{"dot at the end", func(p string) string { return p + "/." }},
	{"NUL at the end", func(p string) string { return p + "%00" }},
	{"space at the end", func(p string) string { return p + "%20" }},
	{"newline at the end", func(p string) string { return p + "%0A" }},
	{"parameter at the end", func(p string) string { return p + ";a=1" }},
	{"encoded query", func(p string) string { return p + "%3Fa=1" }},
	{"extension", func(p string) string { return p + ".json" }},
}

const anotherID = "another case of the last word"

// nowhere reports whether a request got to no handler: there is no such path,
// not with this method, or it is none at all.
func nowhere(a answer) bool {
	switch a.status {
	case 404:
		return a.code() == "not_found"
	case 405:
		return a.code() == "method_not_allowed"
	}
	return a.status == 400 && string(a.body) == "400 Bad Request" // of the HTTP library
}

// beforeLast puts something in the place of the last slash.
func beforeLast(p, slash string) string {
	i := strings.LastIndex(p, "/")
	return p[:i] + slash + p[i+1:]
}

func swapCase(s string) string {
	if up := strings.ToUpper(s); up != s {
		return up
	}
	return strings.ToLower(s)
}

// Whoever may do everything gets nowhere by another way of writing a path.
func testDisguisedPaths(t *testing.T, w *world) {
	rows, _ := served(t)
	places := map[string]bool{}
	for _, r := range rows {
		places[r.method+" "+w.sample(t, r).path] = true
	}
	var wrong [][]string
	tried := 0
	for _, r := range rows {
		s := w.sample(t, r)
		for _, d := range disguises {
			path := d.of(s.path)
			if places[r.method+" "+path] || d.name == anotherID && strings.HasSuffix(r.path, "}") {
				continue // it is another route's own path, or names another thing
			}
			tried++
			if a := w.send(w.callers["admin"].credential, r.method, path, s.body); !nowhere(a) {
				wrong = append(wrong, []string{r.place(), d.name, path, fmt.Sprintf("%d %s", a.status, a.code()), cut(a)})
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("%d of %d disguised paths lead somewhere:\n%s", len(wrong), tried, table([]string{"route", "disguise", "path", "got", "answer"}, wrong))
	}
	t.Logf("%d disguised paths", tried)
}

// Ids that are none never leave the wall, whatever they stand for when decoded.
func testIDsInPaths(t *testing.T, w *world) {
	rows, _ := served(t)
	bad := []string{".", "..", "%2e%2e", "%2E", "..%2f..", "a%2Fb", "a%5cb", "%00", "a%00", "a%20b", "%C3%A9", "%zz", "*", "{x}", "a,b", "'", "%27", strings.Repeat("a", 129)}
	for _, r := range rows {
		for _, name := range []string{"{id}", "{ws}", "{kind}"} {
			if !strings.Contains(r.path, name) {
				continue
			}
			for _, id := range bad {
				path := w.fill(t, strings.Replace(r.path, name, id, 1), r)
				a := w.send(w.callers["admin"].credential, r.method, path, w.sample(t, r).body)
				if a.status != 404 && a.status != 400 {
					t.Errorf("%s with %s %q: got %d %s, want 404", r.place(), name, id, a.status, a.body)
				}
			}
		}
	}
}

// HEAD asks what GET asks; everything that no row has is refused.
func testMethods(t *testing.T, w *world) {
	rows, planned := served(t)
	taken := map[string][]string{} // by path
	for _, r := range slices.Concat(rows, planned) {
		taken[r.path] = append(taken[r.path], r.method)
	}
	for _, r := range rows {
		s := w.sample(t, r)
		if r.method == "GET" && r.path != "/api/runs/{id}/events" {
			for _, name := range []string{"nobody", "read", "viewer", "builder of a foreign workspace"} {
				get, head := w.try(t, r, w.callers[name]), w.send(w.callers[name].credential, "HEAD", s.path, nil)
				if head.status != get.status || len(head.body) != 0 {
					t.Errorf("HEAD %s by %s: got %d and %d bytes, want the %d of GET and none", r.path, name, head.status, len(head.body), get.status)
				}
			}
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECTED", "get", "BREW"} {
			if slices.Contains(taken[r.path], method) {
				continue
			}
			a := w.send(w.callers["admin"].credential, method, s.path, nil)
			if a.status != 405 || a.code() != "method_not_allowed" || !strings.Contains(a.header.Get("Allow"), r.method) {
				t.Errorf("%s %s: got %d %s, Allow %q, want 405 and %s allowed", method, r.path, a.status, a.body, a.header.Get("Allow"), r.method)
			}
		}
	}
}

// Headers by which some frameworks take another method or another path do nothing.
func testOverrides(t *testing.T, w *world) {
	admin := w.callers["admin"].credential
	plan := "/api/plans/" + w.things["plan"]
	for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		w.send(admin, "GET", plan, nil, withHeader(name, "DELETE")).is(t, "GET with "+name, 200, "")
		w.send(admin, "POST", plan, fmt.Sprintf(`{"confirm":%q}`, w.things["plan"]), withHeader(name, "DELETE")).is(t, "POST with "+name, 405, "method_not_allowed")
	}
	w.send(admin, "POST", plan+"?_method=DELETE", `{}`).is(t, "POST with _method", 405, "method_not_allowed")
	w.send(admin, "GET", plan, nil).is(t, "the plan", 200, "")
	for _, name := range []string{"X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Forwarded-Path"} {
		a := w.send(credential{}, "GET", "/healthz", nil, withHeader(name, "/api/tokens"))
		if string(a.body) != `{"status":"ok"}` {
			t.Errorf("GET /healthz with %s: got %s", name, a.body)
		}
	}
}

// No route takes a parameter that it does not know, and none takes one twice.
func testQueries(t *testing.T, w *world) {
	rows, _ := served(t)
	for _, r := range rows {
		if r.class == "own" {
			continue // its messages have no query
		}
		s := w.sample(t, r)
		c := w.callers["admin"]
		ask := func(query string) answer {
			return w.send(c.credential, r.method, s.path+"?"+query, s.body)
		}
		a := ask("unknown=1")
		a.is(t, r.place()+"?unknown=1", 422, "invalid")
		if !strings.Contains(string(a.body), `"query.unknown"`) {
			t.Errorf("%s?unknown=1: the answer does not name it: %s", r.place(), a.body)
		}
		ask("%zz=1").is(t, r.place()+"?%zz=1", 400, "malformed")
	}
	read := w.callers["read"].credential
	for _, path := range []string{"/api/workspaces/" + w.a + "/runs?limit=1&limit=2", "/api/workspaces/" + w.a + "/runs?limit=x", "/api/workspaces/" + w.a + "/runs?limit=0&Limit=1",
		"/api/workspaces/" + w.a + "/runs?limit=-1", "/api/workspaces/" + w.a + "/runs?limit=101", "/api/workspaces/" + w.a + "/runs?cursor=zzz", "/api/runs/" + w.things["run"] + "?wait_s=21",
		"/api/runs/" + w.things["run"] + "?wait_s=-1", "/api/runs/" + w.things["run"] + "/log?limit=501", "/api/datasets/" + w.things["dataset"] + "/preview?limit=101"} {
		w.send(read, "GET", path, nil).is(t, path, 422, "invalid")
	}
}

// A request carries one credential. Two are refused, so that no two parts of a
// server see different callers in it.
func testCredentials(t *testing.T, w *world) {
	builder, viewer, other := w.callers["builder"].bearer, w.callers["viewer"].cookie, w.callers["admin"].cookie
	set := func(headers map[string][]string) func(*http.Request) {
		return func(r *http.Request) { maps.Copy(r.Header, headers) }
	}
	tests := []struct {
		name   string
		header map[string][]string
		status int
		code   string
	}{
		{"token", map[string][]string{"Authorization": {"Bearer " + builder}}, 200, ""},
		{"token, scheme in another case", map[string][]string{"Authorization": {"bEARER " + builder}}, 200, ""},
		{"session", map[string][]string{"Cookie": {"ambit_session=" + viewer}}, 200, ""},
		{"session beside another site's cookie", map[string][]string{"Cookie": {"theme=dark; ambit_session=" + viewer}}, 200, ""},
		{"token and session", map[string][]string{"Authorization": {"Bearer " + builder}, "Cookie": {"ambit_session=" + viewer}}, 400, "malformed"},
		{"two tokens", map[string][]string{"Authorization": {"Bearer " + builder, "Bearer " + builder}}, 400, "malformed"},
		{"two sessions in one header", map[string][]string{"Cookie": {"ambit_session=" + viewer + "; ambit_session=" + other}}, 400, "malformed"},
		{"two sessions in two headers", map[string][]string{"Cookie": {"ambit_session=" + viewer, "ambit_session=" + other}}, 400, "malformed"},
		{"no scheme", map[string][]string{"Authorization": {builder}}, 401, "unauthenticated"},
		{"another scheme", map[string][]string{"Authorization": {"Basic " + builder}}, 401, "unauthenticated"},
		{"nothing after the scheme", map[string][]string{"Authorization": {"Bearer "}}, 401, "unauthenticated"},
		{"two tokens in one header", map[string][]string{"Authorization": {"Bearer " + builder + ", Bearer " + builder}}, 401, "unauthenticated"},
		{"a token with its checksum changed", map[string][]string{"Authorization": {"Bearer " + builder[:len(builder)-1] + "_"}}, 401, "unauthenticated"},
		{"a token in the query", nil, 401, "unauthenticated"},
		{"a session as a token", map[string][]string{"Authorization": {"Bearer " + viewer}}, 401, "unauthenticated"},
		{"a token as a session", map[string][]string{"Cookie": {"ambit_session=" + builder}}, 401, "unauthenticated"},
		{"a token in another header", map[string][]string{"X-Api-Key": {builder}, "Proxy-Authorization": {"Bearer " + builder}}, 401, "unauthenticated"},
		{"the cookie of a server over TLS", map[string][]string{"Cookie": {"__Host-ambit=" + viewer}}, 401, "unauthenticated"},
		{"what a proxy might vouch for", map[string][]string{"X-Forwarded-User": {"admin"}, "X-Remote-User": {"admin"}, "X-Ambit-Tool": {"cli"}}, 401, "unauthenticated"},
	}
	for _, tt := range tests {
		a := w.send(credential{}, "GET", "/api/auth/me", nil, set(tt.header))
		a.is(t, tt.name, tt.status, tt.code)
		if (a.status == 401) != (a.header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s: WWW-Authenticate is %q", tt.name, a.header.Get("WWW-Authenticate"))
		}
	}
	var me struct{ Kind string }
	w.send(credential{cli: true, bearer: w.callers["read"].bearer}, "GET", "/api/auth/me", nil).read(t, 200, &me)
	if me.Kind != "token" {
		t.Errorf("a token over the operator's socket is %q, want a token", me.Kind)
	}
}

// What another site makes a browser send is refused, whoever is signed in.
func testOrigins(t *testing.T, w *world) {
	tests := []struct {
		name, header, value string
		status              int
		code                string
	}{
		{"no browser", "", "", 200, ""},
		{"the server's own page", "Origin", w.url, 200, ""},
		{"the same origin", "Sec-Fetch-Site", "same-origin", 200, ""},
		{"another site", "Sec-Fetch-Site", "cross-site", 403, "origin_forbidden"},
		{"another port of this host", "Sec-Fetch-Site", "same-site", 403, "origin_forbidden"},
		{"another origin, by an old browser", "Origin", "https://elsewhere.test", 403, "origin_forbidden"},
		{"no origin that has a name", "Origin", "null", 403, "origin_forbidden"},
	}
	for _, tt := range tests {
		a := w.send(w.callers["viewer"].credential, "POST", "/api/workspaces/"+w.a+"/brief", `{}`, func(r *http.Request) {
			if tt.header != "" {
				r.Header.Set(tt.header, tt.value)
			}
		})
		a.is(t, tt.name, tt.status, tt.code)
	}
}
