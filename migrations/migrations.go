// Package migrations holds the schema of both databases as SQL files with the
// same numbers, and applies it. The job queue's own schema is a step of the
// same history, pinned to a version, so that one number says all.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// Dialects, which are also the names of the folders of SQL files.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// queueVersions says which step of the history brings the job queue's schema
// to which of its versions. A step that was released is never changed: a newer
// queue gets a new number.
var queueVersions = map[int64]int{2: 8}

// ErrNewer says that the database was written by a newer Ambit.
var ErrNewer = errors.New("the database's schema is newer than this Ambit")

// Up applies what is missing and returns the version that the schema then has.
// A schema that is newer than this Ambit is left alone: [ErrNewer].
//
// It must have a pool of its own, of at least two connections, which it does
// not close. On PostgreSQL it holds an advisory lock, so that servers that start
// together migrate once; on SQLite the caller holds the data folder.
func Up(ctx context.Context, db *sql.DB, dialect string) (int64, error) {
	p, err := provider(db, dialect)
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	if have > want {
		return have, fmt.Errorf("%w: version %d, this one knows %d; start the newer Ambit, or restore a backup", ErrNewer, have, want)
	}
	if _, err := p.Up(ctx); err != nil {
		return have, fmt.Errorf("migrating the schema from version %d to %d: %w", have, want, err)
	}
	return want, nil
}

// Pending returns the version of the schema and the one that this Ambit needs.
func Pending(ctx context.Context, db *sql.DB, dialect string) (have, want int64, err error) {
	p, err := provider(db, dialect)
	if err != nil {
		return 0, 0, fmt.Errorf("reading the migrations: %w", err)
	}
	return p.GetVersions(ctx)
}

func provider(db *sql.DB, dialect string) (*goose.Provider, error) {
	folder, err := fs.Sub(files, dialect)
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger())}
	name, queue := goose.DialectSQLite3, riverdriver.Driver[*sql.Tx](riversqlite.New(db))
	if dialect == Postgres {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120)) // seconds between tries, tries
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
		name, queue = goose.DialectPostgres, riverdatabasesql.New(db)
	}
	for step, version := range queueVersions {
		up := &goose.GoFunc{RunDB: func(ctx context.Context, _ *sql.DB) error { return migrateQueue(ctx, queue, version) }}
		options = append(options, goose.WithGoMigrations(goose.NewGoMigration(step, up, nil)))
	}
	return goose.NewProvider(name, db, folder, options...)
}

// migrateQueue brings the job queue's schema to a version. It can be repeated
// after a crash in the middle: the queue keeps its own list of what is done.
func migrateQueue(ctx context.Context, driver riverdriver.Driver[*sql.Tx], version int) error {
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: version})
	return err
}
