package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/idempotency"
)

var _ idempotency.Store = (*DB)(nil)

// recordRow is a kept reply and what it is the reply to.
type recordRow struct {
	Principal   string `gorm:"primaryKey"`
	Value       string `gorm:"primaryKey"`
	Fingerprint string
	Status      int
	Headers     map[string]string `gorm:"serializer:json;not null"`
	Body        []byte
	Digest      string
	CreatedAt   clock.Time `gorm:"autoCreateTime:false"`
	ExpiresAt   clock.Time
}

func (recordRow) TableName() string { return "idempotency_records" }

// Find returns the kept reply of k, and whether there is one.
func (db *DB) Find(ctx context.Context, k idempotency.Key) (idempotency.Reply, bool, error) {
	row, err := take[recordRow](ctx, db, "reply", "principal = ? AND value = ? AND expires_at > ?", k.Principal, k.Value, db.now())
	switch {
	case fault.Is(err, fault.NotFound):
		return idempotency.Reply{}, false, nil
	case err != nil:
		return idempotency.Reply{}, false, err
	case row.Fingerprint != k.Fingerprint:
		return idempotency.Reply{}, false, fault.New(fault.KeyReused, "This Idempotency-Key was sent with another request.").
			WithFix("Use a new key for a new request; repeat the first request as it was to get its answer again.")
	}
	return idempotency.Reply{Status: row.Status, Headers: row.Headers, Body: row.Body, CreatedAt: row.CreatedAt, Digest: row.Digest}, true, nil
}

// Once runs f in a transaction that also claims k and keeps f's reply, which
// must have a 2xx status. It has ten seconds, whatever becomes of the caller:
// a client that hangs up must not stop half an effect. The reply is kept as f
// returns it, so that it must hold no secret.
func (db *DB) Once(ctx context.Context, k idempotency.Key, f func(ctx context.Context) (idempotency.Reply, error)) (idempotency.Reply, error) {
	if db.tx(ctx) != nil {
		return idempotency.Reply{}, errors.New("idempotency: Once inside a transaction")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	var reply idempotency.Reply
	err := db.Tx(ctx, func(ctx context.Context) (err error) {
		if k == (idempotency.Key{}) {
			reply, err = f(ctx)
			return err
		}
		if err = db.claim(ctx, k); err != nil {
			return err
		}
		if reply, err = f(ctx); err != nil {
			return err
		}
		reply, err = db.keep(ctx, k, reply)
		return err
	})
	if err != nil {
		return idempotency.Reply{}, err
	}
	return reply, nil
}

// claim takes the key until the transaction ends, over a record that has
// expired if there is one. It finds a live one only if the lock of Hold was
// lost: then the other request has won, and its reply can be found.
func (db *DB) claim(ctx context.Context, k idempotency.Key) error {
	const query = `INSERT INTO idempotency_records AS r
		(principal, value, fingerprint, status, headers, body, digest, created_at, expires_at)
		VALUES (?, ?, ?, 0, '', ?, '', ?, ?)
		ON CONFLICT (principal, value) DO UPDATE
		SET fingerprint = excluded.fingerprint, created_at = excluded.created_at, expires_at = excluded.expires_at
		WHERE r.expires_at <= excluded.created_at`
	now := db.now()
	err := db.write(ctx, func(q *gorm.DB) error {
		r := q.Exec(query, k.Principal, k.Value, k.Fingerprint, []byte{}, now, now.Add(idempotency.TTL))
		if r.Error == nil && r.RowsAffected == 0 {
			return keyInUse()
		}
		return r.Error
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == lockNotAvailable {
		return keyInUse() // another server's transaction has claimed it and is not done
	}
	return err
}

// keep puts the reply into the claimed record.
func (db *DB) keep(ctx context.Context, k idempotency.Key, reply idempotency.Reply) (idempotency.Reply, error) {
	if reply.Status < 200 || reply.Status > 299 {
		return reply, fmt.Errorf("idempotency: a reply of status %d is not kept", reply.Status)
	}
	sum := sha256.Sum256(reply.Body)
	reply.CreatedAt, reply.Digest = db.now(), hex.EncodeToString(sum[:])
	if reply.Body == nil {
		reply.Body = []byte{}
	}
	row := recordRow{Status: reply.Status, Headers: reply.Headers, Body: reply.Body, Digest: reply.Digest, CreatedAt: reply.CreatedAt}
	err := db.write(ctx, func(q *gorm.DB) error {
		return affected("key", q.Model(&recordRow{}).Where("principal = ? AND value = ?", k.Principal, k.Value).
			Select("status", "headers", "body", "digest", "created_at").Updates(row))
	})
	return reply, err
}

// sweepBatch is how many records one transaction of a sweep removes, so that
// nobody waits long for it.
const sweepBatch = 500

// SweepReplies removes the records that have expired and returns how many. It
// commits in batches, and stops at the first that fails.
func (db *DB) SweepReplies(ctx context.Context) (int, error) {
	const query = `DELETE FROM idempotency_records WHERE (principal, value) IN
		(SELECT principal, value FROM idempotency_records WHERE expires_at <= ? LIMIT ?)`
	total := 0
	for {
		var n int
		err := db.write(ctx, func(q *gorm.DB) error {
			r := q.Exec(query, db.now(), sweepBatch)
			n = int(r.RowsAffected)
			return r.Error
		})
		total += n
		if err != nil || n < sweepBatch {
			return total, err
		}
	}
}
