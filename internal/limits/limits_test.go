package limits

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// slow refills so slowly that no test sees a refill.
var slow = Rate{Burst: 4, Per: 4 * time.Hour}

// limiterSuite is what every Limiter must keep to; a new one is empty and not degraded.
func limiterSuite(t *testing.T, fresh func(*testing.T) Limiter) {
	t.Run("lets a burst through, then says when", func(t *testing.T) {
		l := fresh(t)
		for i := range slow.Burst {
			if ok, wait := l.Allow(t.Context(), "k", slow); !ok || wait != 0 {
				t.Fatalf("Allow #%d = %v, %v, want true, 0s", i+1, ok, wait)
			}
		}
		ok, wait := l.Allow(t.Context(), "k", slow)
		if ok || wait <= 59*time.Minute || wait > time.Hour {
			t.Errorf("Allow over the burst = %v, %v, want false and about 1h", ok, wait)
		}
	})
	t.Run("keys do not touch each other", func(t *testing.T) {
		l := fresh(t)
		spend(t, l, "a", slow)
		if ok, _ := l.Allow(t.Context(), "b", slow); !ok {
			t.Error("Allow(b) after a is spent = false, want true")
		}
	})
	t.Run("a refund gives one back", func(t *testing.T) {
		l := fresh(t)
		spend(t, l, "k", slow)
		l.Refund(t.Context(), "k", slow)
		first, _ := l.Allow(t.Context(), "k", slow)
		second, _ := l.Allow(t.Context(), "k", slow)
		if !first || second {
			t.Errorf("Allow after one refund = %v, %v, want true, false", first, second)
		}
	})
	t.Run("a refund of nothing gives nothing", func(t *testing.T) {
		l := fresh(t)
		for range 3 {
			l.Refund(t.Context(), "k", slow)
		}
		spend(t, l, "k", slow)
		if ok, _ := l.Allow(t.Context(), "k", slow); ok {
			t.Error("Allow over the burst = true, want false")
		}
	})
	t.Run("refunding all leaves a full burst", func(t *testing.T) {
		l := fresh(t)
		spend(t, l, "k", slow)
		for range slow.Burst {
			l.Refund(t.Context(), "k", slow)
		}
		spend(t, l, "k", slow)
	})
	t.Run("a rate that says nothing lets nothing through", func(t *testing.T) {
		l := fresh(t)
		for _, r := range []Rate{{}, {Burst: 3}, {Per: time.Hour}, {Burst: -1, Per: time.Hour}, {Burst: 1, Per: -1}} {
			if ok, wait := l.Allow(t.Context(), "k", r); ok || wait != 0 {
				t.Errorf("Allow(%+v) = %v, %v, want false, 0s", r, ok, wait)
			}
		}
	})
	t.Run("exact under concurrency", func(t *testing.T) {
		l := fresh(t)
		if got := allowedOf(t, 200, Rate{Burst: 20, Per: time.Hour}, l); got != 20 {
			t.Errorf("allowed %d of 200, want 20", got)
		}
	})
}

// spend uses up the burst.
func spend(t *testing.T, l Limiter, key string, r Rate) {
	t.Helper()
	for i := range r.Burst {
		if ok, _ := l.Allow(t.Context(), key, r); !ok {
			t.Fatalf("Allow(%s) #%d = false, want true", key, i+1)
		}
	}
}

// allowedOf makes n concurrent attempts at one key, over the limiters in turn.
func allowedOf(t *testing.T, n int, r Rate, over ...Limiter) int64 {
	t.Helper()
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if ok, _ := over[i%len(over)].Allow(t.Context(), "k", r); ok {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	return allowed.Load()
}

func TestShare(t *testing.T) {
	tests := []struct {
		name string
		rate Rate
		n    int
		want Rate
	}{
		{"one replica has it all", Rate{10, time.Hour}, 1, Rate{10, time.Hour}},
		{"unset replicas count as one", Rate{10, time.Hour}, 0, Rate{10, time.Hour}},
		{"half the burst in the same time", Rate{10, time.Hour}, 2, Rate{5, time.Hour}},
		{"the burst is cut down, the pace is kept", Rate{10, 10 * time.Minute}, 4, Rate{2, 8 * time.Minute}},
		{"never less than one", Rate{2, time.Hour}, 4, Rate{1, 2 * time.Hour}},
		{"nothing stays nothing", Rate{}, 4, Rate{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.rate.share(tt.n); got != tt.want {
				t.Errorf("share(%d) = %+v, want %+v", tt.n, got, tt.want)
			}
		})
	}
}

func TestNetwork(t *testing.T) {
	tests := []struct{ name, address, want string }{
		{"IPv4", "192.0.2.7", "192.0.2.7"},
		{"IPv4 as IPv6", "::ffff:192.0.2.7", "192.0.2.7"},
		{"IPv6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"IPv6 of the same subscriber", "2001:db8:1:2::9", "2001:db8:1:2::/64"},
		{"IPv6 with a zone", "fe80::1%eth0", "fe80::/64"},
		{"a socket", "@", "unknown"},
		{"nothing", "", "unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Network(tt.address); got != tt.want {
				t.Errorf("Network(%q) = %q, want %q", tt.address, got, tt.want)
			}
		})
	}
}
