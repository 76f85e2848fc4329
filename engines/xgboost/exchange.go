package xgboost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ambit/internal/child"
	"ambit/internal/fault"
	"ambit/training"
)

// pollEvery is how often a child's memory is looked at.
const pollEvery = 25 * time.Millisecond

// watch is what is watched while a child works.
type watch struct {
	wall     time.Duration        // 0 sets none
	progress func(training.Round) // may be nil
	need     uint64               // the estimate, for messages
	mapped   uint64               // bytes of files that the child maps, which are not its own memory
	peak     uint64               // highest resident memory seen, in bytes
}

// exchange is a request under way.
type exchange struct {
	s     *Session
	watch *watch
	id    int
	cause error            // why it is being stopped, or nil
	grace <-chan time.Time // when a stopping child is no longer waited for
}

// exchange sends a request and waits for the event that ends it. When ctx or
// the wall limit ends, the child is asked to stop at its next round; it is
// terminated after half the grace time and killed after all of it.
func (s *Session) exchange(ctx context.Context, r request, w *watch) (event, error) {
	s.last++
	r.ID = s.last
	x := &exchange{s: s, watch: w, id: r.ID}
	if ctx.Err() != nil {
		return event{}, context.Cause(ctx)
	}
	if err := s.send(r); err != nil {
		return event{}, s.death(w)
	}
	return x.wait(ctx)
}

func (x *exchange) wait(ctx context.Context) (event, error) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	var wall <-chan time.Time
	if x.watch.wall > 0 {
		wall = time.After(x.watch.wall)
	}
	done := ctx.Done()
	for {
		select {
		case e, open := <-x.s.events:
			if !open {
				return event{}, x.ended()
			}
			if x.hear(e) {
				return x.verdict(e)
			}
		case <-done:
			done = nil
			x.stop(context.Cause(ctx))
		case <-wall:
			x.stop(fault.New(fault.Timeout, "This took longer than its limit of %s.", x.watch.wall).
				WithFix("Allow more time, or fit fewer rounds, shallower trees or fewer rows."))
		case <-x.grace:
			x.s.process.Stop(x.s.grace / 2)
		case <-poll.C:
			x.poll()
		}
	}
}

// stop asks the child to stop and notes why; the first reason stays.
func (x *exchange) stop(cause error) {
	if x.cause != nil {
		return
	}
	x.cause = cause
	x.grace = time.After(x.s.grace / 2)
	_ = x.s.send(request{ID: x.id, Abort: true}) // a child that is gone shows by its silence
}

// poll kills a child that holds more than its limit and the slack. The kernel's
// limit, which fails an allocation instead, comes first on Linux; this one is
// for what the kernel does not count.
func (x *exchange) poll() {
	rss := child.RSS(x.s.process.Pid())
	x.measure(rss)
	if x.s.idle == 0 || rss <= x.s.idle+x.s.limits.MemoryBytes+x.watch.mapped+2*ownSlack {
		return
	}
	x.cause = x.s.overMemory(x.watch)
	x.s.process.Kill()
}

func (x *exchange) measure(rss uint64) { x.watch.peak = max(x.watch.peak, rss) }

// hear passes rounds on and reports whether e ends the request. What an earlier
// request still says, whose caller panicked in its progress, is dropped.
func (x *exchange) hear(e event) (final bool) {
	if e.Kind != eventRound {
		return e.ID == x.id
	}
	if e.Round != nil && e.ID == x.id {
		x.measure(e.Round.RSS)
		if x.watch.progress != nil && x.cause == nil {
			x.watch.progress(*e.Round)
		}
	}
	return false
}

// verdict turns the last event into the request's result.
func (x *exchange) verdict(e event) (event, error) {
	switch {
	case x.cause != nil:
		return event{}, x.cause
	case e.Kind == eventDone, e.Kind == eventReady:
		return e, nil
	case e.Kind == eventFailed:
		return event{}, x.failed(e)
	}
	return event{}, fmt.Errorf("the trainer answered %q", e.Kind)
}

func (x *exchange) failed(e event) error {
	cause := errors.New(e.Detail)
	switch e.Failure {
	case failureMissing:
		return fault.New(fault.EngineUnavailable, "The training engine is not installed: it needs XGBoost 1.7.").
			WithFix("Install it on the server's machine: apt-get install libxgboost0").Because(cause)
	case failureMemory:
		return x.s.overMemory(x.watch).Because(cause)
	}
	return fmt.Errorf("the training library refused: %w", cause)
}

// ended is the result of a request whose child is gone.
func (x *exchange) ended() error {
	if x.cause != nil {
		x.s.process.Kill()
		return x.cause
	}
	return x.s.death(x.watch)
}

func (s *Session) send(r request) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("writing a request: %w", err)
	}
	_, err = s.process.Stdin.Write(append(line, '\n'))
	return err
}
