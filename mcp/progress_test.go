package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ambit/internal/clock"
	"ambit/mcp"
	"ambit/scopes"
)

const (
	concurrent = 40 // calls at once
	steps      = 20 // progress messages of each
)

// advance makes each run 1/21 done further whenever it is asked for, and ended
// at the 21st time.
func advance(b *backend) {
	var mu sync.Mutex
	asked := map[string]int{}
	b.answer(scopes.RunGet, func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimPrefix(r.URL.Path, "/api/runs/")
		mu.Lock()
		asked[id]++
		n := asked[id]
		mu.Unlock()
		state := "running"
		if n > steps {
			state = "succeeded"
		}
		fmt.Fprintf(w, `{"id":%q,"state":%q,"phase":"gbtree","progress":%g,"last_seq":%d}`, id, state, float64(n)/(steps+1), n)
	})
}

func watch(i int) string {
	return toolCall(i, "run_status", fmt.Sprintf(`{"run_id":"run_%d","wait_s":20}`, i), fmt.Sprintf(`"progressToken":"p%d"`, i))
}

// checkStream looks at the messages of one call, in their order.
func checkStream(t *testing.T, i int, all []message) {
	t.Helper()
	if len(all) != steps+1 {
		t.Errorf("call %d: %d messages, want %d and the result", i, len(all), steps)
		return
	}
	last := 0.0
	for _, m := range all[:steps] {
		if string(m.Params.Token) != fmt.Sprintf(`"p%d"`, i) || m.Method != "notifications/progress" || m.Params.Progress <= last {
			t.Errorf("call %d: a message that is not its own, or goes back: %+v", i, m)
		}
		last = m.Params.Progress
	}
	if r := resultOf(t, all[steps]); string(all[steps].ID) != fmt.Sprint(i) || r.IsError || !strings.HasPrefix(r.text(), "The run succeeded") {
		t.Errorf("call %d: result %s %s", i, all[steps].ID, r.text())
	}
}

// None is lost, misplaced, or after the result.
func TestProgressOverHTTP(t *testing.T) {
	h := newHost(t, func(c *mcp.Config) { c.Hosts = []string{"127.0.0.1"} })
	advance(h.backend)
	srv := httptest.NewServer(h)
	defer srv.Close()
	var wg sync.WaitGroup
	for i := 1; i <= concurrent; i++ {
		wg.Go(func() {
			r := post(readToken, watch(i))
			r.RequestURI, r.URL.Host, r.Host = "", srv.Listener.Addr().String(), ""
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			checkStream(t, i, messages(t, resp.Header.Get("Content-Type"), string(body)))
		})
	}
	wg.Wait()
}

func TestProgressOverStdio(t *testing.T) {
	s := startStdio(t)
	advance(s.backend)
	for i := 1; i <= concurrent; i++ {
		s.send(watch(i))
	}
	streams, ended := map[string][]message{}, 0
	for ended < concurrent {
		m := s.next()
		of := strings.Trim(string(m.Params.Token), `"`)
		if m.ID != nil {
			of, ended = "p"+string(m.ID), ended+1
		}
		streams[of] = append(streams[of], m)
	}
	for i := 1; i <= concurrent; i++ {
		checkStream(t, i, streams[fmt.Sprintf("p%d", i)])
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
	if n := len(s.rest()); n != 0 {
		t.Errorf("%d messages after the results", n)
	}
}

func TestNoProgressUnlessAsked(t *testing.T) {
	h := newHost(t)
	advance(h.backend)
	w := h.do(post(readToken, toolCall(1, "run_status", `{"run_id":"run_1","wait_s":20}`, "")))
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("without a progress token the answer is %q, want application/json", got)
	}
}

// A token comes back as it was sent, a number as a number.
func TestProgressTokens(t *testing.T) {
	for _, token := range []string{`7`, `"7"`, `0`} {
		h := newHost(t)
		advance(h.backend)
		w := h.do(post(readToken, toolCall(1, "run_status", `{"run_id":"run_1","wait_s":20}`, `"progressToken":`+token)))
		all := messages(t, w.Header().Get("Content-Type"), w.Body.String())
		if got := string(all[0].Params.Token); len(all) != steps+1 || got != token {
			t.Errorf("token %s: %d messages, token %s", token, len(all), got)
		}
	}
}

func TestWaitingAsksForWhatIsNew(t *testing.T) {
	h := newHost(t)
	advance(h.backend)
	if r := h.call(t, readToken, "run_status", `{"run_id":"run_1","wait_s":20}`); r.IsError {
		t.Fatal(r.text())
	}
	got := h.of(scopes.RunGet)
	if len(got) != steps+1 || got[0].line != "GET /api/runs/run_1" || !strings.HasPrefix(got[1].line, "GET /api/runs/run_1?after_seq=1&wait_s=") ||
		!strings.HasPrefix(got[2].line, "GET /api/runs/run_1?after_seq=2&wait_s=") {
		t.Errorf("%d polls, the first three: %+v", len(got), got[:3])
	}
}

// When the time is up, the run is told as it is.
func TestWaitingEnds(t *testing.T) {
	var now atomic.Int64
	h := newHost(t, func(c *mcp.Config) {
		c.Now = func() clock.Time { return clock.Time(now.Add(400)) } // every look at the clock takes 0.4 s
	})
	h.answer(scopes.RunGet, say(200, `{"id":"run_1","state":"running","phase":"floor","progress":0.5,"last_seq":3}`))
	r := h.call(t, readToken, "run_status", `{"run_id":"run_1","wait_s":2}`)
	if want := "The run is running, 50% done (floor). Ask again with wait_s."; r.IsError || !strings.HasPrefix(r.text(), want) {
		t.Errorf("after the wait: %q, want %q", r.text(), want)
	}
	if got := len(h.of(scopes.RunGet)); got != 3 {
		t.Errorf("%d polls, want 3: one at once, two of 0.8 s and more", got)
	}
}
