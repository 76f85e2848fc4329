package api

import (
	"sync"

	"ambit/internal/fault"
)

// maxOpen is how many streams and long polls a caller may have open at a time.
// Each reads the database once a second for as long as it lasts.
const maxOpen = 64

// crowd counts what each caller has open. The zero value is ready.
type crowd struct {
	mu   sync.Mutex
	open map[string]int // by principal; who has nothing open is not in it
}

// enter counts one more of the caller's, until leave is called.
// Fault: rate_limited.
func (c *crowd) enter(who string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[who] >= maxOpen {
		return nil, fault.New(fault.RateLimited, "You have %d streams and long polls open, which is as many as a caller may have.", maxOpen).
			WithFix("Close some of them: one stream of a run tells all of its news.")
	}
	if c.open == nil {
		c.open = map[string]int{}
	}
	c.open[who]++
	return func() { c.left(who) }, nil
}

func (c *crowd) left(who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[who]--; c.open[who] == 0 {
		delete(c.open, who)
	}
}
