package contracttest

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reason finds a row of the table of modules: its path and why it is here.
var reason = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .*\\S.* \\|$")

// What go.mod asks for itself has its line of reason, and a line is about
// something in go.mod.
func TestDependenciesHaveAReason(t *testing.T) {
	direct, all := modules(t)
	written := writtenModules(t)
	for _, path := range direct {
		if !slices.Contains(written, path) {
			t.Errorf("docs/dependencies.md gives no reason for %s", path)
		}
	}
	for _, path := range written {
		if !slices.Contains(all, path) {
			t.Errorf("docs/dependencies.md gives a reason for %s, which go.mod does not name", path)
		}
	}
}

// writtenModules returns the modules that the page has a line for.
func writtenModules(t *testing.T) (paths []string) {
	t.Helper()
	doc, err := os.ReadFile("../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "\n## Go modules\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range reason.FindAllStringSubmatch(section, -1) {
		paths = append(paths, row[1])
	}
	return paths
}

// modules returns what go.mod asks for itself, the tools' packages included,
// and all that it names.
func modules(t *testing.T) (direct, all []string) {
	t.Helper()
	if _, err := os.Stat("../go.mod"); err != nil { // also tells the go command that the result hangs on it
		t.Fatal(err)
	}
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
		Tool []struct{ Path string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		all = append(all, r.Path)
		if !r.Indirect {
			direct = append(direct, r.Path)
		}
	}
	for _, tool := range mod.Tool {
		direct, all = append(direct, tool.Path), append(all, tool.Path)
	}
	if len(direct) == 0 {
		t.Fatal("go.mod asks for nothing")
	}
	return direct, all
}
