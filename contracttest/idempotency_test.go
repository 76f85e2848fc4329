package contracttest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	headerKey      = "Idempotency-Key"
	headerReplayed = "Idempotency-Replayed"
)

// replay checks that an answer is the first one again, byte for byte.
func replay(t *testing.T, what string, first, again answer) {
	t.Helper()
	if again.status != first.status || !bytes.Equal(again.body, first.body) {
		t.Errorf("%s: got %d %s, want the first answer %d %s", what, again.status, again.body, first.status, first.body)
	}
	if again.header.Get(headerReplayed) != "true" || first.header.Get(headerReplayed) != "" {
		t.Errorf("%s: %s is %q, and was %q the first time", what, headerReplayed, again.header.Get(headerReplayed), first.header.Get(headerReplayed))
	}
}

func TestReplay(t *testing.T) {
	s := newSite(t)
	body := planBody(s.dataset)
	post := func(key, body string) answer { return s.send(s.builder, "POST", s.plans(), body, withKey(key)) }

	first := post("k", body)
	first.read(t, 201, nil)
	if got := first.header.Get(headerKey); got != "k" {
		t.Errorf("%s of the answer is %q, want k", headerKey, got)
	}
	replay(t, "the same request", first, post("k", body))
	replay(t, "the same request, written otherwise", first, post("k", " "+strings.ReplaceAll(body, ",", " ,\n ")))
	s.unchanged(t, func() {
		post("k", strings.Replace(body, `"k":2`, `"k":3`, 1)).is(t, "another body", 422, "idempotency_key_reused")
		s.send(s.builder, "POST", s.plans()+"/", body, withKey("k")).is(t, "another path", 404, "not_found")
	})
	if n := s.count(t, "plans"); n != 1 {
		t.Errorf("%d plans, want 1", n)
	}
	other := s.mint(t, "builder", s.ws, "").credential()
	theirs := s.send(other, "POST", s.plans(), body, withKey("k"))
	if theirs.status != 201 || theirs.header.Get(headerReplayed) != "" || bytes.Equal(theirs.body, first.body) {
		t.Errorf("another caller's request under the same key: got %d %s, want a plan of its own", theirs.status, theirs.body)
	}
	s.pass(25 * time.Hour)
	late := post("k", body)
	if late.status != 201 || late.header.Get(headerReplayed) != "" || bytes.Equal(late.body, first.body) {
		t.Errorf("after 24 hours: got %d %s, want another plan", late.status, late.body)
	}
}

// A launch under one key takes one run, however often it is sent.
func TestReplayOfALaunch(t *testing.T) {
	s := newSite(t)
	plan := s.plan(t, s.builder, s.ws, s.dataset)
	launch := func(key string) answer {
		return s.send(s.builder, "POST", "/api/plans/"+plan+"/launch", nil, withKey(key))
	}
	first := launch("k")
	first.read(t, 201, nil)
	for range 3 {
		replay(t, "the launch again", first, launch("k"))
	}
	launch("another").is(t, "the launch under another key", 409, "plan_already_launched")
	if used := s.used(t, s.builder); used.Concurrent.Used != 1 || used.Daily.Used != 1 {
		t.Errorf("budget used: %+v, want 1 and 1", used)
	}
	s.send(s.builder, "POST", "/api/plans/"+plan+"/cancel", nil, withKey("k")).is(t, "the key on another route", 422, "idempotency_key_reused")
}

// Only what succeeded is kept: a request that was refused may be put right
// under its key.
func TestRefusalsAreNotKept(t *testing.T) {
	s := newSite(t)
	good := planBody(s.dataset)
	s.send(s.builder, "POST", s.plans(), strings.Replace(good, `"class"`, `"klass"`, 1), withKey("k")).is(t, "a wrong target", 422, "invalid")
	if a := s.send(s.builder, "POST", s.plans(), good, withKey("k")); a.status != 201 || a.header.Get(headerReplayed) != "" {
		t.Errorf("put right: got %d %s, want 201", a.status, a.body)
	}
}

// A key that the MCP layer derived stands for the same call for 10 minutes.
// Then the call acts again, under a key of its own that is told.
func TestDerivedKeys(t *testing.T) {
	s := newSite(t)
	derived := withHeader("X-Ambit-Key", "derived")
	post := func(key string, change ...func(*http.Request)) answer {
		return s.send(s.builder, "POST", s.plans(), planBody(s.dataset), append(change, withKey(key))...)
	}
	first := post("d", derived)
	first.read(t, 201, nil)
	s.pass(9 * time.Minute)
	replay(t, "9 minutes later", first, post("d", derived))

	s.pass(2 * time.Minute)
	second := post("d", derived)
	second.read(t, 201, nil)
	if got := second.header.Get(headerKey); got != "d.2" || second.header.Get(headerReplayed) != "" || bytes.Equal(second.body, first.body) {
		t.Errorf("11 minutes later: got key %q, %q %s; want d.2 and another plan", got, second.header.Get(headerReplayed), second.body)
	}
	again := post("d", derived)
	replay(t, "at once again", second, again)
	if got := again.header.Get(headerKey); got != "d.2" {
		t.Errorf("at once again: key %q, want d.2", got)
	}
	s.pass(11 * time.Minute)
	if third := post("d", derived); third.status != 201 || third.header.Get(headerKey) != "d.3" {
		t.Errorf("22 minutes later: got %d, key %q; want 201 under d.3", third.status, third.header.Get(headerKey))
	}
	replay(t, "the first key, given explicitly", first, post("d"))
	replay(t, "the second key, given explicitly", second, post("d.2"))
	if n := s.count(t, "plans"); n != 3 {
		t.Errorf("%d plans, want 3", n)
	}
}

