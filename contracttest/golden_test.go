package contracttest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ambit/scopes"
)

// lawRow is a line of routes.golden: what the law says of a route.
type lawRow struct {
	method, path, class, role, bound string
	key, run, cli, session, stepUp   bool
}

func (r lawRow) place() string { return r.method + " " + r.path }

// law reads routes.golden.
func law(t testing.TB) []lawRow {
	t.Helper()
	var rows []lawRow
	for _, line := range goldenLines(t, "testdata/routes.golden") {
		row, err := parseLaw(strings.Fields(line))
		if err != nil {
			t.Fatalf("routes.golden: %v: %q", err, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// goldenLines returns the lines of a file that are neither empty nor comments.
func goldenLines(t testing.TB, path string) []string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(raw), "\n"), func(s string) bool { return s == "" || s[0] == '#' })
}

func parseLaw(f []string) (lawRow, error) {
	if len(f) != 10 {
		return lawRow{}, fmt.Errorf("%d columns, want 10", len(f))
	}
	row := lawRow{method: f[0], path: f[1], class: f[2], role: strings.TrimPrefix(f[3], "-"), bound: f[4]}
	flags := []struct {
		word string
		into *bool
	}{{"key", &row.key}, {"run", &row.run}, {"cli", &row.cli}, {"session", &row.session}, {"step-up", &row.stepUp}}
	for i, flag := range flags {
		switch f[5+i] {
		case flag.word:
			*flag.into = true
		case "-":
		default:
			return lawRow{}, fmt.Errorf("column %d is %q, want %q or -", 6+i, f[5+i], flag.word)
		}
	}
	return row, nil
}

// asLaw writes a row of the code in the words of the law.
func asLaw(r scopes.Route) lawRow {
	asked := r.Class != scopes.ClassPublic && r.Class != scopes.ClassOwn // of its caller
	return lawRow{
		method: r.Method, path: r.Path, class: r.Class.String(), role: r.Role.String(), bound: r.Bound.String(),
		key: r.NeedsKey(), run: r.Budgeted, cli: asked && (r.CLI || r.Method == "GET"),
		session: r.Session || r.ID == scopes.SessionMCP, // the mount's own host admits it, not the row
		stepUp:  r.StepUp,
	}
}

// differences explains in words how two tables differ, both ways.
func differences(want []lawRow, got []lawRow) []string {
	var out []string
	for _, w := range want {
		i := slices.IndexFunc(got, func(g lawRow) bool { return g.place() == w.place() })
		if i < 0 {
			out = append(out, w.place()+": the law has it, scopes.Routes has not")
			continue
		}
		out = append(out, w.differs(got[i])...)
	}
	for _, g := range got {
		if !slices.ContainsFunc(want, func(w lawRow) bool { return g.place() == w.place() }) {
			out = append(out, g.place()+": scopes.Routes has it, the law has not")
		}
	}
	return out
}

func (r lawRow) differs(got lawRow) []string {
	var out []string
	for _, c := range []struct {
		what      string
		want, got any
	}{
		{"class", r.class, got.class}, {"least role", r.role, got.role}, {"binding", r.bound, got.bound},
		{"key required of tokens", r.key, got.key}, {"takes a run", r.run, got.run}, {"open to the host's operator", r.cli, got.cli},
		{"open to an agent session", r.session, got.session}, {"asks for a step-up", r.stepUp, got.stepUp},
	} {
		if c.got != c.want {
			out = append(out, fmt.Sprintf("%s: %s: scopes.Routes says %q, the law %q", r.place(), c.what, fmt.Sprint(c.got), fmt.Sprint(c.want)))
		}
	}
	return out
}

func TestRoutesKeepTheLaw(t *testing.T) {
	var code []lawRow
	for _, r := range scopes.Routes {
		code = append(code, asLaw(r))
	}
	for _, d := range differences(law(t), code) {
		t.Error(d)
	}
}

// What compares the tables must see a difference on either side, in every column.
func TestDifferencesAreSeen(t *testing.T) {
	base := lawRow{method: "POST", path: "/a", class: "builder", bound: "entity", key: true}
	tests := []struct {
		name string
		got  []lawRow
		want string
	}{
		{"none", []lawRow{base}, ""},
		{"missing", nil, "POST /a: the law has it, scopes.Routes has not"},
		{"one too many", []lawRow{base, {method: "GET", path: "/b"}}, "GET /b: scopes.Routes has it, the law has not"},
		{"class", []lawRow{with(base, func(r *lawRow) { r.class = "compute" })}, `POST /a: class: scopes.Routes says "compute", the law "builder"`},
		{"role", []lawRow{with(base, func(r *lawRow) { r.role = "viewer" })}, `POST /a: least role: scopes.Routes says "viewer", the law ""`},
		{"binding", []lawRow{with(base, func(r *lawRow) { r.bound = "none" })}, `POST /a: binding: scopes.Routes says "none", the law "entity"`},
		{"key", []lawRow{with(base, func(r *lawRow) { r.key = false })}, `POST /a: key required of tokens: scopes.Routes says "false", the law "true"`},
		{"run", []lawRow{with(base, func(r *lawRow) { r.run = true })}, `POST /a: takes a run: scopes.Routes says "true", the law "false"`},
		{"cli", []lawRow{with(base, func(r *lawRow) { r.cli = true })}, `POST /a: open to the host's operator: scopes.Routes says "true", the law "false"`},
		{"session", []lawRow{with(base, func(r *lawRow) { r.session = true })}, `POST /a: open to an agent session: scopes.Routes says "true", the law "false"`},
		{"step-up", []lawRow{with(base, func(r *lawRow) { r.stepUp = true })}, `POST /a: asks for a step-up: scopes.Routes says "true", the law "false"`},
	}
	for _, tt := range tests {
		if got := strings.Join(differences([]lawRow{base}, tt.got), "; "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func with(r lawRow, change func(*lawRow)) lawRow {
	change(&r)
	return r
}
