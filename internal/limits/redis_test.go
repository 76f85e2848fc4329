package limits

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ambit/internal/clock"

	"github.com/redis/go-redis/v9"
)

func clockAt(seconds int64) clock.Time { return clock.Time(seconds * 1000) }

// server is a Redis of the test's own, on a socket.
type server struct {
	t    *testing.T
	sock string
	cmd  *exec.Cmd
}

func newServer(t *testing.T) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("REQUIRE_SERVICES") == "1" {
			t.Fatal("redis-server is missing: install the package redis-server")
		}
		t.Skip("redis-server is missing: install the package redis-server")
	}
	dir, err := os.MkdirTemp("", "redis") // short: a socket's path has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &server{t: t, sock: filepath.Join(dir, "s")}
	s.start()
	t.Cleanup(s.kill)
	return s
}

// start returns when the server answers.
func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command("redis-server", "--port", "0", "--unixsocket", s.sock, "--save", "", "--dir", filepath.Dir(s.sock))
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(strings.ToLower(lines.Text()), "ready to accept connections") {
			go func() {
				for lines.Scan() { // ends when the server does
				}
			}()
			return
		}
	}
	s.t.Fatal("redis-server ended before it was ready")
}

func (s *server) kill() {
	if s.cmd.Process.Kill() == nil {
		s.cmd.Wait()
	}
}

func (s *server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) client() *redis.Client {
	s.t.Helper()
	o, err := RedisOptions("unix://" + s.sock)
	if err != nil {
		s.t.Fatal(err)
	}
	c := redis.NewClient(o)
	s.t.Cleanup(func() { c.Close() })
	return c
}

func TestRedis(t *testing.T) {
	s := newServer(t)
	limiterSuite(t, func(t *testing.T) Limiter {
		c := s.client()
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		return steady{t, NewRedis(c, 1, time.Now)}
	})
}

// steady fails the test when a call was not answered by Redis but by the fallback.
type steady struct {
	t *testing.T
	*Redis
}

func (s steady) Allow(ctx context.Context, key string, r Rate) (bool, time.Duration) {
	defer s.check()
	return s.Redis.Allow(ctx, key, r)
}

func (s steady) Refund(ctx context.Context, key string, r Rate) {
	defer s.check()
	s.Redis.Refund(ctx, key, r)
}

func (s steady) check() {
	s.t.Helper()
	if s.Degraded() {
		s.t.Error("Degraded = true while Redis is up")
	}
}

func TestRedisCountsOverReplicas(t *testing.T) {
	s := newServer(t)
	replica := func() Limiter { return steady{t, NewRedis(s.client(), 3, time.Now)} }
	rate := Rate{Burst: 20, Per: time.Hour}
	if got := allowedOf(t, 200, rate, replica(), replica(), replica()); got != 20 {
		t.Errorf("3 replicas allowed %d of 200, want 20", got)
	}
}

