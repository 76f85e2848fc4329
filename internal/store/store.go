// Package store keeps Ambit's state in SQL: SQLite in a folder that one process
// holds, or PostgreSQL. It implements the store interface of every domain
// package, and means the same on both databases.
//
// Rows are unexported types with the fields of the domain type and in its
// order, so that a plain Go conversion goes both ways: a field that is added on
// one side only does not compile, and a column that is added can reach nobody
// by mistake.
package store

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"time"

	"gorm.io/gorm"

	"ambit/internal/clock"
)

// Dialect is a kind of database.
type Dialect string

// Dialects.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Config says which database to open, and how.
type Config struct {
	Dir string // the data folder: SQLite is in it, and this process holds it
	URL string // PostgreSQL; when it is set, Dir is not used

	// AuditKey signs the end of the audit log. It must be an Ed25519 key.
	AuditKey crypto.Signer

	// Migrate brings the schema up to date. It is given a pool of its own
	// before the store has any, while the data folder is held. Nil leaves the
	// schema alone.
	Migrate func(ctx context.Context, db *sql.DB, dialect string) (version int64, err error)

	Now      clock.Clock // nil is the system's
	MaxConns int         // to PostgreSQL; 0 is 20
}

// DB is an open database. Reads go to a handle of their own; nothing is
// written outside [DB.Tx].
type DB struct {
	dialect Dialect
	w, r    *gorm.DB // on PostgreSQL both are one pool
	now     clock.Clock
	key     crypto.Signer
	public  ed25519.PublicKey
	holder  holder
	closers []io.Closer // in the order of opening
}

// limit is the deadline of a call that has none.
const limit = 10 * time.Second

// Open opens the database, and brings its schema up to date if c says how.
func Open(ctx context.Context, c Config) (_ *DB, err error) {
	db := &DB{dialect: SQLite, now: c.Now, key: c.AuditKey}
	if c.URL != "" {
		db.dialect = Postgres
	}
	if db.now == nil {
		db.now = clock.Now
	}
	if c.AuditKey == nil {
		return nil, errors.New("opening the store: no key for the audit log")
	}
	var ok bool
	if db.public, ok = c.AuditKey.Public().(ed25519.PublicKey); !ok {
		return nil, errors.New("opening the store: the audit log's key is not Ed25519")
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	if db.dialect == SQLite {
		return db, db.openSQLite(ctx, c)
	}
	return db, db.openPostgres(ctx, c)
}

// Close closes everything that Open opened. What is in flight fails.
func (db *DB) Close() error {
	var errs []error
	for i := len(db.closers) - 1; i >= 0; i-- {
		errs = append(errs, db.closers[i].Close())
	}
	db.closers = nil
	return errors.Join(errs...)
}

// Dialect returns the kind of the database.
func (db *DB) Dialect() Dialect { return db.dialect }

// AuditKey returns the key that verifies the end of the audit log.
func (db *DB) AuditKey() ed25519.PublicKey { return db.public }

// Ping reports whether the database answers, within two seconds.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return db.read(ctx, func(q *gorm.DB) error { return q.Exec("SELECT 1").Error })
}

// Pool returns the connections that write. It is for the job queue, which
// works on its own tables outside of our transactions; everybody else uses
// [DB.Tx]. On SQLite it is one connection, so that the queue waits its turn.
func (db *DB) Pool() (*sql.DB, error) { return db.w.DB() }

// migrate runs c.Migrate on a pool of its own.
func migrate(ctx context.Context, c Config, dialect Dialect, pool *sql.DB) error {
	if c.Migrate == nil {
		return pool.Close()
	}
	_, err := c.Migrate(ctx, pool, string(dialect))
	return errors.Join(err, pool.Close())
}

// connect makes a gorm handle of a pool, and closes the pool with db.
func (db *DB) connect(name string, pool *sql.DB, dialector gorm.Dialector) (*gorm.DB, error) {
	db.closers = append(db.closers, pool)
	g, err := gorm.Open(dialector, gormConfig())
	if err != nil {
		return nil, fmt.Errorf("opening the database to %s: %w", name, err)
	}
	return g, nil
}
