package mcp

import (
	"context"
	"net/http"
)

// stream is the answer to one POST. It is JSON until the first progress message
// makes it a stream of events.
//
// The library hands notifications to a goroutine of its own and drops the one
// that is under way when the result is ready. So whoever sends one waits here
// until it has been flushed.
type stream struct {
	http.ResponseWriter
	flusher http.Flusher  // nil: this answer cannot stream
	flushed chan struct{} // receives after a flush
}

func newStream(w http.ResponseWriter) *stream {
	f, _ := w.(http.Flusher)
	return &stream{ResponseWriter: w, flusher: f, flushed: make(chan struct{}, 1)}
}

// CanStream reports whether a flush reaches the caller at once.
func (s *stream) CanStream() bool { return s.flusher != nil }

// Flush sends what was written.
func (s *stream) Flush() {
	if s.flusher == nil {
		return
	}
	s.flusher.Flush()
	select {
	case s.flushed <- struct{}{}:
	default: // nobody waits: it was the result
	}
}

// after sends a notification and waits until it has been flushed, or ctx ends.
func (s *stream) after(ctx context.Context, send func() error) error {
	if s.flusher == nil {
		return nil
	}
	if err := send(); err != nil {
		return err
	}
	select {
	case <-s.flushed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
