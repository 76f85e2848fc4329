package main

import (
	"encoding/json"
	"strings"
	"testing"

	"ambit/scopes"
)

func TestUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	folder := t.TempDir()
	tests := []struct {
		name string
		args []string
		want string // on standard error
	}{
		{"unknown command", []string{"workspce"}, `unknown command "workspce" for "ambit": did you mean workspace?`},
		{"unknown command, nothing like it", []string{"frobnicate"}, `unknown command "frobnicate" for "ambit"`},
		{"unknown command of a group", []string{"token", "mnt"}, `unknown command "mnt" for "ambit token": did you mean mint?`},
		{"unknown shell", []string{"completion", "tcsh"}, `unknown command "tcsh" for "ambit completion"`},
		{"unknown flag", []string{"serve", "--prot", "1"}, "unknown flag: --prot\nTry: ambit serve --help"},
		{"flag of another type", []string{"token", "mint", "--scope", "read", "--workspace", "w", "--max-daily", "many"}, `invalid argument "many"`},
		{"an argument too many", []string{"version", "now"}, `unknown command "now" for "ambit version"`},
		{"an argument too few", []string{"token", "revoke"}, "accepts 1 arg(s), received 0\nTry: ambit token revoke --help"},
		{"workspace without a name", []string{"workspace", "add"}, `required flag(s) "name" not set`},
		{"dataset without a workspace", []string{"dataset", "add", "x.csv"}, `required flag(s) "workspace" not set`},
		{"person without an email", []string{"person", "add"}, `required flag(s) "email" not set`},
		{"token without anything", []string{"token", "mint"}, `required flag(s) "scope", "workspace" not set`},
		{"a file that is not there", []string{"dataset", "add", "--workspace", "w", "--name", "n", "no-such.csv"}, "no-such.csv: no such file"},
		{"a folder for a file", []string{"dataset", "add", "--workspace", "w", folder}, "is a folder"},
		{"no password", []string{"person", "add", "--email", "e", "--password-stdin"}, "no password on standard input"},
		{"a setting that cannot be", []string{"serve", "--addr", "8080"}, "addr: must be host:port"},
		{"two settings that cannot be", []string{"serve", "--log-format", "xml", "--max-upload-mb", "0"}, "log-format: must be text or json"},
		{"a worker without a database", []string{"worker"}, "needs --database-url"},
		{"mcp without a server", []string{"mcp"}, "AMBIT_URL and AMBIT_TOKEN must be set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ambit(t, "", tt.args...)
			if got.code != 2 || got.out != "" || !strings.Contains(got.err, tt.want) {
				t.Errorf("exit %d, stdout %q, stderr %q; want 2, nothing, and %q", got.code, got.out, got.err, tt.want)
			}
		})
	}
}

// What is asked for by name or by --help is on standard output.
func TestHelp(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{nil, "Available Commands"},
		{[]string{"--help"}, "Available Commands"},
		{[]string{"token"}, "revoke"},
		{[]string{"serve", "--help"}, "--ready-file"},
		{[]string{"help", "token", "mint"}, "--max-concurrent int"},
		{[]string{"completion", "bash"}, "bash completion"},
		{[]string{"version"}, "ambit dev "},
		{[]string{"routes"}, "/api/plans/{id}/launch"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			if out := ambit(t, "", tt.args...).ok(t, nil); !strings.Contains(out, tt.want) {
				t.Errorf("got %s, want %q in it", out, tt.want)
			}
		})
	}
	if out := ambit(t, "").out; strings.Contains(out, "trainer") || strings.Contains(out, "engine ") {
		t.Errorf("the children's commands are shown: %s", out)
	}
}

func TestVersionJSON(t *testing.T) {
	var got map[string]string
	ambit(t, "", "version", "--json").ok(t, &got)
	if got["version"] != "dev" || !strings.HasPrefix(got["go"], "go1.") {
		t.Errorf("got %v, want version dev and a Go version", got)
	}
}

func TestRoutesJSON(t *testing.T) {
	var got []routeRow
	ambit(t, "", "routes", "--json").ok(t, &got)
	if len(got) != len(scopes.Routes) {
		t.Errorf("%d rows, want the table's %d", len(got), len(scopes.Routes))
	}
	want := routeRow{ID: "plan_launch", Method: "POST", Path: "/api/plans/{id}/launch", Class: "builder", Bound: "entity", Key: true, Budget: true}
	for _, r := range got {
		if r.ID == want.ID && r != want {
			t.Errorf("got %+v, want %+v", r, want)
		}
	}
}

// The contract is JSON with and without --json.
func TestContract(t *testing.T) {
	plain, flagged := ambit(t, "", "contract").ok(t, nil), ambit(t, "", "contract", "--json").ok(t, nil)
	var rows []map[string]any
	if err := json.Unmarshal([]byte(plain), &rows); err != nil || len(rows) == 0 || plain != flagged {
		t.Errorf("contract: %v, %d rows, the same with --json: %v", err, len(rows), plain == flagged)
	}
}
