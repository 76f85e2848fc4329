package store_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gorm.io/gorm/schema"

	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

// column is a column as far as both databases and Go know of it.
type column struct {
	Table, Name string
	Type        string // text, integer, real, bytes, boolean
	Null        bool
	Key         bool // part of the primary key
}

// kinds are the databases' types by what they hold. SQLite keeps booleans as integers.
var kinds = map[string]string{
	"text": "text", "bigint": "integer", "integer": "integer", "double precision": "real", "real": "real",
	"bytea": "bytes", "blob": "bytes", "boolean": "boolean",
}

// ours is the condition that a table or index is not one of the job queue's,
// the migrations' or the database's own.
func ours(name string) string {
	return strings.ReplaceAll("X NOT LIKE 'river%' AND X NOT LIKE 'goose%' AND X NOT LIKE 'sqlite%'", "X", name)
}

var columnQueries = map[store.Dialect]string{
	store.SQLite: `SELECT m.name, c.name, lower(c.type), NOT c."notnull", c.pk > 0
		FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND ` + ours("m.name"),
	store.Postgres: `SELECT c.table_name, c.column_name, c.data_type, c.is_nullable = 'YES', EXISTS (
			SELECT 1 FROM information_schema.key_column_usage k JOIN information_schema.table_constraints t USING (constraint_name, table_name)
			WHERE t.constraint_type = 'PRIMARY KEY' AND k.table_name = c.table_name AND k.column_name = c.column_name)
		FROM information_schema.columns c WHERE c.table_schema = 'public' AND ` + ours("c.table_name"),
}

// migrated returns the columns that a database has.
func migrated(t *testing.T, db *store.DB) []column {
	t.Helper()
	var out []column
	query(t, db, columnQueries[db.Dialect()], func(rows *sql.Rows) error {
		var c column
		err := rows.Scan(&c.Table, &c.Name, &c.Type, &c.Null, &c.Key)
		c.Type = cmp.Or(kinds[c.Type], "unknown: "+c.Type)
		out = append(out, c)
		return err
	})
	return out
}

// modelled returns the columns that the rows have.
func modelled(t *testing.T, dialect store.Dialect) []column {
	t.Helper()
	var out []column
	for _, row := range store.Models() {
		s, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
		must(t, err)
		for _, f := range s.Fields {
			if f.DBName != "" {
				out = append(out, column{Table: s.Table, Name: f.DBName, Type: kindOf(f, dialect), Key: f.PrimaryKey})
			}
		}
	}
	return out
}

func kindOf(f *schema.Field, dialect store.Dialect) string {
	switch kind := f.IndirectFieldType.Kind(); {
	case f.Serializer != nil || kind == reflect.String:
		return "text"
	case kind == reflect.Slice:
		return "bytes"
	case kind == reflect.Float64:
		return "real"
	case kind == reflect.Bool && dialect == store.Postgres:
		return "boolean"
	}
	return "integer"
}

// query calls scan for each row of a query on the writing pool.
func query(t *testing.T, db *store.DB, text string, scan func(rows *sql.Rows) error) {
	t.Helper()
	pool, err := db.Pool()
	must(t, err)
	rows, err := pool.QueryContext(t.Context(), text)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		must(t, scan(rows))
	}
	must(t, rows.Err())
}

func execSQL(t *testing.T, db *store.DB, text string) {
	t.Helper()
	pool, err := db.Pool()
	must(t, err)
	if _, err := pool.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// drift lists the differences between the database and the rows.
func drift(t *testing.T, db *store.DB) []string {
	t.Helper()
	have, want := migrated(t, db), modelled(t, db.Dialect())
	var out []string
	for _, c := range have {
		if !slices.Contains(want, c) {
			out = append(out, fmt.Sprintf("only migrated: %+v", c))
		}
	}
	for _, c := range want {
		if !slices.Contains(have, c) {
			out = append(out, fmt.Sprintf("only modelled: %+v", c))
		}
	}
	return out
}

func TestSchemaIsAsModelled(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if n := len(migrated(t, db)); n < 150 {
			t.Fatalf("the database shows %d columns: the query misses some", n)
		}
		equal(t, "drift", drift(t, db), []string(nil))

		// What the comparison must see.
		for _, tt := range []struct{ change, want string }{
			{"ALTER TABLE plans ADD COLUMN sneaky text NOT NULL DEFAULT ''", "only migrated: {Table:plans Name:sneaky Type:text Null:false Key:false}"},
			{"ALTER TABLE plans RENAME COLUMN note TO remark", "only modelled: {Table:plans Name:note Type:text Null:false Key:false}"},
			{"CREATE TABLE extra (id text)", "only migrated: {Table:extra Name:id Type:text Null:true Key:false}"},
			{"ALTER TABLE run_events RENAME TO happenings", "only modelled: {Table:run_events Name:seq Type:integer Null:false Key:true}"},
		} {
			execSQL(t, db, tt.change)
			if got := drift(t, db); !slices.Contains(got, tt.want) {
				t.Errorf("after %q: got %q, want %q among them", tt.change, got, tt.want)
			}
		}
	})
}

var indexQueries = map[store.Dialect]string{
	store.SQLite:   "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND " + ours("name"),
	store.Postgres: "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%pkey' AND " + ours("indexname"),
}

// plain takes out of an index's definition what the databases write differently.
var plain = strings.NewReplacer("public.", "", "USING btree ", "", "::text", "", "::bigint", "", "(", "", ")", "", `"`, "")

func TestBothDatabasesHaveTheSameIndexes(t *testing.T) {
	found := map[store.Dialect][]string{}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var all []string
		query(t, db, indexQueries[db.Dialect()], func(rows *sql.Rows) error {
			var text string
			err := rows.Scan(&text)
			all = append(all, strings.Join(strings.Fields(plain.Replace(text)), " "))
			return err
		})
		slices.Sort(all)
		found[db.Dialect()] = all
	})
	lite, postgres := found[store.SQLite], found[store.Postgres]
	if postgres == nil {
		t.Skip("PostgreSQL is not installed; install the package postgresql")
	}
	if len(lite) < 25 {
		t.Errorf("got %d indexes: the query misses some", len(lite))
	}
	equal(t, "indexes", postgres, lite)
}

func TestSQLiteIsSetUpForPowerCuts(t *testing.T) {
	db := storetest.SQLite(t)
	for setting, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "integrity_check": "ok"} {
		query(t, db, "PRAGMA "+setting, func(rows *sql.Rows) error {
			var got string
			err := rows.Scan(&got)
			equal(t, setting, got, want)
			return err
		})
	}
}

func TestAuditLogIsAppendOnly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.Append(t.Context(), entry("ok")))
		pool, err := db.Pool()
		must(t, err)
		for _, change := range []string{"UPDATE audit_log SET outcome = 'x'", "DELETE FROM audit_log"} {
			if _, err := pool.ExecContext(t.Context(), change); err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Errorf("%s: got %v, want that it is append-only", change, err)
			}
		}
	})
}
