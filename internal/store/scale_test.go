package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ambit/audit"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

// fill adds n rows to a table: copies of the one row that it has of the id,
// with columns set to what expressions of a number n, from first + 1 on, say.
func fill(t testing.TB, db *store.DB, table, id string, first, n int, set map[string]string) {
	t.Helper()
	pool, err := db.Pool()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pool.Query("SELECT * FROM " + table + " LIMIT 0")
	if err != nil {
		t.Fatal(err)
	}
	names, err := rows.Columns()
	rows.Close()
	if err != nil {
		t.Fatal(err)
	}
	values := slices.Clone(names)
	for i, name := range names {
		if expression, ok := set[name]; ok {
			values[i] = expression
		}
	}
	text := fmt.Sprintf(`INSERT INTO %s (%s) WITH RECURSIVE s(n) AS (SELECT %d UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT %s FROM %s, s WHERE %s`,
		table, strings.Join(names, ", "), first+1, first+n, strings.Join(values, ", "), table, id)
	if _, err := pool.Exec(text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// fillAll makes the store as large as a well-used one. What it adds is numbered
// from first on, so that it can be done twice.
func fillAll(t testing.TB, db *store.DB, runs, records, tokens, first int) {
	t.Helper()
	later := fmt.Sprint(int64(t0), " + n")
	fill(t, db, "plans", "id = 'pl_rn_1'", first, runs, map[string]string{"id": "'pl_' || n", "created_at": later})
	fill(t, db, "runs", "id = 'rn_1'", first, runs, map[string]string{"id": "'rn_x' || n", "plan_id": "'pl_' || n", "created_at": later, "state": "'succeeded'"})
	fill(t, db, "models", "id = 'md_1'", first, runs, map[string]string{"id": "'md_x' || n", "name": "'x' || n", "created_at": later})
	fill(t, db, "tokens", "id = 'tk_1'", first, tokens, map[string]string{"id": "'tk_x' || n", "created_at": later})
	fill(t, db, "people", "id = 'pn_1'", first, tokens, map[string]string{"id": "'pn_x' || n", "email": "'x' || n", "created_at": later})
	fill(t, db, "audit_log", "seq = 1", first, records, map[string]string{
		"seq": "n + 1", "workspace_id": "'ws_' || (n % 50)", "principal": "'token:' || (n % 50)", "tool": "'t' || (n % 40)",
		"entity": "'plan:' || n", "outcome": "CASE WHEN n % 100 = 0 THEN 'invalid' ELSE 'ok' END",
	})
	pool, err := db.Pool()
	if err != nil {
		t.Fatal(err)
	}
	if db.Dialect() == store.Postgres { // it does so by itself, later
		if _, err := pool.Exec("ANALYZE"); err != nil {
			t.Fatal(err)
		}
	}
}

// one inserts one of everything that fillAll copies.
func one(t testing.TB, db *store.DB) {
	t.Helper()
	basics(t, db)
	aRun(t, db, "ws_1", "ds_1", "rn_1")
	must(t, db.InsertModel(t.Context(), model("ws_1", "rn_1", "md_1")))
	must(t, db.InsertToken(t.Context(), token("tk_1")))
	must(t, db.InsertPerson(t.Context(), person("pn_1")))
	must(t, db.Append(t.Context(), entry("ok")))
}

// middle is a place in the middle of every list that fillAll makes.
var middle = page.Page{Limit: 50, After: page.Cursor{At: t0 + 1000, ID: "x"}}

// lists are the reads whose cost must not grow with what is kept.
var lists = []struct {
	name string
	read func(ctx ctx, db *store.DB) error
}{
	{"runs", func(ctx ctx, db *store.DB) error { return second(db.Runs(ctx, "ws_1", middle)) }},
	{"plans", func(ctx ctx, db *store.DB) error { return second(db.Plans(ctx, "ws_1", middle)) }},
	{"models", func(ctx ctx, db *store.DB) error { return second(db.Models(ctx, "ws_1", middle)) }},
	{"champion", func(ctx ctx, db *store.DB) error { _, err := db.Champion(ctx, "ws_1"); return absent(err) }},
	{"tokens", func(ctx ctx, db *store.DB) error { return second(db.Tokens(ctx, middle)) }},
	{"people", func(ctx ctx, db *store.DB) error { return second(db.People(ctx, middle)) }},
	{"lost runs", func(ctx ctx, db *store.DB) error { return second(db.LostRuns(ctx, t0)) }},
	{"audit, newest", auditList(audit.Filter{})},
	{"audit, in the middle", auditList(audit.Filter{After: 500})},
	{"audit of workspaces", auditList(audit.Filter{Workspaces: []string{"ws_3", "ws_4"}})},
	{"audit of a principal", auditList(audit.Filter{Principal: "token:7"})},
	{"audit of a tool", auditList(audit.Filter{Tool: "t7"})},
	{"audit of refusals", auditList(audit.Filter{Outcome: "invalid"})},
	{"audit of an entity", auditList(audit.Filter{Entity: "plan:7"})},
}

func auditList(f audit.Filter) func(ctx ctx, db *store.DB) error {
	f.Limit = 51
	return func(ctx ctx, db *store.DB) error { return second(db.Entries(ctx, f)) }
}

// absent takes a not_found for an answer.
func absent(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// Every list is read from an index in its order: what it costs depends on the
// page and not on the table.
func TestListsAreReadFromAnIndex(t *testing.T) {
	bad := map[store.Dialect][]string{
		store.SQLite:   {"TEMP B-TREE", "SCAN runs", "SCAN plans", "SCAN models"},
		store.Postgres: {"Sort", "Seq Scan on runs", "Seq Scan on plans", "Seq Scan on models", "Seq Scan on tokens", "Seq Scan on people", "Seq Scan on audit_log"},
	}
	explain := map[store.Dialect]string{store.SQLite: "EXPLAIN QUERY PLAN ", store.Postgres: "EXPLAIN "}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		one(t, db)
		fillAll(t, db, 3000, 20000, 5000, 0)
		var texts []string
		must(t, db.Record(&texts))
		for _, list := range lists {
			texts = nil
			must(t, list.read(t.Context(), db))
			if len(texts) == 0 {
				t.Fatalf("%s: no query was seen", list.name)
			}
			for _, text := range texts {
				plan := planOf(t, db, explain[db.Dialect()]+text)
				for _, phrase := range bad[db.Dialect()] {
					if strings.Contains(plan, phrase) {
						t.Errorf("%s: %s in the plan of %s:\n%s", list.name, phrase, text, plan)
					}
				}
				if !strings.Contains(strings.ToLower(plan), "index") && !strings.Contains(plan, "INTEGER PRIMARY KEY") {
					t.Errorf("%s: no index in the plan of %s:\n%s", list.name, text, plan)
				}
			}
		}
	})
}

// planOf returns the database's plan of a query, a line a step.
func planOf(t *testing.T, db *store.DB, text string) string {
	t.Helper()
	var lines []string
	query(t, db, text, func(rows *sql.Rows) error {
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		err = rows.Scan(values...)
		lines = append(lines, values[len(values)-1].(*sql.NullString).String)
		return err
	})
	return strings.Join(lines, "\n")
}
