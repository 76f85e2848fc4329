package contracttest

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"ambit/audit"
	"ambit/internal/app"
	"ambit/internal/testservices"
)

func (s *server) revoke(t testing.TB, m minted) {
	t.Helper()
	s.send(cli, "POST", "/api/tokens/"+m.ID+"/revoke", nil).read(t, 200, nil)
}

// A token that was revoked is refused at once, whatever it asks.
func TestRevokedTokenIsRefusedAtOnce(t *testing.T) {
	s := newSite(t)
	plan := s.plan(t, s.builder, s.ws, s.dataset)
	run := s.launch(t, s.builder, s.plan(t, s.builder, s.ws, s.dataset))
	tests := []struct {
		name, method, path string
		body               any
	}{
		{"read", "GET", "/api/workspaces/" + s.ws, nil},
		{"who am I", "GET", "/api/auth/me", nil},
		{"read-shaped post", "POST", "/api/query", `{"workspace_id":"` + s.ws + `","sql":"SELECT 1"}`},
		{"compute", "POST", "/api/models/mo_none/score", `{"rows":[{}]}`},
		{"plan", "POST", s.plans(), planBody(s.dataset)},
		{"launch", "POST", "/api/plans/" + plan + "/launch", nil},
		{"abort", "POST", "/api/runs/" + run + "/abort", nil},
		{"MCP", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_resources","arguments":{}}}`},
	}
	// Warm what may be kept of the token.
	s.send(s.builder, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).read(t, 200, nil)
	s.revoke(t, s.token)
	s.unchanged(t, func() {
		for _, tt := range tests {
			a := s.send(s.builder, tt.method, tt.path, tt.body, withKey(fresh()), withHeader("Accept", "application/json, text/event-stream"))
			if tt.name == "MCP" && a.status == 200 { // the door lets in whom it has just seen; the API does not
				if !strings.Contains(string(a.body), "unauthenticated") {
					t.Errorf("MCP: got %s, want unauthenticated", a.body)
				}
				continue
			}
			a.is(t, tt.name, 401, "unauthenticated")
		}
	})
}

// A stream of a token ends when the token does.
func TestRevokedTokenLosesItsStream(t *testing.T) {
	s := newSite(t)
	run := s.launch(t, s.builder, s.plan(t, s.builder, s.ws, s.dataset))
	reader := s.mint(t, "read", s.ws, "")
	req, err := s.request(reader.credential(), "GET", "/api/runs/"+run+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.public.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
	}
	if !strings.Contains(lines.Text(), `"queued"`) {
		t.Fatalf("the first event is %q, want that the run is queued", lines.Text())
	}
	s.revoke(t, reader)
	revoked := time.Now()
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
	t.Logf("the stream ended %v after the revocation", time.Since(revoked).Round(time.Millisecond))
}

// A long poll of a token is refused when the token is revoked meanwhile.
func TestRevokedTokenLosesItsLongPoll(t *testing.T) {
	s := newSite(t)
	run := s.launch(t, s.builder, s.plan(t, s.builder, s.ws, s.dataset))
	reader := s.mint(t, "read", s.ws, "")
	done := make(chan answer, 1)
	go func() { done <- s.send(reader.credential(), "GET", "/api/runs/"+run+"?wait_s=20", nil) }()
	for a := range s.until(t, func() answer { return s.send(cli, "GET", "/api/tokens", nil) }) {
		if s.seen(t, a, reader.ID) {
			break // the poll was let in, and waits
		}
	}
	s.revoke(t, reader)
	revoked := time.Now()
	a := <-done
	a.is(t, "the long poll", 401, "unauthenticated")
	t.Logf("the long poll ended %v after the revocation", time.Since(revoked).Round(time.Millisecond))
}

// seen reports whether a token in a list was used.
func (s *server) seen(t testing.TB, a answer, id string) bool {
	t.Helper()
	var list struct {
		Items []struct {
			ID       string
			LastUsed *string `json:"last_used_at"`
		}
	}
	a.read(t, 200, &list)
	for _, item := range list.Items {
		if item.ID == id {
			return item.LastUsed != nil
		}
	}
	t.Fatalf("no token %s in %s", id, a.body)
	return false
}

// A token revoked on one replica is dead on the other: at once for what builds,
// and soon for what reads.
func TestRevocationReachesOtherReplicas(t *testing.T) {
	t.Setenv(audit.KeyEnv, strings.Repeat("5a", 32)) // replicas sign the log with one key
	url := testservices.Postgres(t)
	onPostgres := func(c *app.Config) { c.DatabaseURL = url }
	here, there := newSite(t, onPostgres), start(t, onPostgres)
	there.send(here.builder, "GET", "/api/auth/me", nil).read(t, 200, nil)
	plan := here.plan(t, here.builder, here.ws, here.dataset)
	here.revoke(t, here.token)
	there.send(here.builder, "POST", "/api/plans/"+plan+"/launch", nil, withKey(fresh())).is(t, "a launch on the other replica", 401, "unauthenticated")
	there.send(here.builder, "POST", "/api/models/mo_none/score", `{"rows":[{}]}`).is(t, "a computation on the other replica", 401, "unauthenticated")
	for a := range there.until(t, func() answer { return there.send(here.builder, "GET", "/api/auth/me", nil) }) {
		if a.status == 401 {
			break
		}
	}
}
