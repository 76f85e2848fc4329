// Package storetest opens stores for tests, with the present schema, on both
// databases. A store is closed and thrown away when its test ends.
package storetest

import (
	"context"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ambit/internal/store"
	"ambit/internal/testservices"
	"ambit/migrations"
)

// Key signs the audit log of test stores.
var Key = ed25519.NewKeyFromSeed([]byte(strings.Repeat("t", ed25519.SeedSize)))

// Each runs a test on a store of its own on each database.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	EachConfig(t, func(t *testing.T, c store.Config) { test(t, Open(t, c)) })
}

// EachConfig runs a test with the configuration of a new store on each
// database, for tests that open it themselves, or more than once.
func EachConfig(t *testing.T, test func(t *testing.T, c store.Config)) {
	t.Helper()
	t.Run(string(store.SQLite), func(t *testing.T) { test(t, SQLiteConfig(t)) })
	t.Run(string(store.Postgres), func(t *testing.T) { test(t, PostgresConfig(t)) })
}

// SQLite returns a new store in a temporary folder.
func SQLite(t testing.TB) *store.DB {
	t.Helper()
	return Open(t, SQLiteConfig(t))
}

// Postgres returns a new store in a database of its own.
func Postgres(t testing.TB) *store.DB {
	t.Helper()
	return Open(t, PostgresConfig(t))
}

// Open opens a store and closes it when the test ends.
func Open(t testing.TB, c store.Config) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// SQLiteConfig returns the configuration of a new store in a temporary folder.
func SQLiteConfig(t testing.TB) store.Config {
	t.Helper()
	dir := t.TempDir()
	file, err := template()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "ambit.db"), file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return store.Config{Dir: dir, AuditKey: Key, Migrate: migrations.Up}
}

// PostgresConfig returns the configuration of a new store in a database of its own.
func PostgresConfig(t testing.TB) store.Config {
	t.Helper()
	return store.Config{URL: testservices.Postgres(t), AuditKey: Key, Migrate: migrations.Up}
}

// template is the file of an empty SQLite store. It is made once for a test
// binary: migrating waits for the disk a hundred times, copying once.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ambit-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(context.Background(), store.Config{Dir: dir, AuditKey: Key, Migrate: migrations.Up})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "ambit.db"))
})
