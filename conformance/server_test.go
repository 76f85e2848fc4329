package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// server is "ambit serve" with one workspace, and tokens for it.
type server struct {
	program, data string
	url           string // of the server
	proxy         string // of the proxy that adds the builder's token
	workspace     string
	builder, read string // tokens
	revoked       string // a token that was good once
}

// serve builds the program and starts it, with the proxy before it. Both end
// with the test.
func serve(t *testing.T) *server {
	t.Helper()
	s := &server{program: build(t), data: t.TempDir()}
	proxy := httptest.NewUnstartedServer(nil)
	t.Cleanup(proxy.Close)
	s.proxy = "http://" + proxy.Listener.Addr().String()
	// The suite calls with the proxy's address as its origin, and wants that served.
	s.start(t, "serve", "--addr", "127.0.0.1:0", "--allowed-origins", s.proxy)
	s.mint(t)
	proxy.Config.Handler = withToken(t, s.url, s.builder)
	proxy.Start()
	return s
}

// build builds the program as the test was built: a test with -race shares its
// compiled packages, and looks for races in the program.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "ambit")
	args := []string{"build", "-buildvcs=false", "-o", program}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race")
	}
	if out, err := exec.CommandContext(t.Context(), "go", append(args, "ambit/cmd/ambit")...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// untilInputEnds runs a command until its own standard input ends, and exits as
// the command does. The input is a pipe of the test's, so the command ends with
// the test, however that ends.
const untilInputEnds = `exec 3<&0; "$@" & pid=$!; { cat; kill $pid; } <&3 >/dev/null 2>&1 & wait $pid`

// start starts the server and waits until it answers. It must end well.
func (s *server) start(t *testing.T, args ...string) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready.json")
	args = append(args, "--data", s.data, "--log-level", "warn", "--ready-file", ready)
	cmd := exec.Command("/bin/sh", append([]string{"-c", untilInputEnds, "sh", s.program}, args...)...)
	var log bytes.Buffer // read it when ended is closed
	cmd.Stdout, cmd.Stderr, cmd.Env = &log, &log, environment()
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); err = cmd.Wait() }()
	t.Cleanup(func() {
		input.Close()
		if <-ended; err != nil {
			t.Errorf("ambit serve: %v\n%s", err, &log)
		}
	})
	s.url = address(t, ready, ended)
}

// address waits for the file that says where the server is.
func address(t *testing.T, ready string, ended <-chan struct{}) string {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		if raw, err := os.ReadFile(ready); err == nil {
			var at struct{ URL string }
			decode(t, string(raw), &at)
			return at.URL
		}
		select {
		case <-ended:
			t.Fatal("ambit serve ended before it answered")
		case <-again.C:
		}
	}
}

// mint has the host's operator make a workspace, a person and tokens.
func (s *server) mint(t *testing.T) {
	t.Helper()
	s.workspace = s.operate(t, "workspace", "add", "--name", "conformance").ID
	s.operate(t, "person", "add", "--email", "admin@example.com", "--role", "admin")
	token := func(scope string) made {
		return s.operate(t, "token", "mint", "--scope", scope, "--workspace", s.workspace)
	}
	s.builder, s.read = token("builder").Token, token("read").Token
	gone := token("builder")
	s.revoked = gone.Token
	s.operate(t, "token", "revoke", gone.ID)
}

// made is what the operator says of what it made.
type made struct{ ID, Token string }

// operate runs a command of the host's operator.
func (s *server) operate(t *testing.T, args ...string) made {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.program, append(args, "--json", "--data", s.data)...)
	cmd.Env = environment()
	got := finish(t, cmd)
	if got.code != 0 {
		t.Fatalf("ambit %s: exit code %d\n%s", strings.Join(args, " "), got.code, got.stderr)
	}
	var m made
	decode(t, got.stdout, &m)
	return m
}

// environment is the test's own without settings of Ambit.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "AMBIT_") })
}

// withToken passes requests on with a token, which the suite has no way to send.
// All else is passed on as it came: what the suite sees is the server.
func withToken(t *testing.T, to, token string) http.Handler {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Once an answer begins, Go's server closes a body that was not read to
		// its end, and the answer would break off: read it all first.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		pass.ServeHTTP(w, r)
	})
}

// answer is what the server said to a message.
type answer struct {
	header http.Header
	body   string
	Error  struct{ Code int }
}

// ask sends a message without a program in between.
func (s *server) ask(t *testing.T, method, params string) answer {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	resp, err := http.Post(s.proxy+"/mcp", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{header: resp.Header, body: string(raw)}
	decode(t, a.body, &a)
	return a
}

func decode(t *testing.T, raw string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), into); err != nil {
		t.Fatalf("%v in:\n%s", err, raw)
	}
}
