package duckdb

import (
	"fmt"
	"strings"
	"testing"

	"ambit/datasets"
	"ambit/internal/fault"
)

// smallTables builds two small tables, sales and people.
func smallTables(t testing.TB, e *Engine) []datasets.Table {
	t.Helper()
	ingestCSV(t, e, "w", "s1", "id,region,amount,day\n1,north,10.5,2024-01-01\n2,south,20,2024-01-02\n3,north,,2024-01-03\n4,east,5,2024-01-04\n")
	ingestCSV(t, e, "w", "p1", "id,name,user,joined\n1,Ann,a,2024-01-02\n2,Bob,b,2023-12-31\n3,Cyd,c,2024-01-03\n")
	return []datasets.Table{{Name: "sales", Version: "s1"}, {Name: "people", Version: "p1"}}
}

// served is what must work, and the rows that it gives.
var served = []struct{ name, sql, want string }{
	{"order by inside", "SELECT id FROM sales ORDER BY amount DESC NULLS LAST", "[2]\n[1]\n[4]\n[3]"},
	{"file order", "SELECT id FROM sales", "[1]\n[2]\n[3]\n[4]"},
	{"values of each type", "SELECT id, region, amount, day FROM sales WHERE id IN (1, 3)", `[1,"north",10.5,"2024-01-01"]` + "\n" + `[3,"north",null,"2024-01-03"]`},
	{"group and having", "SELECT region, count(*) AS n FROM sales GROUP BY region HAVING n > 1", `["north",2]`},
	{"group by all", "SELECT region, sum(amount) FROM sales GROUP BY ALL ORDER BY ALL", "[\"east\",5]\n[\"north\",10.5]\n[\"south\",20]"},
	{"rollup", "SELECT region, count(*) FROM sales WHERE region <> 'east' GROUP BY ROLLUP (region) ORDER BY 2, 1", "[\"south\",1]\n[\"north\",2]\n[null,3]"},
	{"filter", "SELECT count(*) FILTER (WHERE amount > 9) FROM sales", "[2]"},
	{"qualify", "SELECT id FROM sales QUALIFY row_number() OVER (PARTITION BY region ORDER BY id DESC) = 1 ORDER BY id", "[2]\n[3]\n[4]"},
	{"window", "SELECT id, lag(amount, 1, 0.0) OVER (ORDER BY id), sum(amount) OVER w FROM sales WINDOW w AS (ORDER BY id ROWS UNBOUNDED PRECEDING) ORDER BY id", "[1,0,10.5]\n[2,10.5,30.5]\n[3,20,30.5]\n[4,null,35.5]"},
	{"cte", "WITH a AS (SELECT id FROM sales), b AS (SELECT id + 1 AS id FROM a) SELECT count(*) FROM a JOIN b USING (id)", "[3]"},
	{"cte of the same name", "WITH sales AS (SELECT * FROM sales WHERE id > 2) SELECT count(*) FROM sales", "[2]"},
	{"recursive cte", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i) FROM n", `[10]`},
	{"union", "SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 2 EXCEPT ALL SELECT 1 ORDER BY x", "[2]\n[2]"},
	{"asof join", "SELECT p.name, s.id FROM people p ASOF LEFT JOIN sales s ON p.joined >= s.day ORDER BY p.id", "[\"Ann\",2]\n[\"Bob\",null]\n[\"Cyd\",3]"},
	{"cross join before an outer join", "SELECT count(*) FROM sales s CROSS JOIN people p LEFT JOIN sales z ON z.id = s.id", "[12]"},
	{"cross join with a lateral", "SELECT x FROM people p, (SELECT p.id * 10 AS x) ORDER BY x", "[10]\n[20]\n[30]"},
	{"lateral unnest", "SELECT u FROM people p, unnest([p.id, 0]) AS r(u) WHERE p.id = 2 ORDER BY u", "[0]\n[2]"},
	{"semi and anti join", "SELECT (SELECT count(*) FROM sales SEMI JOIN people USING (id)), (SELECT count(*) FROM sales ANTI JOIN people USING (id))", "[3,1]"},
	{"correlated", "SELECT name FROM people p WHERE EXISTS (FROM sales s WHERE s.id = p.id AND s.amount > 15)", `["Bob"]`},
	{"pivot", "PIVOT sales ON region IN ('north', 'south') USING sum(amount) AS s GROUP BY day ORDER BY day LIMIT 2", "[\"2024-01-01\",10.5,null]\n[\"2024-01-02\",null,20]"},
	{"unpivot", "UNPIVOT (SELECT id, amount FROM sales WHERE id = 1) ON id, amount INTO NAME k VALUE v", "[\"id\",1]\n[\"amount\",10.5]"},
	{"describe", "DESCRIBE people", "[\"id\",\"BIGINT\",\"YES\",null,null,null]\n[\"name\",\"VARCHAR\",\"YES\",null,null,null]\n[\"user\",\"VARCHAR\",\"YES\",null,null,null]\n[\"joined\",\"DATE\",\"YES\",null,null,null]"},
	{"summarize", "SELECT column_name, min, max FROM (SUMMARIZE sales) WHERE column_name = 'id'", `["id","1","4"]`},
	{"values", "VALUES (1, 'a'), (2, 'b')", "[1,\"a\"]\n[2,\"b\"]"},
	{"values with names", "SELECT b FROM (VALUES (1, 2)) v(a, b)", "[2]"},
	{"from first", "FROM sales SELECT id LIMIT 1", "[1]"},
	{"lists and lambdas", "SELECT list_transform([1, 2, 3], x -> x * 2), [x + 1 FOR x IN [1, 2] IF x > 1], list_reduce([1, 2, 3], (a, b) -> a + b)", "[[2,4,6],[3],6]"},
	{"lambda keyword", "SELECT list_filter([1, 2, 3], lambda x: x > 1)", "[[2,3]]"},
	{"structs and maps", "SELECT {'a': 1, 'b': 'x'}, MAP {'k': 2}, (1, 'y')", `[{"a":1,"b":"x"},[{"key":"k","value":2}],{"":1,"":"y"}]`},
	{"struct field", "SELECT s.a FROM (SELECT {'a': 7} AS s)", "[7]"},
	{"method call", "SELECT name.upper() FROM people WHERE id = 1", `["ANN"]`},
	{"json", `SELECT j->>'a', json_extract(j, '$.b[1]') FROM (SELECT '{"a":"x","b":[1,2]}'::JSON AS j)`, `["x","2"]`},
	{"regular expressions", "SELECT regexp_extract('ab12', '([0-9]+)', 1), 'x' ~ 'x', 'ab' SIMILAR TO 'a.'", `["12",true,true]`},
	{"dates", "SELECT date_trunc('month', day), day + INTERVAL 1 DAY, date_diff('day', DATE '2024-01-01', day), extract(year FROM day) FROM sales WHERE id = 2", `["2024-01-01T00:00:00Z","2024-01-03T00:00:00Z",1,2024]`},
	{"zones", "SELECT TIMESTAMP '2024-01-01 12:00:00' AT TIME ZONE 'Europe/Berlin'", `["2024-01-01T11:00:00Z"]`},
	{"intervals", "SELECT INTERVAL '1 month 2 days 3.5 seconds', INTERVAL 0 DAY", `["P1M2DT3.5S","PT0S"]`},
	{"exact numbers", "SELECT 9007199254740993, 9007199254740992, 1.10::DECIMAL(5,2), -0.05::DECIMAL(4,2), 170141183460469231731687303715884105727", `["9007199254740993",9007199254740992,"1.10","-0.05","170141183460469231731687303715884105727"]`},
	{"floats", "SELECT 0.1::DOUBLE, 1e21::DOUBLE, 1e-7::DOUBLE, 0.1::FLOAT, 100.0::DOUBLE", "[0.1,1e+21,1e-7,0.1,100]"},
	{"not finite", "SELECT 'NaN'::DOUBLE, 'inf'::DOUBLE", "[null,null]"},
	{"texts", "SELECT 'a\"\\' || chr(10) || chr(1) || 'é😀'", `["a\"\\\n\u0001é😀"]`},
	{"uuid, blob, time", "SELECT '00112233-4455-6677-8899-aabbccddeeff'::UUID, 'ab'::BLOB, TIME '01:02:03.5'", `["00112233-4455-6677-8899-aabbccddeeff","YWI=","01:02:03.5"]`},
	{"enum, array, union", "SELECT 'b'::ENUM('a', 'b'), [1, 2]::INT[2], union_value(k := 5)", `["b",[1,2],5]`},
	{"a column named like a function", "SELECT user FROM people ORDER BY user LIMIT 1", `["a"]`},
	{"names to be quoted", `SELECT 1 AS "a ""b", 2 AS "select" ORDER BY "select"`, "[1,2]"},
	{"columns of equal names", "SELECT id, id FROM sales WHERE id = 1", "[1,1]"},
	{"columns()", "SELECT max(COLUMNS('^i')) FROM sales", "[4]"},
	{"star except", "SELECT * EXCLUDE (amount, day) REPLACE (id * 2 AS id) FROM sales WHERE id = 4", `[8,"east"]`},
	{"collate", "SELECT 'a' = 'A' COLLATE NOCASE", "[true]"},
	{"sample", "SELECT count(*) FROM (FROM sales USING SAMPLE 2 ROWS)", "[2]"},
	{"repeat with a number", "SELECT repeat('ab', 2), lpad('1', 3, '0'), format('{:>4}', 'x'), printf('%03d', 7)", `["abab","001","   x","007"]`},
	{"age of two moments", "SELECT age(DATE '2024-03-01', DATE '2024-01-01')", `["P2M"]`},
	{"quantiles", "SELECT quantile_cont(amount, [0.5]), median(amount), mode(region) FROM sales", `[[10.5],10.5,"north"]`},
	{"order by kept in a subquery", "SELECT list(id) FROM (SELECT id FROM sales ORDER BY id DESC)", "[[4,3,2,1]]"},
	{"alias reused beside", "SELECT amount * 2 AS twice, twice + 1 FROM sales WHERE id = 4", "[10,11]"},
	{"grouping by an alias under another query", "SELECT * FROM (SELECT upper(region) AS region, count(*) AS n FROM sales GROUP BY region) ORDER BY n DESC LIMIT 1", `["NORTH",2]`},
	{"one semicolon", "SELECT 1;", "[1]"},
	{"comments", "/* a */ SELECT 1 -- b", "[1]"},
}

