package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gorm.io/gorm"

	"ambit/audit"
)

// tx is a transaction that a context carries.
type tx struct {
	db      *DB
	gorm    *gorm.DB
	readAll bool          // a snapshot: nothing can be written
	entries []audit.Entry // appended when everything else is done
	after   []func()      // called when it has committed
}

type txKey struct{}

// tx returns the transaction of this database that ctx carries, or nil.
func (db *DB) tx(ctx context.Context) *tx {
	t, _ := ctx.Value(txKey{}).(*tx)
	if t == nil || t.db != db {
		return nil
	}
	return t
}

// Tx runs f in a transaction: with its context, everything is read and written
// together. It commits when f succeeds; an error or a panic of f undoes all.
// Inside a transaction f joins it, and only the outermost commits.
//
// Faults: those of f; unavailable when the database does not answer, another
// transaction holds a lock for too long, or the outcome of the commit is unknown.
func (db *DB) Tx(ctx context.Context, f func(ctx context.Context) error) error {
	if t := db.tx(ctx); t != nil {
		if t.readAll {
			return errors.New("a transaction inside a snapshot")
		}
		return f(ctx)
	}
	ctx, cancel := bounded(ctx, limit)
	defer cancel()
	g := db.w.WithContext(ctx).Begin()
	if g.Error != nil {
		return unanswered(g.Error)
	}
	t := &tx{db: db, gorm: g}
	defer g.Rollback() // does nothing after the commit
	if err := f(context.WithValue(ctx, txKey{}, t)); err != nil {
		return translate(err)
	}
	if err := t.appendEntries(); err != nil {
		return translate(err)
	}
	if err := g.Commit().Error; err != nil {
		return unknownOutcome(err)
	}
	for _, f := range t.after {
		f()
	}
	return nil
}

// AfterCommit calls f when the transaction of ctx has committed; at once if
// there is none. F must be quick.
func (db *DB) AfterCommit(ctx context.Context, f func()) {
	if t := db.tx(ctx); t != nil {
		t.after = append(t.after, f)
		return
	}
	f()
}

// SQLTx returns the transaction of ctx as the standard library knows it, and
// whether there is one.
func (db *DB) SQLTx(ctx context.Context) (*sql.Tx, bool) {
	t := db.tx(ctx)
	if t == nil || t.readAll {
		return nil, false
	}
	tx, ok := t.gorm.Statement.ConnPool.(*sql.Tx)
	return tx, ok
}

// snapshotLimit is the deadline of a snapshot that has none: a walk over the
// whole audit log takes longer than a call should.
const snapshotLimit = 10 * time.Minute

// Snapshot calls f with a context in which everything is read as it was at one
// moment. Nothing can be written with it.
func (db *DB) Snapshot(ctx context.Context, f func(ctx context.Context) error) error {
	if db.tx(ctx) != nil {
		return errors.New("a snapshot inside a transaction")
	}
	ctx, cancel := bounded(ctx, snapshotLimit)
	defer cancel()
	var options []*sql.TxOptions
	if db.dialect == Postgres { // SQLite's readers have it so
		options = append(options, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	}
	g := db.r.WithContext(ctx).Begin(options...)
	if g.Error != nil {
		return unanswered(g.Error)
	}
	defer g.Rollback()
	return translate(f(context.WithValue(ctx, txKey{}, &tx{db: db, gorm: g, readAll: true})))
}

// write runs f in the transaction of ctx, or in one of its own.
func (db *DB) write(ctx context.Context, f func(q *gorm.DB) error) error {
	return db.Tx(ctx, func(ctx context.Context) error { return f(db.tx(ctx).gorm.WithContext(ctx)) })
}

// locked runs f in the transaction of ctx, which must be there: what f locks
// is of use only as long as a transaction lasts.
func (db *DB) locked(ctx context.Context, f func(q *gorm.DB) error) error {
	if db.tx(ctx) == nil {
		return errors.New("a lock outside of a transaction")
	}
	return db.write(ctx, f)
}

// read runs f in the transaction of ctx, or on the handle that only reads.
func (db *DB) read(ctx context.Context, f func(q *gorm.DB) error) error {
	if t := db.tx(ctx); t != nil {
		return f(t.gorm.WithContext(ctx))
	}
	ctx, cancel := bounded(ctx, limit)
	defer cancel()
	return translate(f(db.r.WithContext(ctx)))
}

// readRow is read for what is over as soon as it has begun: one row, found by an
// index. On SQLite it waits for a connection as long as ctx lets it, and watches
// ctx no further: a goroutine that does is a quarter of what such a read costs.
func (db *DB) readRow(ctx context.Context, f func(q *gorm.DB) error) error {
	if db.dialect != SQLite || db.tx(ctx) != nil {
		return db.read(ctx, f)
	}
	ctx, cancel := bounded(ctx, limit)
	defer cancel()
	pool, err := db.r.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return translate(err)
	}
	defer conn.Close()
	q := db.r.WithContext(context.WithoutCancel(ctx))
	q.Statement.ConnPool = conn
	return translate(f(q))
}

// bounded gives ctx a deadline if it has none.
func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}
