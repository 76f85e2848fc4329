package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ambit/internal/app"
)

// TestMain lets the test binary stand in for the program: a server of a test is
// a process of its own, and so are its children.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main()
	}
	os.Exit(m.Run())
}

// result is what became of a command.
type result struct {
	code     int
	out, err string
}

// ambit runs a command in this process.
func ambit(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, streams{strings.NewReader(stdin), &out, &errs})
	return result{code, out.String(), errs.String()}
}

// ok returns the output of a command that must succeed, and decodes it.
func (r result) ok(t testing.TB, into any) string {
	t.Helper()
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit %d, stderr %q; want 0 and nothing", r.code, r.err)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(r.out), into); err != nil {
			t.Fatalf("%v in %s", err, r.out)
		}
	}
	return r.out
}

// refused checks that a command exits 1, with a problem document and nothing else.
func (r result) refused(t testing.TB, what, code string) {
	t.Helper()
	var problem struct{ Code, Detail string }
	if err := json.Unmarshal([]byte(r.err), &problem); err != nil || r.code != 1 || r.out != "" || problem.Code != code || problem.Detail == "" {
		t.Errorf("%s: exit %d, stdout %q, stderr %q; want 1 and a problem document with code %s", what, r.code, r.out, r.err, code)
	}
}

// dataFolder is a folder that goes with the test, read-only tables and all. Its
// path is short: a socket's name must fit.
func dataFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ambit-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.RemoveData(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// server is "ambit serve" as a process of its own.
type server struct {
	url   string
	data  string
	cmd   *exec.Cmd
	log   bytes.Buffer // what it wrote; read it when ended is closed
	ended chan struct{}
}

// serve starts a server, and waits until it answers. It ends with the test.
func serve(t testing.TB, data string, args ...string) *server {
	t.Helper()
	s := &server{data: data, ended: make(chan struct{})}
	args = append([]string{"serve", "--addr", "127.0.0.1:0", "--ready-file", s.readyFile(), "--data", data}, args...)
	s.cmd = exec.Command(os.Args[0], args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.cmd.Wait(); close(s.ended) }()
	t.Cleanup(func() { s.cmd.Process.Kill(); <-s.ended })
	s.url = s.ready(t)
	return s
}

func (s *server) readyFile() string { return filepath.Join(s.data, "ready.json") }

// ready waits for the ready file of this server and returns the address in it.
func (s *server) ready(t testing.TB) string {
	t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		if url := s.readReady(t); url != "" {
			return url
		}
		select {
		case <-s.ended:
			t.Fatalf("the server ended: %s", s.log.String())
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-again.C:
		}
	}
}

// readReady returns the address in the ready file, or "" if that is not there or
// another server's.
func (s *server) readReady(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile(s.readyFile())
	if err != nil {
		return ""
	}
	var ready struct {
		URL string
		PID int
	}
	if err := json.Unmarshal(raw, &ready); err != nil {
		t.Fatalf("half a ready file: %v in %s", err, raw)
	}
	if ready.PID != s.cmd.Process.Pid {
		return ""
	}
	return ready.URL
}

// stop asks the server to end, waits for it and returns what it wrote.
func (s *server) stop(t testing.TB) string {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("SIGTERM: exit %d, want 0: %s", code, s.log.String())
	}
	return s.log.String()
}

// setupSecret is the one-time secret in a server's output, or "".
func setupSecret(log string) string {
	if found := regexp.MustCompile(`"secret":"([^"]+)"`).FindStringSubmatch(log); found != nil {
		return found[1]
	}
	return ""
}

// call sends a JSON request and decodes the answer.
func (s *server) call(t testing.TB, c *http.Client, method, path, bearer, body string, into any) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
		req.Header.Set("Idempotency-Key", t.Name()+path)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, raw)
		}
	}
	return resp.StatusCode
}

// overSocketOf is a client of the operator's side of a server.
func (s *server) overSocketOf(t testing.TB) *http.Client {
	t.Helper()
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", app.OperatorSocket(s.data))
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// write puts a file into a test's folder.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