// TestGateServes runs what must work, and compares the rows.
func TestGateServes(t *testing.T) {
	e := newEngine(t, nil)
	tables := smallTables(t, e)
	for _, tt := range served {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: tt.sql})
			if err != nil {
				t.Fatalf("%s: %v", tt.sql, err)
			}
			if got := rowsOf(r); got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.sql, got, tt.want)
			}
		})
	}
}

// refused is what must not work, its code and a part of the text.
var refused = []struct {
	name, sql string
	code      fault.Code
	detail    string // a part of it
}{
	{"insert", "INSERT INTO sales VALUES (9, 'x', 1, NULL)", fault.NotSelect, "Only a SELECT"},
	{"explain", "EXPLAIN SELECT 1", fault.NotSelect, "Only a SELECT"},
	{"set", "SET threads = 8", fault.NotSelect, "Only a SELECT"},
	{"two statements", "SELECT 1; SELECT 2", fault.MultipleStatements, "2 statements"},
	{"drop behind a select", "SELECT 1; DROP VIEW sales", fault.NotSelect, "Only a SELECT"},
	{"show tables", "SHOW TABLES", fault.NotSelect, "SHOW"},
	{"show all tables", "SHOW ALL TABLES", fault.NotSelect, "SHOW"},
	{"describe an unknown table", "DESCRIBE duckdb_settings", fault.UnknownTable, `"duckdb_settings"`},
	{"pivot without values", "PIVOT sales ON region USING sum(amount)", fault.NotSelect, "Only a SELECT"},
	{"nothing", "  \n", fault.Invalid, "no statement"},
	{"comment only", "-- x", fault.Invalid, "no statement"},
	{"syntax", "SELECT FROM WHERE", fault.Invalid, `syntax error at or near "WHERE"`},
	{"unknown column", "SELECT nope FROM sales", fault.Invalid, `Referenced column "nope" not found`},
	{"unknown qualifier", "SELECT v0.main.t.id FROM sales", fault.Invalid, `Candidate tables: "sales"`},
	{"parameter", "SELECT $1", fault.Invalid, "parameter"},
	{"not utf-8", "SELECT '\xff'", fault.Invalid, "UTF-8"},
	{"nul", "SELECT 1\x00; DROP VIEW sales", fault.Invalid, "NUL"},
	{"too long", "SELECT '" + many("x", 40_000) + "'", fault.TooLong, "limit is 32768"},
	{"comments", many("/* */", 60) + "SELECT 1", fault.TooComplex, "comments"},
	{"unknown table", "SELECT * FROM sale", fault.UnknownTable, `There is no table "sale"`},
	{"file as a table", "SELECT * FROM '/etc/passwd'", fault.UnknownTable, `There is no table "(path)"`},
	{"catalogue table", "SELECT * FROM sqlite_master", fault.UnknownTable, `"sqlite_master"`},
	{"schema", "SELECT * FROM information_schema.tables", fault.UnknownTable, "no schema"},
	{"own file's table", "SELECT * FROM v0.main.t", fault.UnknownTable, "no schema"},
	{"cte that reads the catalogue by its own name", "WITH sqlite_master AS (SELECT name FROM sqlite_master) SELECT * FROM sqlite_master", fault.UnknownTable, `"sqlite_master"`},
	{"recursive cte that starts from the catalogue", "WITH RECURSIVE pragma_database_list AS (SELECT name FROM pragma_database_list UNION ALL SELECT name FROM pragma_database_list) SELECT * FROM pragma_database_list", fault.UnknownTable, `"pragma_database_list"`},
	{"cte out of scope", "SELECT (WITH sqlite_master AS (SELECT 1 AS n) SELECT n FROM sqlite_master), (SELECT count(*) FROM sqlite_master)", fault.UnknownTable, `"sqlite_master"`},
	{"later cte", "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", fault.UnknownTable, `"b"`},
	{"with inside a recursive cte", "WITH RECURSIVE r AS (WITH x AS (SELECT name FROM duckdb_views()) SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 2) SELECT * FROM r", fault.FunctionNotAllowed, "duckdb_views"},
	{"table function", "SELECT * FROM read_csv('/etc/passwd')", fault.FunctionNotAllowed, `"read_csv" is not available: reads files`},
	{"query()", "SELECT * FROM query('SELECT 1')", fault.FunctionNotAllowed, "SQL inside SQL"},
	{"unknown function", "SELECT amout(1)", fault.FunctionNotAllowed, "no such function"},
	{"setting", "SELECT current_setting('threads')", fault.FunctionNotAllowed, "settings"},
	{"clock", "SELECT now()", fault.FunctionNotAllowed, "moment"},
	{"clock without brackets", "SELECT current_timestamp FROM sales", fault.FunctionNotAllowed, "clock"},
	{"clock as a method's object", "SELECT current_date.year()", fault.FunctionNotAllowed, "clock"},
	{"clock by one argument", "SELECT age(day) FROM sales", fault.FunctionNotAllowed, "clock"},
	{"session", "SELECT user FROM sales", fault.FunctionNotAllowed, "session"},
	{"chance", "SELECT random()", fault.FunctionNotAllowed, "every call"},
	{"function of a schema", "SELECT pg_catalog.pg_get_viewdef(1)", fault.FunctionNotAllowed, "pg_get_viewdef"},
	{"denied aggregate by name", "SELECT list_aggregate([1], 'reservoir_quantile', 0.5)", fault.FunctionNotAllowed, "reservoir_quantile"},
	{"aggregate by a computed name", "SELECT list_aggregate([1], 's' || 'um')", fault.Invalid, "written name"},
	{"function in a filter", "SELECT count(*) FILTER (WHERE random() > 0.5) FROM sales", fault.FunctionNotAllowed, "random"},
	{"function in order by", "SELECT id FROM sales ORDER BY random()", fault.FunctionNotAllowed, "random"},
	{"function in limit", "SELECT id FROM sales LIMIT (SELECT sleep_ms(1))", fault.FunctionNotAllowed, "sleep_ms"},
	{"function in a join", "SELECT 1 FROM sales s JOIN people p ON s.id = p.id AND random() > 1", fault.FunctionNotAllowed, "random"},
	{"function in an aggregate's order", "SELECT list(id ORDER BY random()) FROM sales", fault.FunctionNotAllowed, "random"},
	{"function in a window", "SELECT sum(id) OVER (ORDER BY random()) FROM sales", fault.FunctionNotAllowed, "random"},
	{"function in a table function", "SELECT * FROM range(sleep_ms(1))", fault.FunctionNotAllowed, "sleep_ms"},
	{"function in replace", "SELECT * REPLACE (random() AS id) FROM sales", fault.FunctionNotAllowed, "random"},
	{"function in values", "VALUES (random())", fault.FunctionNotAllowed, "random"},
	{"function in a pivot", "PIVOT sales ON region IN ('a') USING list(random())", fault.FunctionNotAllowed, "random"},
	{"variant", "SELECT 1::VARIANT", fault.FunctionNotAllowed, `"VARIANT"`},
	{"geometry", "SELECT 'POINT(1 2)'::GEOMETRY", fault.FunctionNotAllowed, `"GEOMETRY"`},
	{"variant in a list", "SELECT [1]::VARIANT[]", fault.FunctionNotAllowed, `"VARIANT"`},
	{"bits", "SELECT '101'::BIT", fault.FunctionNotAllowed, `"BIT"`},
	{"unknown type", "SELECT 1::foo", fault.FunctionNotAllowed, `"foo"`},
	{"aggregate state", "SELECT sum(id) EXPORT_STATE FROM sales", fault.FunctionNotAllowed, "EXPORT_STATE"},
	{"long repeat", "SELECT repeat('x', 1000000000)", fault.TooComplex, "Argument 2 of repeat"},
	{"computed repeat", "SELECT repeat('x', 1000 * 1000)", fault.TooComplex, "Argument 2 of repeat"},
	{"repeat as a method", "SELECT region.repeat(1000000000) FROM sales", fault.Invalid, "with a dot"},
	{"wide format", "SELECT format('{:>2000000000}', 'x')", fault.TooComplex, "layout"},
	{"width from an argument", "SELECT printf('%*d', 1000000000, 1)", fault.TooComplex, "layout"},
	{"nested width", "SELECT format('{:{}}', 'x', 1000000000)", fault.TooComplex, "layout"},
	{"far lead", "SELECT lead(id, -9223372036854775808) OVER () FROM sales", fault.TooComplex, "offset"},
	{"computed lag", "SELECT lag(id, id) OVER () FROM sales", fault.TooComplex, "offset"},
	{"time travel", "SELECT * FROM sales AT (VERSION => 1)", fault.NotSelect, "at_clause"},
	{"deep", "SELECT " + many("(1 + ", 450) + "1" + many(")", 450), fault.TooComplex, "nested deeper than 400"},
	{"dotted", "SELECT sales" + many(".a", 30) + " FROM sales", fault.TooComplex, "16 parts"},
	{"many joins", "SELECT 1 FROM sales" + many(", sales", 31), fault.TooComplex, "30 joins"},
	{"many parts", "SELECT 1" + many(",a+1", 7_000) + " FROM sales", fault.TooComplex, "20000 parts"},
	{"doubling ctes", doubling(12), fault.TooComplex, "WITH queries"},
	{"alias for a bound", "SELECT (SELECT max(s.amount) FROM (SELECT amount, DATE '2999-01-01' AS joined FROM sales e WHERE e.day <= joined) s) FROM people", fault.Invalid, `alias "joined" hides`},
	{"alias in a filter", "SELECT (SELECT sum(e.amount) FILTER (WHERE e.day <= joined) + 0 * max(joined) FROM (SELECT *, DATE '2999-01-01' AS joined FROM sales WHERE joined > day) e) FROM people", fault.Invalid, `alias "joined" hides`},
	{"alias in a lateral", "SELECT * FROM people p, (SELECT DATE '2999-01-01' AS joined, amount FROM sales WHERE day <= joined)", fault.Invalid, `alias "joined" hides`},
	{"no exact text", "SELECT 1e400", fault.Invalid, "restate"},
}

