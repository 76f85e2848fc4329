package duckdb

import (
	"database/sql"
	"sort"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"ambit/engines/duckdb/internal/gate"
)

// engineVersion is the version whose functions have been reviewed.
const engineVersion = "v1.5.6"

// openDirect opens the engine in this process, which only tests may do.
func openDirect(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestEveryFunctionIsDecided fails when the engine has a function that nobody
// has allowed or denied, or lost one that is listed: when it was upgraded.
// Then go through functions.txt, the shapes of nodes and the corpus.
func TestEveryFunctionIsDecided(t *testing.T) {
	db := openDirect(t)
	var version string
	if err := db.QueryRow("SELECT version()").Scan(&version); err != nil || version != engineVersion {
		t.Errorf("engine %s, %v; reviewed is %s", version, err, engineVersion)
	}
	calls := functionNames(t, db, "'scalar', 'aggregate', 'macro'")
	tables := functionNames(t, db, "'table', 'table_macro'")
	for _, f := range gate.Families() {
		names := calls
		if f.Table {
			names = tables
		}
		if f.Reason == "" || len(f.Members) == 0 {
			t.Errorf("family %s has no reason or no members", f.Name)
		}
		for _, m := range f.Members {
			if names[m] == (f.Name == "grammar") {
				t.Errorf("family %s lists %s, which the engine has: %v", f.Name, m, names[m])
			}
			delete(names, m)
		}
	}
	if left := append(sorted(calls), sorted(tables)...); len(left) > 0 {
		t.Errorf("nobody has decided about: %s", strings.Join(left, " "))
	}
}

func functionNames(t *testing.T, db *sql.DB, types string) map[string]bool {
	t.Helper()
	rows, err := db.Query("SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type IN (" + types + ")")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names[name] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

func sorted(set map[string]bool) []string {
	var out []string
	for name := range set {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
