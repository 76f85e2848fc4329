package killtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"ambit/internal/app"
)

// orders is what a test tells its server.
type orders struct {
	Data     string
	Database string // PostgreSQL's URL; empty is SQLite
	Fail     string // where the server kills itself; see failing
}

// lease is short, so that a test does not wait long for what a dead server held.
const lease = 6 * time.Second

// serveMain is the server: the whole of Ambit, as the program puts it together.
func serveMain(raw string) int {
	var o orders
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, o orders) error {
	cfg := app.Default()
	cfg.Data, cfg.DatabaseURL, cfg.Addr, cfg.Version = o.Data, o.Database, "127.0.0.1:0", "0.0.0-test"
	cfg.Command, cfg.TrainWorkers, cfg.LogLevel, cfg.Lease = []string{os.Args[0]}, 2, "error", lease
	if o.Fail != "" {
		cfg.Replays = failing(o.Fail)
	}
	a, err := app.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer a.Close()
	return a.Serve(ctx, func(url string) error {
		ready := os.NewFile(3, "ready")
		defer ready.Close()
		_, err := ready.WriteString(url)
		return err
	})
}

// server is a running server.
type server struct {
	url   string
	cmd   *exec.Cmd
	log   bytes.Buffer  // read it when ended is closed
	ended chan struct{} // closed when the process is gone
}

// start starts a server and waits until it answers.
func start(t testing.TB, o orders) *server {
	t.Helper()
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{cmd: exec.Command(os.Args[0], "serve", string(raw)), ended: make(chan struct{})}
	s.cmd.Stderr = &s.log
	ready, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	s.cmd.ExtraFiles = []*os.File{says}
	err = s.cmd.Start()
	says.Close() // the server has its own
	if err != nil {
		t.Fatal(err)
	}
	go func() { s.cmd.Wait(); close(s.ended) }()
	t.Cleanup(s.kill)
	var url bytes.Buffer
	url.ReadFrom(ready) // ends when the server has said it, or is gone
	if s.url = url.String(); s.url == "" {
		<-s.ended
		t.Fatalf("the server ended: %s", s.log.String())
	}
	return s
}

// kill ends the server as a power cut would, and waits until it is gone.
func (s *server) kill() {
	s.cmd.Process.Kill()
	<-s.ended
}
