package tokens

import (
	"context"
	"sync"

	"ambit/internal/clock"
)

// maxCached bounds the tokens that are remembered.
const maxCached = 10_000

// Cache is a Store that remembers tokens it has read. It is exact where one
// process is alone with the store, as with SQLite: whatever changes a token goes
// through here and is forgotten when its transaction has committed. Where other
// processes write too, it would let a revoked token through and must not be used.
type Cache struct {
	Store
	// AfterCommit calls f when the transaction of ctx has committed; at once if there is none.
	AfterCommit func(ctx context.Context, f func())

	mu         sync.RWMutex
	generation uint64 // counts what was forgotten
	known      map[string]Token
}

// Token returns what is remembered, or reads it. Only tokens that exist are
// remembered: unknown ids take no memory.
func (c *Cache) Token(ctx context.Context, id string) (Token, error) {
	c.mu.RLock()
	t, ok := c.known[id]
	generation := c.generation
	c.mu.RUnlock()
	if ok {
		return t, nil
	}
	t, err := c.Store.Token(ctx, id)
	if err == nil {
		c.keep(t, generation)
	}
	return t, err
}

// keep remembers a token, unless something was forgotten since before it was
// read: what was read may be what had to be forgotten.
func (c *Cache) keep(t Token, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation {
		return
	}
	if c.known == nil || len(c.known) >= maxCached {
		c.known = map[string]Token{}
	}
	c.known[t.ID] = t
}

// RevokeToken revokes and, once that is committed, forgets.
func (c *Cache) RevokeToken(ctx context.Context, id string, at clock.Time) error {
	c.forget(id) // the transaction reads its own write, not what is remembered
	err := c.Store.RevokeToken(ctx, id, at)
	c.AfterCommit(ctx, func() { c.forget(id) })
	return err
}

func (c *Cache) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	delete(c.known, id)
}
