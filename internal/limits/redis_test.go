package limits

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ambit/internal/testservices"

	"github.com/redis/go-redis/v9"
)

// patient is how long tests wait for a Redis that answers: a busy machine must
// not look like an outage.
const patient = time.Minute

// newClient returns a client of the server, which waits for it as long as said.
func newClient(t *testing.T, s *testservices.RedisServer, wait time.Duration) *redis.Client {
	t.Helper()
	o, err := RedisOptions("unix://" + s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = wait, wait, wait, wait
	c := redis.NewClient(o)
	t.Cleanup(func() { c.Close() })
	return c
}

// newRedis returns a limiter that waits for Redis as long as said.
func newRedis(client *redis.Client, replicas int, now func() time.Time, wait time.Duration) *Redis {
	l := NewRedis(client, replicas, now)
	l.patience = wait
	return l
}

// process returns the server's process.
func process(t *testing.T, s *testservices.RedisServer) *os.Process {
	t.Helper()
	info, err := newClient(t, s, patient).InfoMap(t.Context(), "server").Result()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(info["Server"]["process_id"])
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRedis(t *testing.T) {
	s := testservices.StartRedis(t)
	limiterSuite(t, func(t *testing.T) Limiter {
		c := newClient(t, s, patient)
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		return steady{t, newRedis(c, 1, time.Now, patient)}
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
	s := testservices.StartRedis(t)
	replica := func() Limiter { return steady{t, newRedis(newClient(t, s, patient), 3, time.Now, patient)} }
	rate := Rate{Burst: 20, Per: time.Hour}
	if got := allowedOf(t, 200, rate, replica(), replica(), replica()); got != 20 {
		t.Errorf("3 replicas allowed %d of 200, want 20", got)
	}
}

// TestRedisPace rewinds what Redis keeps of the key, which is to the script as
// if time had passed.
func TestRedisPace(t *testing.T) {
	c := newClient(t, testservices.StartRedis(t), patient)
	l := steady{t, newRedis(c, 1, time.Now, patient)}
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
	c := newClient(t, testservices.StartRedis(t), patient)
	l := steady{t, newRedis(c, 1, time.Now, patient)}
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
	send := func(sig os.Signal) func(*testing.T, *testservices.RedisServer, *os.Process) {
		return func(t *testing.T, _ *testservices.RedisServer, p *os.Process) {
			if err := p.Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name       string
		away, back func(*testing.T, *testservices.RedisServer, *os.Process)
	}{
		{"killed",
			func(t *testing.T, s *testservices.RedisServer, _ *os.Process) { s.Kill(t) },
			func(t *testing.T, s *testservices.RedisServer, _ *os.Process) { s.Restart(t) }},
		{"frozen", send(syscall.SIGSTOP), send(syscall.SIGCONT)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, h := testservices.StartRedis(t), newHand()
			p := process(t, s)
			l := newRedis(newClient(t, s, 2*time.Second), 2, h.now, 2*time.Second)
			if ok, _ := l.Allow(t.Context(), "k", slow); !ok || l.Degraded() {
				t.Fatalf("at first: Allow = %v, Degraded = %v, want true, false", ok, l.Degraded())
			}
			tt.away(t, s, p)
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
			tt.back(t, s, p)
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
	l := newRedis(newClient(t, testservices.StartRedis(t), patient), 2, time.Now, patient)
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
