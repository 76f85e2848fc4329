package training

import (
	"context"
	"errors"
	"time"

	"ambit/internal/fault"
)

// stopGrace is how long a fit that was asked to stop is waited for, before its
// child is ended.
const stopGrace = time.Second

// pool is the children of one run. Each fits on one thread, so that several
// models can be fitted side by side.
type pool struct {
	engine Engine
	limits Limits
	slots  chan Session // nil is a child that is yet to be started
	grace  time.Duration
}

// newPool returns a pool of n children. None is started before it is needed.
func newPool(engine Engine, limits Limits, n int) *pool {
	p := &pool{engine: engine, limits: limits, slots: make(chan Session, n), grace: stopGrace}
	for range n {
		p.slots <- nil
	}
	return p
}

// size returns how many fits go on side by side.
func (p *pool) size() int { return cap(p.slots) }

// fit fits on the next free child. When ctx ends the fit stops at its next
// round, or with its child; fit then returns ctx's cause.
func (p *pool) fit(ctx context.Context, fit Fit, progress func(Round)) (Fitted, error) {
	var s Session
	select {
	case s = <-p.slots:
	case <-ctx.Done():
		return Fitted{}, context.Cause(ctx)
	}
	defer func() { p.slots <- s }()
	if s == nil {
		opened, err := p.engine.Open(ctx, p.limits)
		if err != nil {
			return Fitted{}, err
		}
		s = opened
	}
	done, ended, err := p.fitOn(ctx, s, fit, progress)
	if ended || fault.Is(err, fault.EngineUnavailable) || fault.Is(err, fault.Memory) {
		s.Close() // it is gone or in doubt, and has nothing that is needed
		s = nil
	}
	return done, err
}

// fitOn fits on a session, and reports whether it had to end the session.
func (p *pool) fitOn(ctx context.Context, s Session, fit Fit, progress func(Round)) (done Fitted, ended bool, err error) {
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		done, err = s.Fit(ctx, fit, progress)
	}()
	select {
	case <-finished:
		return done, false, err
	case <-ctx.Done():
	}
	timer := time.NewTimer(p.grace)
	defer timer.Stop()
	select {
	case <-finished:
		return done, false, err
	case <-timer.C:
		s.Close()
		<-finished
		return Fitted{}, true, context.Cause(ctx)
	}
}

// close ends the children. No fit may be under way.
func (p *pool) close() error {
	var errs []error
	for range cap(p.slots) {
		if s := <-p.slots; s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
