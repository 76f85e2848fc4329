package duckdb

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"ambit/engines/duckdb/internal/wire"
)

// pool keeps children: booted ones that wait for more work on the same
// catalogue, and one blank one to boot at once.
type pool struct {
	cfg     Config
	scratch string
	log     *slog.Logger
	group   sync.WaitGroup // children being ended and spares being started

	mu       sync.Mutex
	idle     []*process // the longest idle first
	spare    *process
	starting bool
	closed   bool
}

func newPool(cfg Config, scratch string) *pool {
	return &pool{cfg: cfg, scratch: scratch, log: cfg.Logger}
}

var errClosed = errors.New("the engine is closed")

// take returns a child that is booted as asked: one that waits under the key, or
// a new one, which must boot by the deadline and in BootTimeout. An empty key
// matches none.
// Faults: engine_unavailable, timeout.
func (p *pool) take(ctx context.Context, key string, boot *wire.Boot, deadline time.Time) (*process, error) {
	if w, err := p.reuse(key); w != nil || err != nil {
		return w, err
	}
	w, err := p.blank()
	if err != nil {
		return nil, unavailable(err)
	}
	defer p.refill() // not sooner: somebody waits for this child
	w.key = key
	if limit := time.Now().Add(p.cfg.BootTimeout); limit.Before(deadline) {
		deadline = limit
	}
	answer, _, err := w.call(ctx, wire.Request{Op: wire.OpBoot, Boot: boot}, deadline)
	if err != nil {
		p.discard(w)
		return nil, err
	}
	if answer.Booted == nil {
		p.discard(w)
		return nil, unavailable(errors.New("a child did not say how it booted"))
	}
	w.booted = answer.Booted
	return w, nil
}

// reuse returns a child that waits under the key, the latest used, if there is one.
func (p *pool) reuse(key string) (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, unavailable(errClosed)
	}
	for i := len(p.idle) - 1; i >= 0; i-- {
		w := p.idle[i]
		if w.key != key || key == "" {
			continue
		}
		p.idle = append(p.idle[:i:i], p.idle[i+1:]...)
		w.idle.Stop()
		if w.alive() {
			return w, nil
		}
		p.end(w)
	}
	return nil, nil
}

// blank returns a child that is not booted: the spare, or a new one.
func (p *pool) blank() (*process, error) {
	p.mu.Lock()
	w := p.spare
	p.spare = nil
	p.mu.Unlock()
	if w != nil && !w.alive() {
		w.kill()
		w = nil
	}
	if w != nil {
		return w, nil
	}
	return startProcess(p.cfg.Command, p.scratch)
}

// refill starts a spare, if there is none, beside the work that is done.
func (p *pool) refill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.starting || p.spare != nil {
		return
	}
	p.starting = true
	p.group.Go(func() {
		w, err := startProcess(p.cfg.Command, p.scratch)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.starting = false
		switch {
		case err != nil:
			p.log.Error("starting a spare engine child", "err", err)
		case p.closed:
			p.end(w)
		default:
			p.spare = w
		}
	})
}

// put takes a child back, or ends it if it should not be used again. The child
// that has waited longest makes room.
func (p *pool) put(w *process) {
	if w.spent || w.uses > p.cfg.Uses || w.cpu > cpuLife/2 || w.key == "" || !w.alive() {
		p.discard(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.end(w)
		return
	}
	w.idle = time.AfterFunc(p.cfg.Idle, func() { p.expire(w) })
	p.idle = append(p.idle, w)
	if room := p.cfg.Workers - p.cfg.Running - p.cfg.Building; len(p.idle) > max(1, room) {
		p.idle[0].idle.Stop()
		p.end(p.idle[0])
		p.idle = p.idle[1:]
	}
}

// expire ends a child that has waited too long, and the spare with the last one.
func (p *pool) expire(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remove(w) {
		p.end(w)
	}
	if len(p.idle) == 0 && p.spare != nil {
		p.end(p.spare)
		p.spare = nil
	}
}

// forget ends the waiting children that have the file attached.
func (p *pool) forget(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.idle[:0:0]
	for _, w := range p.idle {
		if strings.Contains(w.key, strconv.Quote(path)) {
			w.idle.Stop()
			p.end(w)
			continue
		}
		kept = append(kept, w)
	}
	p.idle = kept
}

func (p *pool) remove(w *process) bool {
	for i := range p.idle {
		if p.idle[i] == w {
			p.idle = append(p.idle[:i:i], p.idle[i+1:]...)
			return true
		}
	}
	return false
}

// discard ends a child without making the caller wait for its memory to be freed.
func (p *pool) discard(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(w)
}

// end is called with the lock held, so that close cannot stop waiting in between.
func (p *pool) end(w *process) { p.group.Go(w.kill) }

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, w := range p.idle {
		w.idle.Stop()
		p.end(w)
	}
	p.idle = nil
	if p.spare != nil {
		p.end(p.spare)
		p.spare = nil
	}
	p.mu.Unlock()
	p.group.Wait()
}
