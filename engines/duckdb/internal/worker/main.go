// Package worker is the inside of an engine child: the only code that links and
// calls the engine. A child is booted for one workspace and one profile, sets its
// own limits before it opens anything, and then serves one request at a time.
package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// Bulk is the descriptor of the pipe through which columns go to the parent.
const Bulk = 3

// Main serves requests from in until it ends, and returns the exit code.
func Main(in io.Reader, out io.Writer) int {
	out, err := private(out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "engine child:", err)
		return 1
	}
	w := &worker{out: out, bulk: os.NewFile(Bulk, "bulk"), requests: make(chan wire.Request), cancel: newSignal()}
	go w.listen(in)
	for r := range w.requests {
		if err := w.serve(r); err != nil {
			fmt.Fprintln(os.Stderr, "engine child:", err)
			return 1
		}
	}
	return 0
}

// worker is the state of a child.
type worker struct {
	out      io.Writer
	bulk     *os.File // one for life: a second one over the descriptor would close it when collected
	requests chan wire.Request
	cancel   *signal

	boot *wire.Boot
	db   *database
	session
}

// listen takes requests off the pipe while one is being served, so that a
// cancel is heard. The parent's end going away ends the child at once.
func (w *worker) listen(in io.Reader) {
	for {
		var r wire.Request
		if _, err := wire.Read(in, &r); err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, "engine child:", err)
			}
			os.Exit(0)
		}
		if r.Op == wire.OpCancel {
			w.cancel.raise()
			continue
		}
		w.requests <- r
	}
}

func (w *worker) serve(r wire.Request) error {
	w.cancel.reset()
	answer, body, err := w.do(r)
	if err != nil {
		answer = wire.Answer{Fault: wire.FromError(err), Spent: spends(err)}
		body = nil
	}
	answer.CPU = cpuSeconds()
	return wire.Write(w.out, answer, body)
}

func (w *worker) do(r wire.Request) (wire.Answer, []byte, error) {
	switch {
	case r.Op == wire.OpBoot && w.boot == nil && r.Boot != nil:
		booted, err := w.start(r.Boot)
		return wire.Answer{Booted: booted}, nil, err
	case w.boot == nil:
		return wire.Answer{}, nil, errors.New("the child is not booted")
	case r.Op == wire.OpQuery && r.Query != nil:
		rows, body, err := w.query(*r.Query)
		return wire.Answer{Rows: rows}, body, err
	case r.Op == wire.OpRead && r.Read != nil:
		return wire.Answer{}, nil, w.read(*r.Read)
	case r.Op == wire.OpIngest && r.Ingest != nil:
		ingested, err := w.ingest(*r.Ingest)
		return wire.Answer{Ingested: ingested, Spent: true}, nil, err
	}
	return wire.Answer{}, nil, fmt.Errorf("no operation %q", r.Op)
}

// spends reports whether the engine may not be used again after err: it was
// interrupted, ran out of memory or broke. Refusals of a statement leave it whole.
func spends(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Timeout, fault.Memory, fault.EngineUnavailable, fault.Internal:
		return true
	}
	return false
}

// signal is a flag to wait for, set by the listener and cleared before each request.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

func newSignal() *signal { return &signal{ch: make(chan struct{})} }

func (s *signal) raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ch:
	default:
		close(s.ch)
	}
}

func (s *signal) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ch = make(chan struct{})
}

func (s *signal) raised() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ch
}
