package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ambit/internal/fault"
	"ambit/internal/idempotency"
)

// holder keeps two requests from working on one name at the same time. It
// never waits for another holder.
type holder interface {
	// hold fails with idempotency_key_in_use if somebody has the name.
	hold(ctx context.Context, name string) (release func(), err error)
}

// Hold takes the lock on (principal, key) without waiting. A crash lets go of it.
func (db *DB) Hold(ctx context.Context, k idempotency.Key) (func(), error) {
	return db.holder.hold(ctx, k.Principal+"\x00"+k.Value)
}

func keyInUse() error {
	f := fault.New(fault.KeyInUse, "A request with this Idempotency-Key is being worked on.").
		WithFix("Wait, and send the same request again: it will be answered once that one is done.")
	f.RetryAfter = retryAfter
	return f
}

// localHolder holds names in this process, which on SQLite is the only one.
type localHolder struct {
	mu    sync.Mutex
	taken map[string]bool
}

func (h *localHolder) hold(_ context.Context, name string) (func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken[name] {
		return nil, keyInUse()
	}
	h.taken[name] = true
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.taken, name)
	}), nil
}

// sessionHolder holds names in this process and, as advisory locks of one
// PostgreSQL session, in all others. One connection carries all of a process's
// locks: a connection for each request would let requests that hold a lock wait
// for ever for one to work with. When the connection breaks its locks are gone;
// that the key is claimed in the effect's transaction still lets one request win.
type sessionHolder struct {
	config *pgx.ConnConfig
	local  localHolder   // a session may take its own lock twice, so this comes first
	turn   chan struct{} // who has put something into it may use conn
	conn   *pgx.Conn     // nil until it is needed, and after it broke
}

// sessionTimeout bounds what is asked of the session.
const sessionTimeout = 3 * time.Second

func (h *sessionHolder) hold(ctx context.Context, name string) (func(), error) {
	release, err := h.local.hold(ctx, name)
	if err != nil {
		return nil, err
	}
	id := lockID(name)
	conn, got, err := h.lock(ctx, id)
	if err != nil || !got {
		release()
		if err != nil {
			return nil, unanswered(err)
		}
		return nil, keyInUse()
	}
	return sync.OnceFunc(func() {
		h.unlock(conn, id)
		release()
	}), nil
}

// lockID is the number that stands for a name among the advisory locks. Two
// names with one number would make one of them wait, and nothing worse.
func lockID(name string) int64 {
	sum := sha256.Sum256([]byte("ambit idempotency\x00" + name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// lock tries to take a lock, on a new connection if the present one is broken,
// and returns the connection that has it. A caller who goes away while it is
// asked for does not end the question: that would end the connection, and with
// it everybody's locks.
func (h *sessionHolder) lock(ctx context.Context, id int64) (conn *pgx.Conn, got bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionTimeout)
	defer cancel()
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	for fresh := false; ; fresh = true {
		if h.conn == nil {
			if h.conn, err = pgx.ConnectConfig(ctx, h.config); err != nil {
				return nil, false, err
			}
			fresh = true
		}
		err = h.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&got)
		if err == nil {
			return h.conn, got, nil
		}
		h.drop()
		if fresh || ctx.Err() != nil {
			return nil, false, err
		}
	}
}

// unlock lets go of a lock. On a broken connection there is none any more.
func (h *sessionHolder) unlock(conn *pgx.Conn, id int64) {
	ctx, cancel := context.WithTimeout(context.Background(), sessionTimeout)
	defer cancel()
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	if h.conn != conn {
		return
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", id); err != nil {
		h.drop()
	}
}

// drop closes the connection, and the server lets go of its locks.
func (h *sessionHolder) drop() {
	ctx, cancel := context.WithTimeout(context.Background(), sessionTimeout)
	defer cancel()
	h.conn.Close(ctx)
	h.conn = nil
}

// Close closes the connection.
func (h *sessionHolder) Close() error {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	if h.conn != nil {
		h.drop()
	}
	return nil
}
