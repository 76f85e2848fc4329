package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// inflight keeps the requests under way, so that each caller can cancel its own
// and no other's, and so that a host can end.
//
// Two programs that use one token are one caller: MCP over HTTP has nothing
// else to tell them apart by.
type inflight struct {
	mu     sync.Mutex
	calls  map[flight]map[*context.CancelFunc]bool
	count  int
	closed bool
	idle   chan struct{} // closed when the host is closed and nothing is under way
}

// flight names a request: whose it is, and the id that they gave it.
type flight struct{ owner, id string }

func newInflight() *inflight {
	return &inflight{calls: map[flight]map[*context.CancelFunc]bool{}, idle: make(chan struct{})}
}

// begin registers a request. Its context ends when its owner cancels it. Ok is
// false if the host has been closed, or has most requests under way already.
func (f *inflight) begin(ctx context.Context, owner string, id json.RawMessage, most int) (_ context.Context, end func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || most > 0 && f.count >= most {
		return ctx, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	key := flight{owner, string(id)}
	if f.calls[key] == nil {
		f.calls[key] = map[*context.CancelFunc]bool{}
	}
	f.calls[key][&cancel] = true
	f.count++
	return ctx, func() { f.end(key, &cancel) }, true
}

func (f *inflight) end(key flight, cancel *context.CancelFunc) {
	(*cancel)()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.calls[key], cancel)
	if len(f.calls[key]) == 0 {
		delete(f.calls, key)
	}
	f.count--
	f.settle()
}

// settle tells a host that waits that nothing is under way any more.
func (f *inflight) settle() {
	if !f.closed || f.count > 0 {
		return
	}
	select {
	case <-f.idle:
	default:
		close(f.idle)
	}
}

// cancel ends the owner's request of the id, if there is one.
func (f *inflight) cancel(owner string, id json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for cancel := range f.calls[flight{owner, string(id)}] {
		(*cancel)()
	}
}

// close lets no further request begin, and waits for those under way until
// grace ends; then it cancels them and waits for at most last.
func (f *inflight) close(grace context.Context, last time.Duration) error {
	f.mu.Lock()
	f.closed = true
	f.settle()
	f.mu.Unlock()
	select {
	case <-f.idle:
		return nil
	case <-grace.Done():
	}
	f.cancelAll()
	late := time.NewTimer(last)
	defer late.Stop()
	select {
	case <-f.idle:
		return nil
	case <-late.C:
		return fmt.Errorf("requests were told to end and did not")
	}
}

func (f *inflight) cancelAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, same := range f.calls {
		for cancel := range same {
			(*cancel)()
		}
	}
}
