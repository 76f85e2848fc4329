package runs

import "sync"

// Hub tells watchers in this process that a run changed. It carries no news:
// who is told reads the store. Only runs that somebody watches take memory.
type Hub struct {
	mu       sync.Mutex
	watchers map[string]map[chan struct{}]bool
}

// NewHub returns an empty hub.
func NewHub() *Hub { return &Hub{watchers: map[string]map[chan struct{}]bool{}} }

// Watch returns a channel that receives after each change of the run, several
// changes at once being one, and how to stop.
func (h *Hub) Watch(run string) (changed <-chan struct{}, release func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers[run] == nil {
		h.watchers[run] = map[chan struct{}]bool{}
	}
	h.watchers[run][c] = true
	return c, func() { h.forget(run, c) }
}

func (h *Hub) forget(run string, c chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers[run], c)
	if len(h.watchers[run]) == 0 {
		delete(h.watchers, run)
	}
}

// Poke tells the watchers of a run.
func (h *Hub) Poke(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.watchers[run] {
		select {
		case c <- struct{}{}:
		default: // it has not read the last one yet, and will see this change too
		}
	}
}