func many(part string, n int) string { return strings.Repeat(part, n) }

// TestGateRefuses runs what must not, and compares code and text.
func TestGateRefuses(t *testing.T) {
	e := newEngine(t, nil)
	tables := smallTables(t, e)
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: tt.sql})
			f := fault.From(err)
			if err == nil || f.Code != tt.code || !strings.Contains(f.Detail, tt.detail) {
				t.Errorf("%.120s\n got %v\nwant %s with %q", tt.sql, err, tt.code, tt.detail)
			}
			if err != nil && f.Fix == "" && f.Code != fault.FunctionNotAllowed && f.Code != fault.TooComplex && f.Code != fault.Invalid {
				t.Errorf("%.120s: no fix in %v", tt.sql, err)
			}
		})
	}
}

// doubling returns n CTEs of which each joins the one before it with itself.
func doubling(n int) string {
	sql := "WITH c0 AS (SELECT 1 AS x)"
	for i := range n {
		sql += fmt.Sprintf(", c%d AS (SELECT a.x FROM c%d a, c%d b)", i+1, i, i)
	}
	return sql + fmt.Sprintf(" SELECT count(*) FROM c%d", n)
}

func TestRefusalsNameWhatIsNear(t *testing.T) {
	e := newEngine(t, nil)
	tables := smallTables(t, e)
	tests := []struct{ sql, key, want string }{
		{"SELECT substrng('a', 1)", "near", "[substr substring]"},
		{"SELECT * FROM sale", "tables", "[people sales]"},
	}
	for _, tt := range tests {
		_, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: tt.sql})
		if got := fmt.Sprint(fault.From(err).Info[tt.key]); got != tt.want {
			t.Errorf("%s: %s = %q, want %q", tt.sql, tt.key, got, tt.want)
		}
	}
}