// TestRedisPace rewinds what Redis keeps of the key, which is to the script as
// if time had passed.
func TestRedisPace(t *testing.T) {
	c := newServer(t).client()
	l := steady{t, NewRedis(c, 1, time.Now)}
	rewind := func(d time.Duration) {
		t.Helper()
		if err := c.IncrBy(t.Context(), keyPrefix+"k", -d.Microseconds()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	spend(t, l, "k", slow)
	rewind(time.Hour)
	first, _ := l.Allow(t.Context(), "k", slow)
	second, _ := l.Allow(t.Context(), "k", slow)
	if !first || second {
		t.Errorf("Allow an hour later = %v, %v, want true, false", first, second)
	}
	rewind(1000 * time.Hour)
	spend(t, l, "k", slow)
	if ok, _ := l.Allow(t.Context(), "k", slow); ok {
		t.Error("Allow over the burst after a long idle time = true, want false")
	}
}

// TestRedisKeysExpire: a key is gone from Redis once it is back to a full burst.
func TestRedisKeysExpire(t *testing.T) {
	c := newServer(t).client()
	l := steady{t, NewRedis(c, 1, time.Now)}
	l.Allow(t.Context(), "k", slow)
	ttl, err := c.PTTL(t.Context(), keyPrefix+"k").Result()
	if err != nil || ttl <= 59*time.Minute || ttl > time.Hour+2*time.Millisecond {
		t.Errorf("ttl of a key with one event = %v, %v, want about 1h", ttl, err)
	}
	l.Refund(t.Context(), "k", slow)
	if n := c.Exists(t.Context(), keyPrefix+"k").Val(); n != 0 {
		t.Errorf("a refunded key is still there")
	}
}

// TestRedisAway kills, freezes and brings back Redis between calls. Of a burst
// of 4, each of the 2 replicas has 2 on its own account.
func TestRedisAway(t *testing.T) {
	tests := []struct {
		name       string
		away, back func(*server)
	}{
		{"killed", (*server).kill, (*server).start},
		{"frozen", func(s *server) { s.signal(syscall.SIGSTOP) }, func(s *server) { s.signal(syscall.SIGCONT) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, h := newServer(t), newHand()
			l := NewRedis(s.client(), 2, h.now)
			if ok, _ := l.Allow(t.Context(), "k", slow); !ok || l.Degraded() {
				t.Fatalf("at first: Allow = %v, Degraded = %v, want true, false", ok, l.Degraded())
			}
			tt.away(s)
			for i := range 2 {
				if ok, _ := l.Allow(t.Context(), "k", slow); !ok {
					t.Fatalf("Allow #%d of the share = false, want true", i+1)
				}
			}
			if ok, wait := l.Allow(t.Context(), "k", slow); ok || wait != 2*time.Hour {
				t.Errorf("over the share: Allow = %v, %v, want false, 2h0m0s", ok, wait)
			}
			if !l.Degraded() {
				t.Error("Degraded = false while Redis is away")
			}
			tt.back(s)
			if !l.Check(t.Context()) {
				t.Error("Check went to Redis within the cool-down")
			}
			h.forward(coolDown)
			if l.Check(t.Context()) {
				t.Error("Degraded = true after Redis came back")
			}
			if ok, _ := l.Allow(t.Context(), "k", slow); !ok || l.Degraded() {
				t.Errorf("after it came back: Allow = %v, Degraded = %v, want true, false", ok, l.Degraded())
			}
		})
	}
}

// TestRedisCallerGone: a caller that hung up says nothing about Redis.
func TestRedisCallerGone(t *testing.T) {
	l := NewRedis(newServer(t).client(), 2, time.Now)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, _ := l.Allow(gone, "k", slow); !ok || l.Degraded() {
		t.Errorf("Allow = %v, Degraded = %v, want true, false", ok, l.Degraded())
	}
}

func TestBreaker(t *testing.T) {
	h := newHand()
	b := &breaker{now: h.now}
	want := func(step string, try, open bool) {
		t.Helper()
		if got := b.try(); got != try || b.isOpen() != open {
			t.Errorf("%s: try = %v, open = %v, want %v, %v", step, got, b.isOpen(), try, open)
		}
	}
	want("at first", true, false)
	b.report(false)
	want("after a failure", false, true)
	h.forward(coolDown)
	want("after the cool-down, the first", true, true)
	want("after the cool-down, the second", false, true)
	b.report(false)
	want("after the probe failed", false, true)
	h.forward(coolDown)
	want("the next probe", true, true)
	b.report(true)
	want("after the probe succeeded", true, false)
}

func TestRedisOptions(t *testing.T) {
	o, err := RedisOptions("redis://:secret@cache:6380/2?max_retries=7&dial_timeout=9s")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(o.Addr, o.DB, o.MaxRetries, o.DialerRetries, o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout, o.ContextTimeoutEnabled)
	if want := "cache:63802 -1 1 200ms 200ms 200ms 200ms true"; got != want {
		t.Errorf("options = %s, want %s", got, want)
	}
	for _, bad := range []string{"http://:secret@cache", "redis://:secret@ca che", "redis://:secret@cache:%zz", "redis://:secret@cache/x"} {
		if _, err := RedisOptions(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("RedisOptions(%q) = %v, want an error without the password", bad, err)
		}
	}
}
