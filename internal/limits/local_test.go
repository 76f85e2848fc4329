package limits

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"ambit/internal/clock"
)

// hand is a clock that a test moves.
type hand struct{ t time.Time }

func newHand() *hand                    { return &hand{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }
func (h *hand) now() time.Time          { return h.t }
func (h *hand) forward(d time.Duration) { h.t = h.t.Add(d) }

func TestLocal(t *testing.T) {
	limiterSuite(t, func(*testing.T) Limiter { return NewLocal(time.Now) })
}

// TestLocalPace walks through time: a burst of 3, then one a minute.
func TestLocalPace(t *testing.T) {
	rate := Rate{Burst: 3, Per: 3 * time.Minute}
	steps := []struct {
		forward  time.Duration
		wantOK   bool
		wantWait time.Duration
	}{
		{0, true, 0}, {0, true, 0}, {0, true, 0},
		{0, false, time.Minute},
		{59 * time.Second, false, time.Second},
		{time.Second, true, 0},
		{0, false, time.Minute},
		{2 * time.Minute, true, 0}, {0, true, 0}, {0, false, time.Minute},
		{24 * time.Hour, true, 0}, {0, true, 0}, {0, true, 0}, // idle time saves up one burst, no more
		{0, false, time.Minute},
	}
	h := newHand()
	l := NewLocal(h.now)
	for i, s := range steps {
		h.forward(s.forward)
		if ok, wait := l.Allow(t.Context(), "k", rate); ok != s.wantOK || wait != s.wantWait {
			t.Fatalf("step %d: Allow = %v, %v, want %v, %v", i, ok, wait, s.wantOK, s.wantWait)
		}
	}
}

func TestLocalMemoryIsBounded(t *testing.T) {
	l := NewLocal(time.Now)
	flood := func(from, to int) {
		for i := from; i < to; i++ {
			l.Allow(t.Context(), fmt.Sprintf("a key that takes room, number %d", i), slow)
		}
	}
	flood(0, 2*maxKeys)
	before := heap()
	flood(2*maxKeys, 1_000_000)
	after := heap()
	if len(l.due) != maxKeys {
		t.Errorf("remembers %d keys, want %d", len(l.due), maxKeys)
	}
	if after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes over 870,000 new keys", before, after)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLocalFloodKeepsSpentKeys: who is out of attempts cannot wash that away
// with a flood of other keys.
func TestLocalFloodKeepsSpentKeys(t *testing.T) {
	l := NewLocal(newHand().now)
	spend(t, l, "spent", slow)
	for i := range 4 * maxKeys {
		l.Allow(t.Context(), fmt.Sprint(i), slow)
	}
	if ok, _ := l.Allow(t.Context(), "spent", slow); ok {
		t.Error("Allow(spent) after a flood = true, want false")
	}
}

func TestGate(t *testing.T) {
	var g Gate
	steps := []struct {
		key  string
		at   int64 // seconds
		want bool
	}{
		{"a", 1000, true}, {"a", 1000, false}, {"b", 1000, true}, {"a", 1059, false},
		{"a", 1060, true}, {"a", 1119, false}, {"a", 1120, true},
	}
	for i, s := range steps {
		if got := g.Pass(s.key, clock.Time(s.at*1000), time.Minute); got != s.want {
			t.Errorf("step %d: Pass(%s) at %d s = %v, want %v", i, s.key, s.at, got, s.want)
		}
	}
}

func TestGateMemoryIsBounded(t *testing.T) {
	var g Gate
	for i := range 3*maxKeys + 5 {
		g.Pass(fmt.Sprint(i), 1000, time.Minute)
	}
	if len(g.passed) > maxKeys {
		t.Errorf("remembers %d keys, want at most %d", len(g.passed), maxKeys)
	}
}
