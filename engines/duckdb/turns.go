package duckdb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ambit/internal/fault"
)

// turns hands out a fixed number of places. Workspaces that wait take turns, so
// that one with many requests does not keep out the others.
type turns struct {
	mu      sync.Mutex
	free    int
	most    int                        // that may wait, of one workspace
	waiting map[string][]chan struct{} // by workspace, the longest waiting first
	order   []string                   // workspaces that wait, the next to be served first
}

func newTurns(places, most int) *turns {
	return &turns{free: places, most: most, waiting: map[string][]chan struct{}{}}
}

// acquire waits for a place. The caller must call release once.
// Faults: engine_unavailable if too many wait or the wait is too long; limit 0 waits
// as long as the context lets it.
func (t *turns) acquire(ctx context.Context, workspace string, limit time.Duration) error {
	turn, err := t.join(workspace)
	if err != nil || turn == nil {
		return err
	}
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-turn:
		return nil
	case <-late:
		err = busy()
	case <-ctx.Done():
		err = fmt.Errorf("waiting for the engine: %w", ctx.Err())
	}
	if t.leave(workspace, turn) {
		return err
	}
	t.release() // the turn came at the same moment
	return err
}

// join takes a place if one is free and nobody waits; else it queues.
func (t *turns) join(workspace string) (chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 && len(t.order) == 0 {
		t.free--
		return nil, nil
	}
	queue := t.waiting[workspace]
	if len(queue) >= t.most {
		return nil, busy()
	}
	if len(queue) == 0 {
		t.order = append(t.order, workspace)
	}
	turn := make(chan struct{})
	t.waiting[workspace] = append(queue, turn)
	return turn, nil
}

// leave gives up waiting; false if the turn has come already.
func (t *turns) leave(workspace string, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue := t.waiting[workspace]
	for i, c := range queue {
		if c == turn {
			t.keep(workspace, append(queue[:i:i], queue[i+1:]...))
			return true
		}
	}
	return false
}

// keep stores what is left of a workspace's queue.
func (t *turns) keep(workspace string, queue []chan struct{}) {
	if len(queue) > 0 {
		t.waiting[workspace] = queue
		return
	}
	delete(t.waiting, workspace)
	for i, name := range t.order {
		if name == workspace {
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return
		}
	}
}

// release gives the place to the next workspace, which then goes to the end.
func (t *turns) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.order) == 0 {
		t.free++
		return
	}
	workspace := t.order[0]
	queue := t.waiting[workspace]
	t.order = append(t.order[1:len(t.order):len(t.order)], workspace)
	close(queue[0])
	t.keep(workspace, queue[1:])
}

func busy() *fault.Fault {
	f := fault.New(fault.EngineUnavailable, "The engine is busy with this workspace's other requests.").WithFix("Try again in a few seconds.")
	f.RetryAfter = 2 * time.Second
	return f
}
