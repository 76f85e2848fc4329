package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
)

// defaultConns is how many connections to PostgreSQL a process opens at most.
const defaultConns = 20

// sessionSettings are those of every connection. A lock is waited for less long
// than a call may take, so that who waits learns that and not only that time is
// up; a transaction whose process hangs ends.
var sessionSettings = map[string]string{
	"application_name":                    "ambit",
	"timezone":                            "UTC",
	"lock_timeout":                        "5s",
	"idle_in_transaction_session_timeout": "60s",
}

// openPostgres opens one pool for reads and writes, and keeps one further
// connection for advisory locks.
func (db *DB) openPostgres(ctx context.Context, c Config) error {
	config, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return fmt.Errorf("reading the database's URL: %w", err)
	}
	if err := migrate(ctx, c, Postgres, stdlib.OpenDB(*config)); err != nil {
		return err
	}
	for name, value := range sessionSettings {
		if _, ok := config.RuntimeParams[name]; !ok { // the URL's own come first
			config.RuntimeParams[name] = value
		}
	}
	pool := stdlib.OpenDB(*config)
	conns := c.MaxConns
	if conns == 0 {
		conns = defaultConns
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	locks := &sessionHolder{config: config, local: localHolder{taken: map[string]bool{}}, turn: make(chan struct{}, 1)}
	db.holder = locks
	if db.w, err = db.connect("write", pool, postgres.New(postgres.Config{Conn: pool})); err != nil {
		return err
	}
	db.closers = append(db.closers, locks)
	db.r = db.w
	if err := db.Ping(ctx); err != nil {
		return fmt.Errorf("connecting to the database: %w", err)
	}
	return nil
}
