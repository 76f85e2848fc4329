package training

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ambit/internal/fault"
	"ambit/runs"
)

// stuck is an engine whose fits end only with their child.
type stuck struct {
	versionOnly
	mu     sync.Mutex
	opened int
	fit    func(s *stuckSession, ctx context.Context) (Fitted, error)
}

type stuckSession struct {
	engine *stuck
	closed chan struct{}
	once   sync.Once
}

func (e *stuck) Open(context.Context, Limits) (Session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opened++
	return &stuckSession{engine: e, closed: make(chan struct{})}, nil
}

func (s *stuckSession) Fit(ctx context.Context, _ Fit, _ func(Round)) (Fitted, error) {
	return s.engine.fit(s, ctx)
}

func (s *stuckSession) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

var errGone = errors.New("the child is gone")

func deaf(s *stuckSession, _ context.Context) (Fitted, error) {
	<-s.closed
	return Fitted{}, errGone
}

func TestPoolEndsAChildThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &stuck{fit: deaf}
		p := newPool(engine, Limits{}, 1)
		cause := errors.New("time is up")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, cause)
		defer cancel()
		begin := time.Now()
		if _, err := p.fit(ctx, Fit{}, nil); err != cause {
			t.Errorf("fit = %v, want %v", err, cause)
		}
		if got := time.Since(begin); got != 11*time.Second {
			t.Errorf("fit ended after %v, want 10 s and a second's grace", got)
		}
		engine.fit = func(*stuckSession, context.Context) (Fitted, error) { return Fitted{Rounds: 7}, nil }
		if got, err := p.fit(t.Context(), Fit{}, nil); err != nil || got.Rounds != 7 || engine.opened != 2 {
			t.Errorf("next fit = %d rounds, %v, on child %d, want 7 on a new child, 2", got.Rounds, err, engine.opened)
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
}

func TestPoolKeepsAndReplacesChildren(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		opened int // by two fits
	}{
		{"success", nil, 1},
		{"wrong parameters", fault.New(fault.Invalid, "no"), 1},
		{"died", fault.New(fault.EngineUnavailable, "gone"), 2},
		{"out of memory", fault.New(fault.Memory, "full"), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engine := &stuck{fit: func(*stuckSession, context.Context) (Fitted, error) { return Fitted{}, tt.err }}
			p := newPool(engine, Limits{}, 1)
			defer p.close()
			for range 2 {
				if _, err := p.fit(t.Context(), Fit{}, nil); err != tt.err {
					t.Errorf("fit = %v, want %v", err, tt.err)
				}
			}
			if engine.opened != tt.opened {
				t.Errorf("%d children were started, want %d", engine.opened, tt.opened)
			}
		})
	}
}

func TestPoolWaitsForAChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(&stuck{fit: deaf}, Limits{}, 1)
		first, stop := context.WithCancel(t.Context())
		go p.fit(first, Fit{}, nil)
		synctest.Wait()
		cause := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if _, err := p.fit(ctx, Fit{}, nil); err != cause {
			t.Errorf("waiting fit = %v, want %v", err, cause)
		}
		stop()
		p.close() // waits for the first
	})
}

func TestInParallel(t *testing.T) {
	var mu sync.Mutex
	seen := []int{}
	err := inParallel(t.Context(), 3, 10, func(_ context.Context, i int) error {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, i)
		return nil
	})
	slices.Sort(seen)
	if err != nil || !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("did %v, %v, want each once", seen, err)
	}
	broken := errors.New("broken")
	err = inParallel(t.Context(), 2, 10, func(ctx context.Context, i int) error {
		if i == 0 {
			return broken
		}
		<-ctx.Done() // the first error ends the others
		return context.Cause(ctx)
	})
	if err != broken {
		t.Errorf("error = %v, want the first one", err)
	}
}

// eventCounter counts events.
type eventCounter struct {
	runs.Sink
	events int
	err    error
}

func (c *eventCounter) Event(context.Context, string, any) error {
	c.events++
	return c.err
}

func TestReporterThrottlesRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &eventCounter{}
		r := newReporter(sink, func(error) {}, 10)
		for range 3000 { // three seconds of a round a millisecond
			r.round(t.Context(), roundEvent{})
			time.Sleep(time.Millisecond)
		}
		if sink.events != 30 {
			t.Errorf("%d events in 3 s, want 30", sink.events)
		}
	})
}

func TestReporterStopsTheRun(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	r := newReporter(&eventCounter{err: runs.ErrFenced}, stop, 10)
	r.round(ctx, roundEvent{})
	if context.Cause(ctx) != runs.ErrFenced {
		t.Errorf("cause = %v, want ErrFenced", context.Cause(ctx))
	}
}
