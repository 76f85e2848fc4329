package contracttest

import (
	"fmt"
	"strings"
	"testing"
)

// numbered writes n cells with their numbers.
func numbered(n int, format string) string {
	cells := make([]string, n)
	for i := range cells {
		cells[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(cells, ",")
}

// badFiles are tables that cannot be taken, what the refusal says of the place,
// and how it says to mend it.
var badFiles = []struct{ name, file, content, place, mend string }{
	{"nothing", "t.csv", "", "The file is empty.", "a header line and at least one row"},
	{"a header and no rows", "t.csv", "a,b\n", "a header and no rows", "at least one row"},
	{"a row too long", "t.csv", "a,b\n1,2\n1,2,3\n", "Row 2 (line 3) has 3 fields", "Give every row 2 fields"},
	{"a row too short", "t.csv", "a,b\n1,2\n1\n", "Row 2 (line 3) has 1 fields", "Give every row 2 fields"},
	{"bad UTF-8 in a cell", "t.csv", "a,b\n1,\xff\xfe\n", `Row 1 (line 2), column "b"`, "UTF-8"},
	{"bad UTF-8 in a name", "t.csv", "a,\xff\n1,2\n", "column 2", "UTF-8"},
	{"two columns of one name", "t.csv", "a,b,a\n1,2,3\n", `Columns 1 and 3 are both named "a"`, "a name of its own"},
	{"two columns of one name but for case", "t.csv", "a,b,A\n1,2,3\n", "Columns 1 and 3", "a name of its own"},
	{"a column without a name", "t.csv", "a,,c\n1,2,3\n", "Column 2 has no name", "a name for every column"},
	{"3,000 columns", "t.csv", numbered(3000, "c%d") + "\n" + numbered(3000, "%d") + "\n", "3000 columns; the limit is 2000", "fewer columns"},
	{"a quote that does not end", "t.csv", "a,b\n1,\"2\n", "line 2", "End the field"},
	{"a NUL byte", "t.csv", "a,b\n1,\x00\n", "Line 2", "text"},
	{"a picture", "t.csv", "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 100), "column 1", "UTF-8"},
	{"text as Parquet", "t.parquet", "a,b\n1,2\n", "Parquet", "CSV"},
	{"another kind of file", "t.xlsx", "a,b\n1,2\n", ".csv or .parquet", "Correct the listed fields"},
	{"no kind of file", "t", "a,b\n1,2\n", ".csv or .parquet", "Correct the listed fields"},
}

// A table that cannot be taken is refused with its place and its mend, as a new
// dataset and as a new version, and leaves nothing behind.
func testBadFiles(t *testing.T, w *world) {
	for _, path := range []string{"/api/workspaces/" + w.a + "/datasets", "/api/datasets/" + w.things["dataset"] + "/versions"} {
		w.unchanged(t, func() {
			for _, tt := range badFiles {
				a := w.send(cli, "POST", path, upload("bad", tt.file, []byte(tt.content)))
				a.is(t, tt.name, 422, "invalid")
				if p := a.problem(t, tt.name); !strings.Contains(p.Detail, tt.place) || !strings.Contains(p.Fix, tt.mend) {
					t.Errorf("%s: got %q and %q, want %q and %q in them", tt.name, p.Detail, p.Fix, tt.place, tt.mend)
				}
			}
			big := append(separable(10), []byte(strings.Repeat("1,red,1,no\n", 100_000))...)
			a := w.send(cli, "POST", path, upload("bad", "t.csv", big))
			a.is(t, "a file over the limit", 413, "too_large")
			a.problem(t, "a file over the limit")
		})
	}
}

func testBadForms(t *testing.T, w *world) {
	part := func(disposition, content string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	table := string(separable(10))
	tests := []struct{ name, body, place string }{
		{"no parts", "--b--\r\n", "file"},
		{"no file", part(`name="name"`, "x") + "--b--\r\n", "file"},
		{"no name", part(`name="file"; filename="t.csv"`, table) + "--b--\r\n", "name"},
		{"two names", part(`name="name"`, "x") + part(`name="name"`, "y") + part(`name="file"; filename="t.csv"`, table) + "--b--\r\n", "name"},
		{"an unknown part", part(`name="path"`, "/etc/passwd") + part(`name="file"; filename="t.csv"`, table) + "--b--\r\n", "form.path"},
		{"a long name", part(`name="name"`, strings.Repeat("a", 5000)) + "--b--\r\n", "name"},
	}
	w.unchanged(t, func() {
		for _, tt := range tests {
			a := w.send(cli, "POST", "/api/workspaces/"+w.a+"/datasets", form{"multipart/form-data; boundary=b", []byte(tt.body)})
			a.names(t, tt.name, 422, "invalid", tt.place)
		}
		cut := part(`name="name"`, "cut") + part(`name="file"; filename="t.csv"`, table) // no end
		a := w.send(cli, "POST", "/api/workspaces/"+w.a+"/datasets", form{"multipart/form-data; boundary=b", []byte(cut)})
		a.is(t, "a form that is cut off", 400, "malformed")
	})
}

// badTargets are columns that nothing can be learnt about, in a table of 40
// rows, and what the refusal says of them.
var badTargets = []struct {
	name  string
	value func(i int) string
	rule  string
}{
	{"constant", func(int) string { return "same" }, "has the same value in every row"},
	{"nulls", func(int) string { return "" }, "has no value in any row"},
	{"lonely", func(i int) string { return map[bool]string{true: "rare", false: "usual"}[i == 7] }, "has fewer than two classes of two rows or more"},
	{"distinct", func(i int) string { return fmt.Sprintf("word%d", i) }, "has 40 distinct texts, which are too many to be taken for classes"},
	{"absent", nil, "must be a column of the dataset"},
}

// targets is a table of the columns above, and one that something could be learnt from.
func targets() []byte {
	var b strings.Builder
	b.WriteString("n")
	for _, tt := range badTargets {
		if tt.value != nil {
			b.WriteString("," + tt.name)
		}
	}
	for i := range 40 {
		fmt.Fprintf(&b, "\n%d", i*3%7)
		for _, tt := range badTargets {
			if tt.value != nil {
				b.WriteString("," + tt.value(i))
			}
		}
	}
	return []byte(b.String() + "\n")
}

// A plan on a target that nothing can be learnt about is refused and names it.
func testBadTargets(t *testing.T, w *world) {
	dataset := w.make(t, cli, "/api/workspaces/"+w.a+"/datasets", upload("targets", "t.csv", targets()))
	w.unchanged(t, func() {
		for _, tt := range badTargets {
			a := w.send(w.callers["builder"].credential, "POST", "/api/workspaces/"+w.a+"/plans",
				fmt.Sprintf(`{"dataset_id":%q,"target":%q}`, dataset, tt.name), withKey(fresh()))
			a.names(t, "target "+tt.name, 422, "invalid", "target")
			if p := a.problem(t, tt.name); len(p.Fields) == 0 || !strings.Contains(p.Fields[0].Rule, tt.rule) {
				t.Errorf("target %s: got %s, want %q in its rule", tt.name, a.body, tt.rule)
			}
		}
	})
}

// A plan whose data changed does not launch: it says what changed and what to
// do, takes nothing from the budget, and stays where it was.
func testStalePlan(t *testing.T, w *world) {
	builder := w.callers["builder"].credential
	dataset := w.make(t, cli, "/api/workspaces/"+w.a+"/datasets", upload("moving", "t.csv", separable(60)))
	plan := w.plan(t, builder, w.a, dataset)
	version := func(rows int) {
		w.make(t, cli, "/api/datasets/"+dataset+"/versions", upload("moving", "t.csv", separable(rows)))
	}
	version(60) // the same content is the same data
	w.send(builder, "POST", "/api/plans/"+plan+"/launch", `{"hash":"x"}`, withKey(fresh())).is(t, "the same content again", 409, "conflict")
	version(61)
	key := fresh()
	before := w.used(t, builder)
	w.unchanged(t, func() {
		for range 2 { // the key of a refusal is free
			a := w.send(builder, "POST", "/api/plans/"+plan+"/launch", nil, withKey(key))
			a.is(t, "a stale plan", 409, "plan_stale")
			if p := a.problem(t, "a stale plan"); !strings.Contains(p.Detail, "fingerprint") || !strings.Contains(p.Fix, "new plan") || !strings.Contains(string(a.body), `"changed":["fingerprint"]`) {
				t.Errorf("a stale plan: got %s, want what changed and what to do", a.body)
			}
		}
	})
	if after := w.used(t, builder); after != before {
		t.Errorf("budget used: %v before and %v after", before, after)
	}
	w.send(cli, "GET", "/api/plans/"+plan, nil).is(t, "the plan", 200, "")
}

// budget is what a token has used of its runs.
type budget struct{ Concurrent, Daily struct{ Limit, Used int } }

func (s *server) used(t testing.TB, as credential) budget {
	t.Helper()
	var me struct{ Budget budget }
	s.send(as, "GET", "/api/auth/me", nil).read(t, 200, &me)
	return me.Budget
}