func TestQueryBounds(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.MaxRows, c.MaxBytes = 100, 2_000 })
	tables := smallTables(t, e)
	tests := []struct {
		name, sql string
		maxRows   int
		rows      int
		more      bool
		code      fault.Code
	}{
		{"as many as asked", "SELECT * FROM range(3)", 3, 3, false, ""},
		{"one more", "SELECT * FROM range(4)", 3, 3, true, ""},
		{"no limit asked", "SELECT * FROM range(1000)", 0, 100, true, ""},
		{"more asked than there may be", "SELECT * FROM range(1000)", 10_000, 100, true, ""},
		{"bytes", "SELECT repeat('x', 500) FROM range(10)", 10, 3, true, ""},
		{"one row too large", "SELECT repeat('x', 3000)", 10, 0, false, fault.TooLarge},
		{"none", "SELECT 1 WHERE false", 10, 0, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: tt.sql, MaxRows: tt.maxRows})
			if fault.CodeOf(err) != tt.code || len(r.Rows) != tt.rows || r.HasMore != tt.more {
				t.Errorf("got %d rows, more %v, %v; want %d, %v, %q", len(r.Rows), r.HasMore, err, tt.rows, tt.more, tt.code)
			}
		})
	}
}

func TestResultIsDescribed(t *testing.T) {
	e := newEngine(t, nil)
	tables := smallTables(t, e)
	ask := func(sql string) datasets.Result {
		r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: sql})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := ask(`SELECT id, amount::DECIMAL(9,2) AS "a b", [day], {'x': 1::TINYINT}, 'NaN'::DOUBLE FROM sales`)
	if got, want := fmt.Sprint(r.Columns), "[{id BIGINT} {a b DECIMAL(9,2)} {main.list_value(\"day\") DATE[]} {main.struct_pack(x := CAST(1 AS \"TINYINT\")) STRUCT(\"x\" TINYINT)} {CAST('NaN' AS \"DOUBLE\") DOUBLE}]"; got != want {
		t.Errorf("columns\n got %s\nwant %s", got, want)
	}
	if r.Nonfinite != 4 {
		t.Errorf("nonfinite = %d, want 4", r.Nonfinite)
	}
	if r.ElapsedMS <= 0 {
		t.Errorf("elapsed = %v, want more than 0", r.ElapsedMS)
	}
	if a, b := ask("SELECT 1  AS x").QueryHash, ask("select 1 x -- same").QueryHash; a != b || len(a) != 64 {
		t.Errorf("hashes of one statement written twice: %s, %s", a, b)
	}
	if a, b := ask("SELECT 1").QueryHash, ask("SELECT 2").QueryHash; a == b {
		t.Errorf("two statements have the hash %s", a)
	}
}

// TestMaskedColumns makes sure that a masked column reads as NULL by any way.
func TestMaskedColumns(t *testing.T) {
	e := newEngine(t, nil)
	smallTables(t, e)
	tables := []datasets.Table{{Name: "people", Version: "p1", Masked: []string{"name"}}}
	tests := []struct{ sql, want string }{
		{"SELECT * EXCLUDE (joined, \"user\") FROM people", "[1,null]\n[2,null]\n[3,null]"},
		{"SELECT count(*) FROM people WHERE name = 'Ann'", "[0]"},
		{"SELECT max FROM (SUMMARIZE people) WHERE column_name = 'name'", "[null]"},
	}
	for _, tt := range tests {
		r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: tt.sql})
		if err != nil || rowsOf(r) != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.sql, rowsOf(r), err, tt.want)
		}
	}
}
