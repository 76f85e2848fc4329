// Package conformance holds Ambit's MCP endpoints to the protocol's official
// tools: the conformance suite and the inspector, as npm has them, against the
// program as it is built and configured by an operator. It has tests only.
//
// docs/conformance.md says in prose what is here in tables.
package conformance

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// One server serves all: its tests differ in who asks.
func TestConformance(t *testing.T) {
	n := newNode(t)
	s := serve(t)
	t.Run("scenarios", func(t *testing.T) { testScenarios(t, n, s) })
	t.Run("left out", func(t *testing.T) { testLeftOut(t, s) })
	t.Run("inspector", func(t *testing.T) { testInspector(t, n, s) })
}

// testScenarios runs what is not left out.
func testScenarios(t *testing.T, n node, s *server) {
	for _, sc := range scenarios {
		for i, su := range suites {
			if sc.passes[i] == 0 {
				continue
			}
			t.Run(su.name+"/"+sc.name, func(t *testing.T) {
				t.Parallel()
				out := t.TempDir()
				args := append([]string{"server", "--url", s.proxy + "/mcp", "--scenario", sc.name, "--output-dir", out}, su.flags...)
				if got := n.run(t, su.module, args...); got.code != 0 {
					t.Errorf("exit code %d, want 0\n%s%s", got.code, got.stdout, got.stderr)
				}
				if got, want := passed(t, out), sc.passes[i]; got != want {
					t.Errorf("%d checks pass, want %d", got, want)
				}
			})
		}
	}
}

// passed counts the checks that pass in the one result of a folder. A scenario
// that skips all its checks exits with 0 too.
func passed(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("results %v, %v, want one", found, err)
	}
	var checks []struct{ Status string }
	decode(t, string(readFile(t, found[0])), &checks)
	n := 0
	for _, c := range checks {
		if c.Status == "SUCCESS" {
			n++
		}
	}
	return n
}

// testLeftOut asks the server for what the scenarios that are left out need.
func testLeftOut(t *testing.T, s *server) {
	for _, sc := range scenarios {
		if sc.needs.met != nil && sc.needs.met(t, s) {
			t.Errorf("%s is left out for want of %s, which Ambit has: run it, or say what else it needs", sc.name, sc.needs)
		}
	}
}

// What a suite has is in the table, and what the table has is in a suite: a
// suite that is upgraded brings what must be looked at first.
func TestEveryScenarioIsInTheTable(t *testing.T) {
	n := newNode(t)
	lists := map[string]string{released: n.list(t, released), next: n.list(t, next)}
	for i, su := range suites {
		listed := su.listed(lists[su.module])
		if len(listed) == 0 {
			t.Errorf("%s has no scenarios: what is looked for is wrong", su.name)
		}
		for _, name := range listed {
			j := slices.IndexFunc(scenarios, func(sc scenario) bool { return sc.name == name })
			switch {
			case j < 0:
				t.Errorf("%s has the scenario %s, which the table does not", su.name, name)
			case scenarios[j].passes[i] == 0 && scenarios[j].needs.met == nil:
				t.Errorf("%s has %s, which neither runs nor says what it needs", su.name, name)
			}
		}
		for _, sc := range scenarios {
			if sc.passes[i] > 0 && !slices.Contains(listed, sc.name) {
				t.Errorf("%s has no scenario %s", su.name, sc.name)
			}
		}
	}
}

// listedScenario is a line such as "  - ping [2025-06-18,2025-11-25]".
var listedScenario = regexp.MustCompile(`(?m)^  - (\S+) \[(.+)\]$`)

// listed picks the suite's scenarios from the list of its module.
func (su suite) listed(list string) (names []string) {
	for _, m := range listedScenario.FindAllStringSubmatch(list, -1) {
		if su.tag == "" || slices.Contains(strings.Split(m[2], ","), su.tag) {
			names = append(names, m[1])
		}
	}
	return names
}

// list asks a suite for its scenarios.
func (n node) list(t *testing.T, module string) string {
	t.Helper()
	got := n.run(t, module, "list", "--server")
	if got.code != 0 {
		t.Fatalf("exit code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

// The page is for those who do not read tests; it has the same tables.
func TestPageSaysWhatRuns(t *testing.T) {
	page := string(readFile(t, "../docs/conformance.md"))
	want := []string{}
	for _, sc := range scenarios {
		want = append(want, sc.rows()...)
	}
	got := regexp.MustCompile("(?m)^\\| `[a-z0-9-]+` \\|.*$").FindAllString(page, -1)
	for _, row := range want {
		if !slices.Contains(got, row) {
			t.Errorf("docs/conformance.md has no row %s", row)
		}
	}
	for _, row := range got {
		if !slices.Contains(want, row) {
			t.Errorf("docs/conformance.md has a row too many: %s", row)
		}
	}
	for _, named := range append(excused(t), pinned(t)...) {
		if !strings.Contains(page, named) {
			t.Errorf("docs/conformance.md does not name %s", named)
		}
	}
}

// rows are the page's rows of a scenario: one of what passes, one of what is left out.
func (sc scenario) rows() (rows []string) {
	if slices.Max(sc.passes[:]) > 0 {
		row := "| `" + sc.name + "` |"
		for _, n := range sc.passes {
			row += strings.TrimSuffix(fmt.Sprintf(" %d", n), " 0") + " |"
		}
		rows = append(rows, row)
	}
	if sc.needs.met != nil {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |", sc.name, sc.needs))
	}
	return rows
}

// excused are the checks in the baseline.
func excused(t *testing.T) (checks []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^  - (\S+)$`).FindAllStringSubmatch(string(readFile(t, "baseline.yml")), -1) {
		checks = append(checks, "`"+m[1]+"`")
	}
	return checks
}

// pinned are the versions in package.json.
func pinned(t *testing.T) (versions []string) {
	t.Helper()
	var file struct {
		Dependencies, OptionalDependencies map[string]string
	}
	if err := json.Unmarshal(readFile(t, "package.json"), &file); err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string]string{file.Dependencies, file.OptionalDependencies} {
		for _, version := range all {
			versions = append(versions, version[strings.LastIndex(version, "@")+1:])
		}
	}
	return versions
}
