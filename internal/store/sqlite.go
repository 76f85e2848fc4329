package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
	"gorm.io/driver/sqlite"
)

// sqliteFile is the database's name in the data folder.
const sqliteFile = "ambit.db"

// sqliteReaders is how many reads run at the same time.
const sqliteReaders = 8

// openSQLite takes the data folder and opens the database in it: one connection
// that writes, so that writers wait in a queue of ours and never meet
// SQLITE_BUSY, and several that can only read.
func (db *DB) openSQLite(ctx context.Context, c Config) error {
	lock, err := holdFolder(c.Dir)
	if err != nil {
		return err
	}
	db.closers = append(db.closers, lock)
	path := filepath.Join(c.Dir, sqliteFile)
	if err := private(path); err != nil {
		return err
	}
	pool, err := sql.Open("sqlite3", sqliteDSN(path, "_txlock", "immediate"))
	if err != nil {
		return err
	}
	if err := migrate(ctx, c, SQLite, pool); err != nil {
		return err
	}
	return db.openHandles(path)
}

func (db *DB) openHandles(path string) error {
	write, err := sql.Open("sqlite3", sqliteDSN(path, "_txlock", "immediate"))
	if err != nil {
		return err
	}
	write.SetMaxOpenConns(1)
	if db.w, err = db.connect("write", write, &sqlite.Dialector{Conn: write}); err != nil {
		return err
	}
	read, err := sql.Open("sqlite3", sqliteDSN(path, "_query_only", "1"))
	if err != nil {
		return err
	}
	read.SetMaxOpenConns(sqliteReaders)
	read.SetMaxIdleConns(sqliteReaders)
	db.holder = &localHolder{taken: map[string]bool{}}
	db.r, err = db.connect("read", read, &sqlite.Dialector{Conn: read})
	return err
}

// sqliteDSN names the file and the settings of every connection to it. FULL
// makes a commit outlive a power cut: the driver's own default does not. Each
// connection keeps the statements that it has prepared: half the cost of a
// small read was preparing it.
func sqliteDSN(path, key, value string) string {
	settings := url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_foreign_keys": {"1"}, "_busy_timeout": {"5000"},
		"_stmt_cache_size": {"64"}, key: {value},
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: settings.Encode()}).String()
}

// private makes the database's file before SQLite does, for its owner alone;
// the files that SQLite puts beside it take its mode.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	return f.Close()
}
