package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ambit/internal/idempotency"
	"ambit/internal/store"
)

// hammer is a server that is killed, and what its clients saw.
type hammer struct {
	config   store.Config
	settings killSettings
	client   *http.Client
	kills    int // at random, to come to

	mu       sync.Mutex
	life     *life
	progress chan struct{}  // closed when a request has an outcome, or the server dies
	died     map[string]int // at failpoints

	keys, atRandom                                               atomic.Int64
	sent, created, replayed, inUse, reused, refused, unavailable atomic.Int64
	broken                                                       atomic.Int64
	answers                                                      sync.Map // key to the body of its answer
}

// life is one server process.
type life struct {
	cmd    *exec.Cmd
	killed bool
	ready  chan struct{} // closed when it answers
	dead   chan struct{} // closed when it has ended
}

func newHammer(t *testing.T, c store.Config, naive bool, kills int) *hammer {
	t.Helper()
	db, err := store.Open(t.Context(), c)
	must(t, err)
	basics(t, db)
	aRun(t, db, "ws_1", "ds_1", "rn_1")
	must(t, db.Close())
	h := &hammer{
		config: c, settings: killSettings{Dir: c.Dir, URL: c.URL, Socket: filepath.Join(t.TempDir(), "s"), Naive: naive}, kills: kills,
		life: newLife(), progress: make(chan struct{}), died: map[string]int{},
	}
	h.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", h.settings.Socket)
	}}}
	return h
}

func newLife() *life { return &life{ready: make(chan struct{}), dead: make(chan struct{})} }

func (h *hammer) String() string {
	return fmt.Sprintf("%d kills at random, at failpoints %v; %d keys, %d requests: %d created, %d replayed, %d in use, %d reused, %d refused, %d unavailable, %d broken",
		h.atRandom.Load(), h.died, h.keys.Load(), h.sent.Load(), h.created.Load(), h.replayed.Load(), h.inUse.Load(),
		h.reused.Load(), h.refused.Load(), h.unavailable.Load(), h.broken.Load())
}

// run sends keys until the server was killed often enough.
func (h *hammer) run(t *testing.T) {
	t.Helper()
	over := make(chan struct{})
	var server, clients sync.WaitGroup
	server.Go(func() { h.supervise(t, over) })
	for range 8 {
		clients.Go(func() {
			for !t.Failed() && !h.enough() {
				h.exchange(t, h.keys.Add(1))
			}
		})
	}
	clients.Wait()
	close(over)
	h.kill()
	server.Wait()
}

// enough reports whether the server has died as often as it was to: twice at
// each failpoint, and at random.
func (h *hammer) enough() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, point := range failpoints {
		if h.died[point] < 2 {
			return false
		}
	}
	return h.atRandom.Load() >= int64(h.kills)
}

// supervise keeps a server running until over is closed.
func (h *hammer) supervise(t *testing.T, over <-chan struct{}) {
	for {
		if err := h.live(); err != nil {
			t.Error(err)
		}
		h.mu.Lock()
		close(h.life.dead)
		h.life = newLife()
		h.mu.Unlock()
		h.moved()
		select {
		case <-over:
			return
		default:
		}
	}
}

// live starts a server and waits until it has died.
func (h *hammer) live() error {
	settings, err := json.Marshal(h.settings)
	if err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestKillServer$", "-test.timeout", "0")
	cmd.Env = append(os.Environ(), killEnv+"="+string(settings))
	if _, err := cmd.StdinPipe(); err != nil { // the server dies when we do
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "READY" {
		first, rest := lines.Text(), strings.Builder{}
		for lines.Scan() {
			rest.WriteString(lines.Text() + "\n")
		}
		return fmt.Errorf("the server said %q and %s (%v)", first, rest.String(), cmd.Wait())
	}
	h.mu.Lock()
	h.life.cmd = cmd
	close(h.life.ready)
	h.mu.Unlock()
	for lines.Scan() {
		h.mu.Lock()
		h.died[lines.Text()]++
		h.mu.Unlock()
	}
	cmd.Wait()
	return nil
}

// kill kills the present server, and reports whether that was alive.
func (h *hammer) kill() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.life
	if l.cmd == nil || l.killed || l.cmd.Process.Kill() != nil {
		return false
	}
	l.killed = true
	return true
}

// moved wakes those who wait for something to happen.
func (h *hammer) moved() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.progress)
	h.progress = make(chan struct{})
}

// now returns the present server, and what is closed when something happens next.
func (h *hammer) now() (*life, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.life, h.progress
}

// exchange sends a key until it is answered. Every fifth is sent by three at
// the same time; every seventh is then sent with another request.
func (h *hammer) exchange(t *testing.T, n int64) {
	key, point := fmt.Sprint("key-", n), ""
	h.mu.Lock()
	if p := failpoints[n%int64(len(failpoints))]; h.died[p] < 2 {
		point = p
	}
	h.mu.Unlock()
	var senders sync.WaitGroup
	for i := range map[bool]int{true: 3, false: 1}[n%5 == 0] {
		senders.Go(func() { h.send(t, key, fmt.Sprintf(`{"a":%d,"b":%d}`, n, n), map[bool]string{true: point}[i == 0]) })
	}
	senders.Wait()
	if n%7 == 0 {
		h.send(t, key, `{"another":"request"}`, "")
	}
}

// send sends a request until it has an outcome. One in twelve is followed by a
// kill, which meets the requests of others on their way.
func (h *hammer) send(t *testing.T, key, body, point string) {
	for !t.Failed() {
		present, progress := h.now()
		select {
		case <-present.ready:
		case <-present.dead:
			continue
		}
		if h.atRandom.Load() < int64(h.kills) && rand.IntN(12) == 0 && h.kill() {
			h.atRandom.Add(1)
		}
		h.sent.Add(1)
		status, answer, replayed := h.post(key, body, point)
		done := h.note(t, key, status, answer, replayed)
		switch {
		case done:
			h.moved()
			return
		case status == 0:
			point = "" // it may have served
			<-present.dead
		case status == http.StatusConflict:
			<-progress
		default:
			h.moved()
		}
	}
}

// post sends one request; status 0 says that the connection broke.
func (h *hammer) post(key, body, point string) (status int, answer string, replayed bool) {
	r, err := http.NewRequest("POST", "http://server/add", strings.NewReader(body))
	if err != nil {
		return 0, "", false
	}
	r.Header.Set(idempotency.Header, key)
	r.Header.Set("X-Failpoint", point)
	res, err := h.client.Do(r)
	if err != nil {
		return 0, "", false
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", false
	}
	return res.StatusCode, string(raw), res.Header.Get("Idempotency-Replayed") == "true"
}

// note counts an outcome and reports whether it is the last one of its request.
func (h *hammer) note(t *testing.T, key string, status int, answer string, replayed bool) bool {
	switch status {
	case http.StatusCreated:
		h.created.Add(1)
		if replayed {
			h.replayed.Add(1)
		}
		if first, loaded := h.answers.LoadOrStore(key, answer); loaded && first != answer && !h.settings.Naive {
			t.Errorf("%s: got %s, was first %s", key, answer, first)
		}
		return true
	case http.StatusUnprocessableEntity:
		h.reused.Add(1)
		return true
	case http.StatusConflict:
		h.inUse.Add(1)
	case http.StatusTooManyRequests:
		h.refused.Add(1)
	case http.StatusServiceUnavailable:
		h.unavailable.Add(1)
	case 0:
		h.broken.Add(1)
	default:
		t.Errorf("%s: status %d: %s", key, status, answer)
	}
	return false
}