// While a request is under way its key is taken: another is told at once to
// come again, and nothing waits. The first is held open by a body that does not end.
func TestKeyInUse(t *testing.T) {
	s := newSite(t)
	path := "/api/workspaces/" + s.ws + "/datasets"
	whole := upload("slow", "slow.csv", separable(200))
	reader, writer := io.Pipe()
	done := make(chan answer, 1)
	go func() {
		done <- s.send(cli, "POST", path, form{kind: whole.kind}, withKey("k"), func(r *http.Request) {
			r.Body, r.ContentLength = reader, -1
		})
	}()
	half := len(whole.body) / 2
	if _, err := writer.Write(whole.body[:half]); err != nil {
		t.Fatal(err)
	}
	// Whoever comes before the first has its key is refused for its name.
	var taken answer
	for taken = range s.until(t, func() answer { return s.send(cli, "POST", path, upload("", "t.csv", nil), withKey("k")) }) {
		if taken.code() != "invalid" {
			break
		}
	}
	taken.is(t, "while the first is under way", 409, "idempotency_key_in_use")
	if taken.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if _, err := writer.Write(whole.body[half:]); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	first := <-done
	first.read(t, 201, nil)
	replay(t, "after it", first, s.send(cli, "POST", path, whole, withKey("k")))
	s.send(cli, "POST", path, upload("slow", "slow.csv", separable(201)), withKey("k")).is(t, "another file", 422, "idempotency_key_reused")
}

// until asks again and again until the test has run out of patience.
func (s *server) until(t testing.TB, ask func() answer) func(func(answer) bool) {
	return func(yield func(answer) bool) {
		for end := time.Now().Add(patience); time.Now().Before(end); {
			if !yield(ask()) {
				return
			}
		}
		t.Error("it did not come to that")
	}
}

// Fifty of one request at once act once: each gets the one answer, or is told
// that the first is under way.
func TestOneKeyAtOnce(t *testing.T) {
	s := newSite(t)
	answers := together(50, func(int) answer {
		return s.send(s.builder, "POST", s.plans(), planBody(s.dataset), withKey("k"))
	})
	var made []string
	for _, a := range answers {
		switch {
		case a.status == 201:
			made = append(made, string(a.body))
		case a.code() != "idempotency_key_in_use":
			t.Errorf("got %d %s %v, want 201 or idempotency_key_in_use", a.status, a.body, a.err)
		}
	}
	slices.Sort(made)
	if kinds := slices.Compact(made); len(kinds) != 1 {
		t.Errorf("%d different answers, want 1: %q", len(kinds), kinds)
	}
	if n := s.count(t, "plans"); n != 1 {
		t.Errorf("%d plans, want 1", n)
	}
}

// together runs f n times at once.
func together(n int, f func(i int) answer) []answer {
	answers := make([]answer, n)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			answers[i] = f(i)
		})
	}
	close(begin)
	wg.Wait()
	return answers
}

// A secret is shown once: its replay says that it is lost, and no file has it.
func TestSecretsAreNotKept(t *testing.T) {
	s := newSite(t)
	person := s.person(t, "second@ambit.test", "viewer", s.ws)
	tests := []struct {
		name, path, body string
		member           string
	}{
		{"token", "/api/tokens", fmt.Sprintf(`{"name":"t","scope":"read","workspace_ids":[%q]}`, s.ws), "token"},
		{"sign-in link", "/api/people/" + person + "/link", "", "secret"},
	}
	for _, tt := range tests {
		post := func() answer {
			var body any
			if tt.body != "" {
				body = tt.body
			}
			return s.send(cli, "POST", tt.path, body, withKey(tt.name[:4]))
		}
		var first, again map[string]any
		post().read(t, 201, &first)
		a := post()
		a.read(t, 201, &again)
		secret, _ := first[tt.member].(string)
		if secret == "" || again[tt.member] != nil || again["secret_lost"] != true || a.header.Get(headerReplayed) != "true" {
			t.Errorf("%s: first %v, again %v; want the secret once, and that it is lost", tt.name, first, again)
		}
		for _, file := range []string{"ambit.db", "ambit.db-wal"} {
			raw, err := os.ReadFile(filepath.Join(s.data, file))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if secret != "" && bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s: %s holds the secret", tt.name, file)
			}
		}
	}
}

// A replay is authorized again: a token that was revoked gets none.
func TestRevokedTokenGetsNoReplay(t *testing.T) {
	s := newSite(t)
	post := func() answer { return s.send(s.builder, "POST", s.plans(), planBody(s.dataset), withKey("k")) }
	post().read(t, 201, nil)
	s.send(cli, "POST", "/api/tokens/"+s.token.ID+"/revoke", nil).read(t, 200, nil)
	post().is(t, "the same request of a revoked token", 401, "unauthenticated")
}
