package conformance

import (
	"slices"
	"strings"
	"testing"

	"ambit/internal/app"
)

const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// Exit codes of the inspector. With --strict it is 6 where another vendor's
// model could not take a tool's schema.
const (
	ok         = 0
	failed     = 1
	noSuchAuth = 3
	toolFailed = 5
)

// inspection is one call of the inspector.
type inspection struct {
	name  string
	token string
	args  []string
	code  int
	says  string // on standard output, or standard error where code is not 0
}

func testInspector(t *testing.T, n node, s *server) {
	list := []string{"--method", "tools/list", "--strict"}
	call := func(args ...string) []string {
		return append([]string{"--method", "tools/call", "--tool-name"}, args...)
	}
	both := []inspection{
		{"lists the tools", s.builder, list, ok, ""},
		{"calls a tool", s.read, call("list_resources"), ok, `"id":"` + s.workspace + `"`},
		{"unknown tool", s.builder, call("no_such_tool"), toolFailed, "tool_not_found"},
		{"tool beyond the scope", s.read, call("launch_plan", "--tool-arg", "plan_id=pl_1"), toolFailed, "tool_not_found"},
		{"unknown argument", s.read, call("list_resources", "--tool-arg", "bogus=1"), toolFailed, "tool_is_error"},
	}
	hosts := []struct {
		name  string
		reach func(token string) []string
		tests []inspection
	}{
		{"http", s.overHTTP, append(both, inspection{"revoked token", s.revoked, list, noSuchAuth, "auth_required"})},
		// The program refuses to start: there is no connection to tell it through.
		{"stdio", s.overStdio, append(both, inspection{"revoked token", s.revoked, list, failed, "unauthenticated"})},
	}
	for _, h := range hosts {
		for _, era := range []string{"legacy", "modern"} {
			for _, tt := range h.tests {
				t.Run(h.name+"/"+era+"/"+tt.name, func(t *testing.T) {
					t.Parallel()
					args := slices.Concat([]string{"--cli", "--format", "json", "--connect-timeout", patience, "--protocol-era", era}, tt.args, h.reach(tt.token))
					got := n.run(t, inspector, args...)
					tt.judge(t, got)
				})
			}
		}
	}
}

func (tt inspection) judge(t *testing.T, got outcome) {
	t.Helper()
	said := got.stdout
	if tt.code != ok {
		said = got.stderr
	}
	if got.code != tt.code || !strings.Contains(said, tt.says) {
		t.Fatalf("exit code %d, want %d and %q\n%s", got.code, tt.code, tt.says, got.stderr)
	}
	if tt.name == "lists the tools" {
		wantTools(t, got.stdout)
	}
}

// wantTools wants all tools of the contract listed, and no others.
func wantTools(t *testing.T, stdout string) {
	t.Helper()
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	decode(t, stdout, &list)
	var got, want []string
	for _, tool := range list.Result.Tools {
		got = append(got, tool.Name)
	}
	for _, row := range app.ToolContract() {
		want = append(want, row.Tool)
	}
	slices.Sort(got)
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("tools %v, want %v", got, want)
	}
}

func (s *server) overHTTP(token string) []string {
	return []string{"--transport", "http", "--server-url", s.url + "/mcp", "--header", "Authorization: Bearer " + token, "--stored-auth-only"}
}

func (s *server) overStdio(token string) []string {
	return []string{"-e", "AMBIT_URL=" + s.url, "-e", "AMBIT_TOKEN=" + token, s.program, "mcp"}
}
