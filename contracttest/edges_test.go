package contracttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "ambit/"

// plumbing is what every package but a leaf may import.
const plumbing = "internal/clock internal/fault internal/ids internal/page internal/strictjson "

// everything is what the packages that put Ambit together may import.
const everything = "*"

// edgeRules says what each package, and each package in its folder that has no
// row of its own, may import of this module. A package without a row is refused.
// The table is written by hand: it is the architecture, not a picture of it.
var edgeRules = []struct{ pkg, may, why string }{
	{"cmd/ambit", everything, ""},
	{"internal/app", everything, ""},
	{"contracttest", everything, ""},
	{"bench", everything, ""},

	// The faces.
	{"api", plumbing + "scopes tokens people audit workspaces datasets plans runs models brief evaluation metrics " +
		"internal/limits internal/idempotency internal/jobs internal/blobs", "the API knows the wall and the work, never the store or an engine"},
	{"api/client", plumbing + "scopes", "the client knows the route table and nothing behind it"},
	{"mcp", plumbing + "api/client scopes", "a tool sees the backend as HTTP only, so that it cannot go round the wall"},
	{"internal/demo", plumbing + "api/client scopes", "the demo's agent is a client like any other"},

	// The wall.
	{"scopes", "internal/fault", "the route table is a leaf that a reviewer can read alone"},
	{"tokens", plumbing + "scopes internal/limits", "tokens know scopes and no work"},
	{"people", plumbing + "scopes internal/limits", "people know scopes and no work"},
	{"audit", plumbing, "the audit log knows nothing of what it records"},

	// The work: a noun may know the nouns before it.
	{"workspaces", plumbing, nouns},
	{"datasets", plumbing + "workspaces", nouns},
	{"plans", plumbing + "workspaces datasets", nouns},
	{"runs", plumbing + "workspaces datasets plans scopes internal/jobs internal/blobs", nouns},
	{"models", plumbing + "workspaces datasets plans runs internal/blobs", nouns},
	{"brief", plumbing + "workspaces datasets plans runs models tokens scopes", nouns},
	{"metrics", "", "metrics are functions of numbers"},
	{"training", plumbing + "metrics datasets plans runs", "training says what to fit and asks an engine by its own interface"},
	{"evaluation", plumbing + "metrics models runs", "evaluation knows metrics and what was fitted"},

	// The engines.
	{"engines/duckdb", plumbing + "datasets training internal/child", "an engine knows the nouns that it serves"},
	{"engines/xgboost", plumbing + "training internal/child", "an engine knows the nouns that it serves"},

	// The plumbing.
	{"internal/store", plumbing + "scopes tokens people audit workspaces datasets plans runs models brief evaluation metrics " +
		"internal/idempotency internal/jobs migrations", "the store knows the types that it keeps"},
	{"internal/store/storetest", everything, ""},
	{"internal/testservices", plumbing + "migrations", "test services know the schema only"},
	{"internal/idempotency", plumbing, leaf},
	{"internal/jobs", plumbing, leaf},
	{"internal/blobs", plumbing, leaf},
	{"internal/limits", plumbing, leaf},
	{"internal/child", "", leaf},
	{"internal/page", "internal/clock internal/fault", leaf},
	{"internal/strictjson", "internal/fault", leaf},
	{"internal/clock", "", leaf},
	{"internal/fault", "", leaf},
	{"internal/ids", "", leaf},
	{"migrations", "", "the schema knows no code"},
}

const (
	nouns = "a noun knows the nouns before it, and no face, engine or store"
	leaf  = "plumbing knows no noun"
)

// importerRules says who alone may import a package, ours or another's, or one
// below it. Tests are free.
var importerRules = []struct{ imported, by, why string }{
	{"github.com/gin-gonic/gin", "api bench", "gin is the API's alone"},
	{"gorm.io", "internal/store", "gorm is the store's alone"},
	{"github.com/mark3labs/mcp-go/server", "mcp", "mcp-go's server is mcp's alone"},
	{"github.com/duckdb", "engines/duckdb bench", "only engines/duckdb speaks to DuckDB"},
	{"github.com/ebitengine/purego", "engines/xgboost", "only engines/xgboost loads libxgboost"},
	{"github.com/riverqueue", "internal/jobs migrations", "the job queue stays behind an interface"},
	{"ambit/migrations", "internal/store internal/testservices internal/app cmd/ambit", "the schema is the store's business"},
	{"ambit/internal/app", "cmd/ambit contracttest bench", "only programs and tests put Ambit together"},
	{"ambit/internal/child", "engines", "only engines start children"},
	{"ambit/internal/testservices", "internal/store/storetest", "test services are for tests"},
	{"ambit/internal/store/storetest", "", "the store's test suite is for tests"},
	{"ambit/cmd", "", "a command is nobody's library"},
}

// linkedBy are the packages whose programs hold DuckDB: all others must stay
// free of it, through whatever they import.
const linkedBy = "engines/duckdb internal/app cmd/ambit contracttest bench"

// imports is a package as "go list" tells it.
type imports struct {
	ImportPath string
	Imports    []string // direct
	Deps       []string // all, direct or not
}

// broken returns a sentence for each edge that a rule forbids.
func broken(pkgs []imports) (sentences []string) {
	for _, p := range pkgs {
		name := strings.TrimPrefix(p.ImportPath, module)
		for _, imported := range p.Imports {
			sentences = append(sentences, forbiddenEdge(name, imported)...)
			sentences = append(sentences, foreignImporter(name, imported)...)
		}
		if slices.ContainsFunc(p.Deps, func(d string) bool { return within(d, "github.com/duckdb") }) && !withinAny(name, linkedBy) {
			sentences = append(sentences, fmt.Sprintf("%s links DuckDB: only %s may", name, linkedBy))
		}
	}
	return sentences
}

