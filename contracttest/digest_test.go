package contracttest

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
)

// business are the tables of what was made: not who called, and not the log.
var business = []string{
	"workspaces", "datasets", "dataset_versions", "plans", "runs", "run_events", "trials", "models", "idempotency_records", "river_job",
}

// digest tells two states of a server apart: every row of what was made, and
// the name of every file that belongs to it.
func (s *server) digest(t testing.TB) string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(s.data, "ambit.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out strings.Builder
	for _, table := range business {
		rows, sum := tableDigest(t, db, table)
		fmt.Fprintf(&out, "%s: %d rows, %s\n", table, rows, sum)
	}
	for _, folder := range []string{"tables", "files"} {
		for _, name := range filesUnder(t, filepath.Join(s.data, folder)) {
			fmt.Fprintf(&out, "%s/%s\n", folder, name)
		}
	}
	return out.String()
}

func tableDigest(t testing.TB, db *sql.DB, name string) (n int, sum string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+name+" ORDER BY 1, 2")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	values, pointers := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(pointers...); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(hash, values...)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return n, fmt.Sprintf("%.4x", hash.Sum(nil))
}

func filesUnder(t testing.TB, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != folder {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// unchanged checks that f leaves what was made as it was.
func (s *server) unchanged(t testing.TB, f func()) {
	t.Helper()
	before := s.digest(t)
	f()
	if after := s.digest(t); after != before {
		t.Errorf("something was half done.\nbefore:\n%s\nafter:\n%s", without(before, after), without(after, before))
	}
}

// without returns the lines of a that b has not.
func without(a, b string) string {
	known := strings.Split(b, "\n")
	return strings.Join(slices.DeleteFunc(strings.Split(a, "\n"), func(line string) bool { return slices.Contains(known, line) }), "\n")
}
