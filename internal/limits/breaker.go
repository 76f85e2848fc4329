package limits

import (
	"sync"
	"time"
)

// coolDown is how long a service that failed is left alone.
const coolDown = time.Second

// breaker keeps callers from waiting on a service that is away: after a failure
// one call in each cool-down goes to see whether it is back. It starts closed.
type breaker struct {
	now func() time.Time

	mu      sync.Mutex
	open    bool
	probing bool
	retryAt time.Time
}

// try reports whether to call the service; who is told so must report.
func (b *breaker) try() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return true
	}
	if b.probing || b.now().Before(b.retryAt) {
		return false
	}
	b.probing = true
	return true
}

// report says how a call ended.
func (b *breaker) report(ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open, b.probing = !ok, false
	if !ok {
		b.retryAt = b.now().Add(coolDown)
	}
}

func (b *breaker) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}
