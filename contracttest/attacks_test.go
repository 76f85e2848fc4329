package contracttest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"ambit/internal/app"
)

// Of a body with a password in it the log keeps nothing that passwords could be
// tried on.
func TestPasswordsLeaveNoDigest(t *testing.T) {
	s := start(t)
	admin := s.setUp(t)
	stepUp := fmt.Sprintf(`{"password":%q}`, password)
	s.send(admin, "POST", "/api/auth/step-up", stepUp, withKey("k")).read(t, 200, nil)
	s.send(admin, "POST", "/api/auth/step-up", stepUp, withKey("k")).read(t, 200, nil) // a replay
	s.send(admin, "POST", "/api/auth/step-up", `{"password":"not this one at all"}`, withKey("k")).is(t, "another password", 422, "idempotency_key_reused")
	s.send(admin, "POST", "/api/auth/step-up", `{"password":"not this one at all"}`).is(t, "a wrong password", 422, "invalid")
	s.send(admin, "POST", "/api/auth/password", fmt.Sprintf(`{"current_password":%q,"new_password":"eight lamps on a hill"}`, password)).read(t, 200, nil)
	person := s.make(t, admin, "/api/people", fmt.Sprintf(`{"email":"second@ambit.test","role":"viewer","password":%q}`, password))
	s.byLink(t, person)
	s.login(t, "second@ambit.test")
	s.make(t, admin, "/api/workspaces", `{"name":"w"}`) // has a digest: there is nothing to hide

	secret := map[string]int{"auth_setup": 1, "auth_step_up": 4, "auth_password": 1, "person_create": 1, "auth_link": 1, "auth_login": 1, "workspace_create": 0}
	for _, r := range append(s.records(t, "person:"+s.me(t, admin)), s.records(t, "person:"+person)...) {
		if left, ok := secret[r.Route]; ok && (r.Digest == "") != (r.Route != "workspace_create") {
			t.Errorf("%s: the digest is %q", r.Route, r.Digest)
		} else if ok {
			secret[r.Route] = left - 1
		}
	}
	for route, left := range secret {
		if left > 0 {
			t.Errorf("%s: %d records fewer than wanted", route, left)
		}
	}
}

// me returns the id of who asks.
func (s *server) me(t testing.TB, as credential) string {
	t.Helper()
	var me struct{ ID string }
	s.send(as, "GET", "/api/auth/me", nil).read(t, 200, &me)
	return me.ID
}

// Strangers cannot fill the audit log, nor keep the database busy, by signing out.
func TestSigningOutWithoutASession(t *testing.T) {
	s := start(t)
	refused := 0
	for range 400 {
		a := s.send(credential{}, "POST", "/api/auth/logout", nil)
		if a.status == 429 && a.header.Get("Retry-After") != "" {
			refused++
		}
	}
	if refused == 0 {
		t.Error("none of 400 requests in a row was refused")
	}
	if n := len(s.records(t, "nobody")); n > 1 {
		t.Errorf("%d records, want one of the requests that were refused", n)
	}
}

// calls is a log that tells a test of calls that are over.
type calls struct{ over chan string } // their paths

func (c calls) Enabled(context.Context, slog.Level) bool { return true }
func (c calls) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c calls) WithGroup(string) slog.Handler            { return c }
func (c calls) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "call" {
		return nil
	}
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "path" {
			c.over <- a.Value.String()
		}
		return true
	})
	return nil
}

// A caller that hangs up was refused nothing.
func TestHangingUpIsNoRefusal(t *testing.T) {
	log := calls{make(chan string, 1000)}
	s := newSite(t, func(c *app.Config) { c.Log = slog.New(log) })
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { hangUp() }})
	sql := `SELECT count(*) FROM range(100000) a, range(100000) b, range(1000) c`
	a := s.send(s.builder, "POST", "/api/query", fmt.Sprintf(`{"workspace_id":%q,"sql":%q}`, s.ws, sql), func(r *http.Request) { *r = *r.WithContext(ctx) })
	if a.err == nil {
		t.Fatalf("the request was answered: %d %s", a.status, a.body)
	}
	for path := range log.over {
		if path == "/api/query" {
			break
		}
	}
	if got := s.records(t, "token:"+s.token.ID); len(got) != 0 {
		t.Errorf("records %+v, want none", got)
	}
}

// What another site makes a browser send is on record as what it would have been.
func TestRefusedBeforeAnybodyAsked(t *testing.T) {
	s := newSite(t)
	plan := s.plan(t, s.builder, s.ws, s.dataset)
	s.send(s.builder, "POST", "/api/plans/"+plan+"/launch", nil, withKey("k"), withHeader("Origin", "https://elsewhere.test")).
		is(t, "another origin", 403, "origin_forbidden")
	s.send(s.builder, "POST", "/api/plans/"+plan+"/launch", strings.Repeat(" ", 1<<20+1), withKey("k")).is(t, "a large body", 413, "too_large")
	records := s.records(t, "token:"+s.token.ID)
	var got []string
	for _, r := range records {
		got = append(got, r.Route+" "+r.Outcome)
	}
	if want := "plan_create ok, plan_launch origin_forbidden, plan_launch too_large"; strings.Join(got, ", ") != want {
		t.Errorf("records %q, want %q", got, want)
	}
}

