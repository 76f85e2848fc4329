package contracttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ambit/internal/app"
	"ambit/internal/clock"
)

// patience is how long a request may take before the test gives up on it. It
// decides nothing: what takes so long hangs.
const patience = 60 * time.Second

// server is Ambit as it runs: it listens, and has its operator's socket.
type server struct {
	*app.App
	url      string
	data     string
	ahead    *atomic.Int64 // milliseconds that the server's clock is ahead
	public   *http.Client
	operator *http.Client // over the operator's socket
}

// start runs a server until the test ends. It trains nothing unless the test
// asks for workers, so that runs stay where a test put them.
func start(t testing.TB, change ...func(*app.Config)) *server {
	t.Helper()
	s := &server{data: t.TempDir(), ahead: &atomic.Int64{}}
	cfg := app.Default()
	cfg.Data, cfg.Addr, cfg.Version, cfg.TrainWorkers = s.data, "127.0.0.1:0", "0.0.0-test", 0
	cfg.Command = []string{os.Args[0]}
	cfg.Now = func() clock.Time { return clock.Now() + clock.Time(s.ahead.Load()) }
	cfg.Log = slog.New(slog.NewTextHandler(logTo{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for _, f := range change {
		f(&cfg)
	}
	var err error
	if s.App, err = app.New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	s.run(t)
	s.public = httpClient("")
	s.operator = httpClient(app.OperatorSocket(s.data))
	t.Cleanup(func() { app.RemoveData(s.data) }) // folders of tables are read-only
	t.Cleanup(s.public.CloseIdleConnections)
	return s
}

// run serves until the test ends, and waits for that.
func (s *server) run(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- s.Serve(ctx, func(url string) error { ready <- url; return nil })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve = %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	select {
	case s.url = <-ready:
	case err := <-ended:
		ended <- nil
		t.Fatalf("Serve = %v", err)
	}
}

// pass moves the server's clock ahead.
func (s *server) pass(d time.Duration) { s.ahead.Add(d.Milliseconds()) }

// logTo shows the server's warnings beside the test that caused them.
type logTo struct{ t testing.TB }

func (l logTo) Write(p []byte) (int, error) {
	if l.t.Context().Err() == nil { // a test that is over takes no log
		l.t.Log(strings.TrimSpace(string(p)))
	}
	return len(p), nil
}

// httpClient follows no redirect: there are none. A socket leads to the
// operator's side.
func httpClient(socket string) *http.Client {
	tr := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	if socket != "" {
		tr.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}
	}
	return &http.Client{
		Transport: tr, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// credential is what a request proves its caller with. The zero value is none.
type credential struct {
	bearer string
	cookie string
	cli    bool // over the operator's socket
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
}

func (a answer) code() string {
	var doc struct {
		Code string `json:"code"`
	}
	json.Unmarshal(a.body, &doc) // what is no JSON has no code
	return doc.Code
}

// read decodes an answer of the wanted status.
func (a answer) read(t testing.TB, status int, into any) {
	t.Helper()
	if a.err != nil || a.status != status {
		t.Fatalf("got %d %v %s, want %d", a.status, a.err, a.body, status)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
}

// is checks the status and the code of an answer.
func (a answer) is(t testing.TB, what string, status int, code string) {
	t.Helper()
	if a.err != nil || a.status != status || a.code() != code {
		t.Errorf("%s: got %d %q (%v), want %d %q: %s", what, a.status, a.code(), a.err, status, code, a.body)
	}
}

// send makes a request as it would come from any client. The path goes on the
// wire as it is; a string body is sent as JSON.
func (s *server) send(as credential, method, path string, body any, change ...func(*http.Request)) answer {
	req, err := s.request(as, method, path, body)
	if err != nil {
		return answer{err: err}
	}
	for _, f := range change {
		f(req)
	}
	client := s.public
	if as.cli {
		client = s.operator
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, raw, err}
}

func (s *server) request(as credential, method, path string, body any) (*http.Request, error) {
	var reader io.Reader
	kind := "application/json"
	switch b := body.(type) {
	case nil:
		kind = ""
	case string:
		reader = strings.NewReader(b)
	case form:
		reader, kind = bytes.NewReader(b.body), b.kind
	default:
		return nil, errors.New("a body is a string or a form")
	}
	req, err := http.NewRequest(method, s.url+"/", reader)
	if err != nil {
		return nil, err
	}
	req.URL = onTheWire(req.URL, path)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if as.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+as.bearer)
	}
	if as.cookie != "" {
		req.Header.Set("Cookie", "ambit_session="+as.cookie)
	}
	return req, nil
}

// onTheWire is the URL of a path that no library cleans or encodes again.
func onTheWire(u *url.URL, path string) *url.URL {
	path, query, _ := strings.Cut(path, "?")
	out := &url.URL{Scheme: u.Scheme, Host: u.Host, Opaque: path, RawQuery: query}
	if strings.HasPrefix(path, "//") { // Go takes it for a host
		out.Opaque = "//" + u.Host + path
	}
	return out
}

// withKey sets an Idempotency-Key.
func withKey(key string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}

// withHeader sets a header.
func withHeader(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}
