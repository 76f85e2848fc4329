package migrations_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"ambit/internal/testservices"
	"ambit/migrations"
)

// each runs a test on a new, empty database of both kinds.
func each(t *testing.T, test func(t *testing.T, db *sql.DB, dialect string)) {
	t.Run(migrations.SQLite, func(t *testing.T) {
		test(t, open(t, "sqlite3", "file:"+filepath.Join(t.TempDir(), "x.db")+"?_journal_mode=WAL&_txlock=immediate&_busy_timeout=10000"), migrations.SQLite)
	})
	t.Run(migrations.Postgres, func(t *testing.T) {
		test(t, open(t, "pgx", testservices.EmptyPostgres(t)), migrations.Postgres)
	})
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// latest is the version that the files say; a release raises it.
const latest = 2

func TestUp(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, dialect string) {
		have, want, err := migrations.Pending(t.Context(), db, dialect)
		if have != 0 || want != latest || err != nil {
			t.Errorf("before: got %d, %d, %v; want 0, %d", have, want, err, latest)
		}
		for range 2 {
			if got, err := migrations.Up(t.Context(), db, dialect); got != latest || err != nil {
				t.Fatalf("got %d, %v; want %d", got, err, latest)
			}
		}
		have, want, err = migrations.Pending(t.Context(), db, dialect)
		if have != latest || want != latest || err != nil {
			t.Errorf("after: got %d, %d, %v; want %d twice", have, want, err, latest)
		}
		exec(t, db, "INSERT INTO workspaces VALUES ('ws_1', 'one', '', 'explore', 1, 'cli')")
		exec(t, db, "SELECT id, kind, state FROM river_job")
	})
}

func TestUpRefusesANewerSchema(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, dialect string) {
		if _, err := migrations.Up(t.Context(), db, dialect); err != nil {
			t.Fatal(err)
		}
		exec(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)")
		got, err := migrations.Up(t.Context(), db, dialect)
		if got != 99 || !errors.Is(err, migrations.ErrNewer) || !strings.Contains(err.Error(), "version 99, this one knows 2") {
			t.Errorf("got %d, %v; want 99 and ErrNewer with both versions", got, err)
		}
	})
}

// A step that fails leaves nothing of itself, and goes through when it can.
func TestUpAfterAFailure(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, dialect string) {
		exec(t, db, "CREATE TABLE audit_head (x integer)") // in the way of the first step's last table
		if _, err := migrations.Up(t.Context(), db, dialect); err == nil {
			t.Fatal("it went through")
		}
		exec(t, db, "DROP TABLE audit_head")
		if got, err := migrations.Up(t.Context(), db, dialect); got != latest || err != nil {
			t.Errorf("got %d, %v; want %d", got, err, latest)
		}
	})
}

// Servers that start together migrate once. SQLite has one server, which holds
// the data folder.
func TestUpTogether(t *testing.T) {
	url := testservices.EmptyPostgres(t)
	var wg sync.WaitGroup
	for range 6 {
		db := open(t, "pgx", url)
		wg.Go(func() {
			if got, err := migrations.Up(t.Context(), db, migrations.Postgres); got != latest || err != nil {
				t.Errorf("got %d, %v; want %d", got, err, latest)
			}
		})
	}
	wg.Wait()
	var n int
	row := open(t, "pgx", url).QueryRow("SELECT count(*) FROM goose_db_version WHERE version_id > 0")
	if err := row.Scan(&n); err != nil || n != latest {
		t.Errorf("got %d steps, %v; want %d", n, err, latest)
	}
}

func TestBothDatabasesHaveTheSameNumbers(t *testing.T) {
	names := func(dialect string) (out []string) {
		files, err := fs.Glob(os.DirFS("."), dialect+"/*.sql")
		if err != nil || len(files) == 0 {
			t.Fatal(dialect, files, err)
		}
		for _, file := range files {
			out = append(out, filepath.Base(file))
		}
		return out
	}
	if a, b := names(migrations.SQLite), names(migrations.Postgres); !slices.Equal(a, b) {
		t.Errorf("SQLite has %q, PostgreSQL has %q", a, b)
	}
}
