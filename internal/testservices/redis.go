package testservices

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Redis starts a server that ends with the test, and returns the path of its
// unix socket.
func Redis(t testing.TB) string {
	t.Helper()
	return StartRedis(t).Addr
}

// RedisServer is a Redis that a test can take away and give back.
type RedisServer struct {
	Addr string // path of its unix socket

	dir     string
	program string
	server  *process
}

// StartRedis starts a server that ends with the test.
func StartRedis(t testing.TB) *RedisServer {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		missing(t, "Redis", "redis-server")
	}
	dir, err := os.MkdirTemp("", "ambit-redis") // a test's folder may be too long for a socket's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := removeAtExit(dir); err != nil {
		t.Fatal(err)
	}
	r := &RedisServer{Addr: filepath.Join(dir, "redis.sock"), dir: dir, program: program}
	t.Cleanup(func() { r.Kill(t) })
	r.Restart(t)
	return r
}

// Kill ends the server at once. What it held is gone.
func (r *RedisServer) Kill(t testing.TB) {
	t.Helper()
	if r.server == nil {
		return
	}
	r.server.kill()
	r.server = nil
	if err := os.Remove(r.Addr); err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}

// Restart starts the server, which must not run, and waits until it answers.
func (r *RedisServer) Restart(t testing.TB) {
	t.Helper()
	cmd := exec.Command(r.program, "--port", "0", "--unixsocket", r.Addr, "--dir", r.dir,
		"--pidfile", filepath.Join(r.dir, "redis.pid"), "--save", "", "--appendonly", "no")
	server, err := start(cmd, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	r.server = server
	if err := server.ready(r.ping); err != nil {
		t.Fatal(err)
	}
}

func (r *RedisServer) ping() error {
	conn, err := net.Dial("unix", r.Addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	answer := make([]byte, len("+PONG"))
	if _, err := conn.Read(answer); err != nil {
		return err
	}
	if string(answer) != "+PONG" {
		return fmt.Errorf("it answers %q", answer)
	}
	return nil
}