// Nothing may follow the file of an upload: it would not be looked at.
func TestUploadWithMoreThanItsFile(t *testing.T) {
	s := newSite(t)
	tests := []struct {
		name  string
		parts []string
		code  string
	}{
		{"as it should be", []string{"name", "file"}, ""},
		{"two files", []string{"name", "file", "file"}, "invalid"},
		{"a name after the file", []string{"name", "file", "name"}, "invalid"},
		{"an unknown part after the file", []string{"name", "file", "x"}, "invalid"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := multipart.NewWriter(&b)
			for _, part := range tt.parts {
				if part == "file" {
					f, _ := w.CreateFormFile(part, "t.csv") // a buffer takes all
					f.Write([]byte("a,b\n1,2\n3,4\n"))
					continue
				}
				w.WriteField(part, fmt.Sprint("table ", i))
			}
			w.Close()
			a := s.send(cli, "POST", "/api/workspaces/"+s.ws+"/datasets", form{w.FormDataContentType(), b.Bytes()})
			if a.code() != tt.code || (a.status == 201) != (tt.code == "") {
				t.Errorf("got %d %s, want code %q", a.status, a.body, tt.code)
			}
		})
	}
}

// Tokens that act for a person end when the person is disabled, and for good.
func TestDisabledPersonHasNoAgents(t *testing.T) {
	s := start(t)
	admin := s.setUp(t)
	ws := s.workspace(t, "w")
	person := s.person(t, "second@ambit.test", "operator", ws)
	theirs := s.mint(t, "builder", ws, `,"acts_for":"second@ambit.test"`).credential()
	others := s.mint(t, "read", ws, "").credential()
	s.send(theirs, "GET", "/api/auth/me", nil).read(t, 200, nil)
	for _, disabled := range []bool{true, false} {
		s.send(admin, "PATCH", "/api/people/"+person, fmt.Sprintf(`{"disabled":%v}`, disabled)).read(t, 200, nil)
		s.send(theirs, "GET", "/api/auth/me", nil).is(t, fmt.Sprintf("disabled %v", disabled), 401, "unauthenticated")
	}
	s.send(others, "GET", "/api/auth/me", nil).read(t, 200, nil)
}

// A NUL character, which one of the databases cannot keep, is refused as such.
func TestNULInTexts(t *testing.T) {
	s := newSite(t)
	tests := []struct {
		name, method, path, body string
		status                   int
		code                     string
	}{
		{"note", "POST", s.plans(), `{"dataset_id":"` + s.dataset + `","target":"y","note":"a\u0000b"}`, 400, "malformed"},
		{"email", "POST", "/api/auth/login", `{"email":"a\u0000@b.test","password":"x"}`, 400, "malformed"},
		{"trial", "POST", "/api/runs/run_1/models", `{"trial_id":"\u0000","name":"x"}`, 400, "malformed"},
		{"filter", "GET", "/api/workspaces/" + s.ws + "/resources?kind=%00", "", 422, "invalid"},
		{"filter that is not UTF-8", "GET", "/api/workspaces/" + s.ws + "/resources?kind=%ff", "", 422, "invalid"},
		{"cursor", "GET", s.plans() + "?cursor=MSAA", "", 422, "invalid"}, // "1 \x00"
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var body any
			if tt.body != "" {
				body = tt.body
			}
			s.send(s.builder, tt.method, tt.path, body, withKey(fresh())).is(t, tt.name, tt.status, tt.code)
		})
	}
}

// One caller cannot open as many streams as it likes, and keeps nobody else out.
func TestStreamsOfOneCaller(t *testing.T) {
	s := newSite(t)
	run := s.launch(t, s.builder, s.plan(t, s.builder, s.ws, s.dataset)) // nobody trains: it stays queued
	open := func(as credential) int {
		req, err := s.request(as, "GET", "/api/runs/"+run+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.public.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp.StatusCode
	}
	reader := s.mint(t, "read", s.ws, "").credential()
	for i := range 64 {
		if got := open(reader); got != 200 {
			t.Fatalf("stream %d: status %d, want 200", i+1, got)
		}
	}
	if got := open(reader); got != 429 {
		t.Errorf("one more: status %d, want 429", got)
	}
	s.send(reader, "GET", "/api/runs/"+run+"?wait_s=20", nil).is(t, "a long poll beside them", 429, "rate_limited")
	if got := open(s.builder); got != 200 {
		t.Errorf("another caller: status %d, want 200", got)
	}
}

// No answer is taken for a page, whatever a caller has written into it.
func TestAnswersAreNoPages(t *testing.T) {
	s := newSite(t)
	tests := []struct {
		name, path string
		as         credential
		status     int
	}{
		{"an answer", "/api/workspaces/" + s.ws, s.builder, 200},
		{"a refusal", "/api/tokens", s.builder, 403},
		{"a stranger's refusal", "/api/tokens", credential{}, 401},
		{"no route", "/api/<script>", s.builder, 404},
		{"a public answer", "/healthz", credential{}, 200},
	}
	for _, tt := range tests {
		a := s.send(tt.as, "GET", tt.path, nil)
		kind := a.header.Get("Content-Type")
		if a.status != tt.status || a.header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(kind, "application/") {
			t.Errorf("%s: got %d, %q of %v; want %d, JSON, and not to be sniffed", tt.name, a.status, kind, a.header, tt.status)
		}
	}
}
