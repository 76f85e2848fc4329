package limits

import (
	"sync"
	"time"

	"ambit/internal/clock"
)

// Gate lets each key through once in a span of time: for writes that may be
// left out, such as "last used". The zero value is ready.
type Gate struct {
	mu     sync.Mutex
	passed map[string]clock.Time
}

// Pass reports whether the key has not passed in the last span, and if so
// notes that it passes now.
func (g *Gate) Pass(key string, now clock.Time, span time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if last, ok := g.passed[key]; ok && now.Sub(last) < span {
		return false
	}
	if g.passed == nil || len(g.passed) >= maxKeys {
		g.passed = map[string]clock.Time{} // forgetting costs a write a key, no more
	}
	g.passed[key] = now
	return true
}
