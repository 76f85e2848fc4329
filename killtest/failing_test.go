package killtest

import (
	"context"
	"strings"
	"syscall"

	"ambit/internal/idempotency"
)

// Steps of a request that has its effect once. A server can be told to kill
// itself after each, in the first request whose key begins with a word.
const (
	held      = "held"      // the key is locked, nothing is written
	claimed   = "claimed"   // the transaction has the key
	effected  = "effected"  // the effect, its audit record and its reply are written
	committed = "committed" // all of it is committed, nothing is answered
	// unrecorded is a step of the negative control: the effect is committed, the
	// reply is yet to be kept.
	unrecorded = "unrecorded"
)

// steps are those of the server as it is.
var steps = []string{held, claimed, effected, committed}

// stopper kills its process at a step of a request.
type stopper struct {
	idempotency.Store
	step, word string
}

// failing returns what wraps a server's store so that it dies at "word:step".
func failing(at string) func(idempotency.Store) idempotency.Store {
	word, step, _ := strings.Cut(at, ":")
	return func(s idempotency.Store) idempotency.Store {
		stop := stopper{s, step, word}
		if step == unrecorded {
			return apart{stop}
		}
		return stop
	}
}

// reached ends the process if it is told to end here.
func (s stopper) reached(k idempotency.Key, step string) {
	if step == s.step && strings.HasPrefix(k.Value, s.word) {
		syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // nothing more is done
	}
}

func (s stopper) Once(ctx context.Context, k idempotency.Key, f func(context.Context) (idempotency.Reply, error)) (idempotency.Reply, error) {
	s.reached(k, held)
	reply, err := s.Store.Once(ctx, k, func(ctx context.Context) (idempotency.Reply, error) {
		s.reached(k, claimed)
		reply, err := f(ctx)
		if err == nil {
			s.reached(k, effected)
		}
		return reply, err
	})
	if err == nil {
		s.reached(k, committed)
	}
	return reply, err
}

// apart keeps replies in a transaction of their own, after that of the effect:
// the mistake that the proof must catch.
type apart struct{ stopper }

func (s apart) Once(ctx context.Context, k idempotency.Key, f func(context.Context) (idempotency.Reply, error)) (idempotency.Reply, error) {
	reply, err := s.Store.Once(ctx, idempotency.Key{}, f)
	if err != nil {
		return reply, err
	}
	s.reached(k, unrecorded)
	return s.Store.Once(ctx, k, func(context.Context) (idempotency.Reply, error) { return reply, nil })
}
