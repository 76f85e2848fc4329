package contracttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"ambit/internal/app"
)

// journal keeps what a server logs.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// calls returns the lines about a caller's calls, by request id.
func (j *journal) calls(t testing.TB) map[string]map[string]any {
	t.Helper()
	calls := map[string]map[string]any{}
	for line := range strings.Lines(j.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if fields["msg"] != "call" {
			continue
		}
		id := fmt.Sprint(fields["request"])
		if calls[id] != nil {
			t.Errorf("two lines about request %s", id)
		}
		calls[id] = fields
	}
	return calls
}

// Each call of a token leaves one line: who, with what tool, what, how it went.
// No payload and no credential is in the log, nor what a caller would like to
// write there.
func TestLogLine(t *testing.T) {
	var j journal
	s := newSite(t, func(c *app.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&j, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	reader := s.mint(t, "read", s.ws, "")
	const payload = "marzipan"
	tests := []struct {
		name         string
		as           minted
		method, path string
		body         any
		status       int
		scope, want  string // the scope and the path of the line
	}{
		{"query", reader, "POST", "/api/query", fmt.Sprintf(`{"workspace_id":%q,"sql":"SELECT '%s'"}`, s.ws, payload), 200, "read", "/api/query"},
		{"plan", s.token, "POST", s.plans(), strings.Replace(planBody(s.dataset), "{", `{"note":"`+payload+`",`, 1), 201, "builder", s.plans()},
		{"wrong body", s.token, "POST", s.plans(), `{"` + payload + `":1}`, 400, "builder", s.plans()},
		{"refused", reader, "POST", s.plans(), `{}`, 403, "read", s.plans()},
		{"no id", reader, "GET", "/api/plans/" + payload + "%0Aforged", nil, 404, "read", "/api/plans/{id}"},
		{"no route", reader, "GET", "/api/" + payload, nil, 404, "read", ""},
		{"a query", reader, "GET", "/api/workspaces?" + payload + "=1", nil, 422, "read", "/api/workspaces"},
	}
	wants := map[string]int{}
	for i, tt := range tests {
		a := s.send(tt.as.credential(), tt.method, tt.path, tt.body, withKey(fresh()), withHeader("X-Ambit-Tool", "profile\u202e"))
		if a.status != tt.status {
			t.Fatalf("%s: got %d %s, want %d", tt.name, a.status, a.body, tt.status)
		}
		wants[a.header.Get("X-Request-Id")] = i
	}
	s.send(credential{bearer: "amb_" + payload}, "GET", "/api/auth/me", nil).is(t, "a bad token", 401, "unauthenticated")
	s.send(credential{}, "POST", "/api/auth/login", `{"email":"first@ambit.test","password":"`+payload+`"}`).is(t, "a bad password", 401, "unauthenticated")

	calls := j.calls(t)
	for id, i := range wants {
		tt, line := tests[i], calls[id]
		if line == nil {
			t.Errorf("%s: no line", tt.name)
			continue
		}
		got := fmt.Sprint(line["caller"], " ", line["scope"], " ", line["tool"], " ", line["path"], " ", line["status"])
		if want := fmt.Sprint("token:", tt.as.ID, " ", tt.scope, " profile ", tt.want, " ", tt.status); got != want || line["took"] == nil {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
	}
	for _, secret := range []string{payload, reader.Token, s.token.Token, "forged"} {
		if strings.Contains(j.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}