// forbiddenEdge checks an import of this module's against the importer's row.
func forbiddenEdge(name, imported string) []string {
	target, ours := strings.CutPrefix(imported, module)
	if !ours {
		return nil
	}
	i := rowOf(name)
	if i < 0 {
		return []string{fmt.Sprintf("%s has no row in edgeRules: say there what it may import", name)}
	}
	row := edgeRules[i]
	if row.may == everything || rowOf(target) == i || slices.Contains(strings.Fields(row.may), target) {
		return nil
	}
	return []string{fmt.Sprintf("%s imports %s: %s", name, target, row.why)}
}

// foreignImporter checks an import against those that are open to some only.
func foreignImporter(name, imported string) (sentences []string) {
	for _, r := range importerRules {
		own := within(module+name, r.imported)
		if within(imported, r.imported) && !own && !withinAny(name, r.by) {
			sentences = append(sentences, fmt.Sprintf("%s imports %s: %s", name, strings.TrimPrefix(imported, module), r.why))
		}
	}
	return sentences
}

// rowOf returns the row of a package: its own or that of the nearest folder above; -1 if there is none.
func rowOf(name string) int {
	best := -1
	for i, r := range edgeRules {
		if within(name, r.pkg) && (best < 0 || len(r.pkg) > len(edgeRules[best].pkg)) {
			best = i
		}
	}
	return best
}

// within reports whether a package is the given one or below it.
func within(name, root string) bool { return name == root || strings.HasPrefix(name, root+"/") }

func withinAny(name, roots string) bool {
	return slices.ContainsFunc(strings.Fields(roots), func(root string) bool { return within(name, root) })
}

func TestEdges(t *testing.T) {
	pkgs := listPackages(t)
	for _, sentence := range broken(pkgs) {
		t.Error(sentence)
	}
	for _, r := range importerRules { // a rule about what nobody imports holds nothing
		if !within(r.imported, "ambit") && !slices.ContainsFunc(pkgs, func(p imports) bool {
			return slices.ContainsFunc(p.Imports, func(i string) bool { return within(i, r.imported) })
		}) {
			t.Errorf("nothing imports %s: the rule that %s is about nothing", r.imported, r.why)
		}
	}
}

func TestEdgesAreRefused(t *testing.T) {
	tests := []struct {
		name string
		pkg  imports
		want []string
	}{
		{"a noun and the nouns before it", imports{"ambit/plans", []string{"ambit/datasets", "ambit/internal/fault", "errors"}, nil}, nil},
		{"inside a folder", imports{"ambit/engines/duckdb", []string{"ambit/engines/duckdb/internal/gate"}, nil}, nil},
		{"the program", imports{"ambit/cmd/ambit", []string{"ambit/internal/app", "ambit/engines/duckdb"}, []string{"github.com/duckdb/duckdb-go/v2"}}, nil},
		{"a noun and a later one", imports{"ambit/plans", []string{"ambit/runs"}, nil}, []string{"plans imports runs: " + nouns}},
		{"a noun and the store", imports{"ambit/runs", []string{"ambit/internal/store"}, nil}, []string{"runs imports internal/store: " + nouns}},
		{"a tool and the work", imports{"ambit/mcp", []string{"ambit/models"}, nil},
			[]string{"mcp imports models: a tool sees the backend as HTTP only, so that it cannot go round the wall"}},
		{"the API and an engine", imports{"ambit/api", []string{"ambit/engines/duckdb"}, nil},
			[]string{"api imports engines/duckdb: the API knows the wall and the work, never the store or an engine"}},
		{"a folder's row is not the row above it", imports{"ambit/api/client", []string{"ambit/tokens"}, nil},
			[]string{"api/client imports tokens: the client knows the route table and nothing behind it"}},
		{"the table and more than faults", imports{"ambit/scopes", []string{"ambit/internal/clock"}, nil},
			[]string{"scopes imports internal/clock: the route table is a leaf that a reviewer can read alone"}},
		{"a name that only begins alike", imports{"ambit/apiary", []string{"ambit/tokens"}, nil},
			[]string{"apiary has no row in edgeRules: say there what it may import"}},
		{"gin outside of the API", imports{"ambit/mcp", []string{"github.com/gin-gonic/gin/binding"}, nil},
			[]string{"mcp imports github.com/gin-gonic/gin/binding: gin is the API's alone"}},
		{"gorm outside of the store", imports{"ambit/models", []string{"gorm.io/gorm"}, nil}, []string{"models imports gorm.io/gorm: gorm is the store's alone"}},
		{"wiring outside of a program", imports{"ambit/internal/demo", []string{"ambit/internal/app"}, nil}, []string{
			"internal/demo imports internal/app: the demo's agent is a client like any other",
			"internal/demo imports internal/app: only programs and tests put Ambit together"}},
		{"test services in a program", imports{"ambit/cmd/ambit", []string{"ambit/internal/testservices"}, nil},
			[]string{"cmd/ambit imports internal/testservices: test services are for tests"}},
		{"DuckDB by a roundabout way", imports{"ambit/mcp", nil, []string{"github.com/duckdb/duckdb-go-bindings"}},
			[]string{"mcp links DuckDB: only " + linkedBy + " may"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := broken([]imports{tt.pkg}); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// listPackages asks the go command, which also knows what does not compile.
func listPackages(t *testing.T) (pkgs []imports) {
	t.Helper()
	touchTree(t)
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p imports
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return pkgs
		}
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// touchTree looks at every Go file, so that the go command forgets this test's
// last result when one changes: it sees what a test opens, not what "go list" does.
func touchTree(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".go":
			_, err = os.Stat(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
