// Package idempotency makes a request that is sent again have its effect once.
//
// A record exists if and only if the effect's transaction committed. Nothing is
// stored of a request in progress, so a crash at any moment leaves no stuck key.
package idempotency

import (
	"context"
	"time"

	"ambit/internal/clock"
)

// TTL is how long a record lives.
const TTL = 24 * time.Hour

// Key identifies a request: whose it is, under which key, and what it asked.
type Key struct {
	Principal   string // keys never cross principals
	Value       string // the Idempotency-Key
	Fingerprint string // SHA-256 of method, route, path values, query and canonical body, hex
}

// Reply is an answer that was kept.
type Reply struct {
	Status    int
	Headers   map[string]string // the ones that matter: Location, ETag
	Body      []byte
	CreatedAt clock.Time
	Digest    string // SHA-256 of the body, hex
}

// Store keeps replies.
type Store interface {
	// Hold takes the lock on (principal, key) without waiting, and returns how
	// to let go of it. Fault: idempotency_key_in_use.
	Hold(ctx context.Context, k Key) (release func(), err error)

	// Find returns the kept reply of k, and whether there is one.
	// Fault: idempotency_key_reused if it was kept for another fingerprint.
	Find(ctx context.Context, k Key) (Reply, bool, error)

	// Once runs f in a transaction that also claims k and keeps f's reply. If f
	// fails nothing is kept and nothing has happened. A zero Key keeps no
	// reply. A failed commit is unavailable: the outcome is unknown, and a
	// repeat with the same key resolves it.
	// Faults: those of f, idempotency_key_in_use, unavailable.
	Once(ctx context.Context, k Key, f func(ctx context.Context) (Reply, error)) (Reply, error)
}
