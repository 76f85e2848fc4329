package limits

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// maxKeys bounds what a Local remembers: 64 Ki keys of 16 bytes.
const maxKeys = 64 << 10

// evictFrom is how many keys compete for being forgotten when there is no room.
const evictFrom = 8

// Local is a Limiter in this process. Its memory is bounded, whatever the keys:
// it keeps hashes under a seed of its own, and forgets a key with little on its
// account when there is no room, so that a flood of new keys does not make it
// forget the ones that are spent.
type Local struct {
	now  func() time.Time
	base time.Time
	seed maphash.Seed

	mu  sync.Mutex
	due map[uint64]time.Duration // hashed key → theoretical arrival time, since base
}

// NewLocal returns a Limiter that tells the time by now.
func NewLocal(now func() time.Time) *Local {
	return &Local{now: now, base: now(), seed: maphash.MakeSeed(), due: map[uint64]time.Duration{}}
}

// Allow is [Limiter.Allow].
func (l *Local) Allow(_ context.Context, key string, r Rate) (bool, time.Duration) {
	step := r.interval()
	if step == 0 {
		return false, 0
	}
	k := maphash.String(l.seed, key)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().Sub(l.base)
	next := max(l.due[k], now) + step
	if wait := next - step*time.Duration(r.Burst) - now; wait > 0 {
		return false, wait
	}
	l.keep(k, next)
	return true, 0
}

// Refund is [Limiter.Refund].
func (l *Local) Refund(_ context.Context, key string, r Rate) {
	k := maphash.String(l.seed, key)
	l.mu.Lock()
	defer l.mu.Unlock()
	due, ok := l.due[k]
	if !ok {
		return
	}
	if due -= r.interval(); due <= l.now().Sub(l.base) {
		delete(l.due, k)
		return
	}
	l.due[k] = due
}

func (l *Local) keep(k uint64, due time.Duration) {
	if _, known := l.due[k]; !known && len(l.due) >= maxKeys {
		l.evict()
	}
	l.due[k] = due
}

// evict forgets the key that is due first among a few that the map's random
// order turns up: it is in the past, or nearest to it.
func (l *Local) evict() {
	var victim uint64
	least, seen := time.Duration(0), 0
	for k, due := range l.due {
		if seen == 0 || due < least {
			victim, least = k, due
		}
		if seen++; seen == evictFrom {
			break
		}
	}
	delete(l.due, victim)
}
