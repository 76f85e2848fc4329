package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ambit/internal/app"
	"ambit/internal/testservices"
)

const (
	threeRows = "id,amount,kind\n1,2.5,a\n2,3.5,b\n3,4.5,a\n"
	fourRows  = threeRows + "4,5.5,b\n"
	secret    = "seven lamps on a hill\n"
)

// host is where the commands of a test go.
type host struct {
	flags []string // that lead there
}

// each runs a test both ways, on both databases: over the socket of a running
// server, and in this process where no server holds the folder.
func each(t *testing.T, test func(t *testing.T, h host)) {
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		for _, way := range []string{"running server", "in process"} {
			t.Run(database+"/"+way, func(t *testing.T) {
				data, flags := dataFolder(t), []string(nil)
				if database == "PostgreSQL" {
					flags = []string{"--database-url", testservices.Postgres(t)}
				}
				if way == "running server" {
					serve(t, data, flags...)
				}
				test(t, host{append(flags, "--data", data)})
			})
		}
	}
}

// run runs a command of the operator.
func (h host) run(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	return ambit(t, stdin, append(args, h.flags...)...)
}

// add runs a command that must make something, and returns what the API said.
func (h host) add(t *testing.T, stdin string, args ...string) (made map[string]any) {
	t.Helper()
	h.run(t, stdin, append(args, "--json")...).ok(t, &made)
	return made
}

// list runs a command that must list things.
func (h host) list(t *testing.T, args ...string) (items []map[string]any) {
	t.Helper()
	h.run(t, "", append(args, "--json")...).ok(t, &items)
	return items
}

func TestOperator(t *testing.T) {
	each(t, func(t *testing.T, h host) {
		space := h.add(t, "", "workspace", "add", "--name", "Risk", "--goal", "Say which credits go bad.")
		id := space["id"].(string)
		if space["name"] != "Risk" || space["goal"] != "Say which credits go bad." || !strings.HasPrefix(id, "ws_") {
			t.Errorf("workspace = %v", space)
		}
		h.datasets(t, id)
		h.people(t, id)
		h.tokens(t, id)
		h.audit(t)
	})
}

func (h host) datasets(t *testing.T, space string) {
	t.Helper()
	add := []string{"dataset", "add", "--workspace", space, "--name", "loans", write(t, "first.csv", threeRows)}
	first := h.add(t, "", add...)
	if first["version"] != 1.0 || first["rows"] != 3.0 || !strings.HasPrefix(first["fingerprint"].(string), "sha256:") {
		t.Errorf("dataset = %v, want version 1 with 3 rows and a fingerprint", first)
	}
	h.run(t, "", add...).refused(t, "the same name again", "conflict")
	second := h.add(t, "", "dataset", "add", "--workspace", space, "--name", "LOANS", "--replace", write(t, "second.csv", fourRows))
	if second["id"] != first["id"] || second["version"] != 2.0 || second["rows"] != 4.0 || second["fingerprint"] == first["fingerprint"] {
		t.Errorf("replaced = %v, want version 2 of %v with 4 rows and another fingerprint", second, first["id"])
	}
	named := h.add(t, "", "dataset", "add", "--workspace", space, write(t, "by its file.csv", threeRows))
	if named["name"] != "by its file" {
		t.Errorf("name = %v, want the file's", named["name"])
	}
	h.run(t, "", "dataset", "add", "--workspace", space, "--name", "other", "--replace", write(t, "x.csv", threeRows)).refused(t, "replace nothing", "not_found")
	h.run(t, "", "dataset", "add", "--workspace", space, "--name", "ragged", write(t, "x.csv", "a,b\n1,2\n1,2,3\n")).refused(t, "ragged rows", "invalid")
	h.run(t, "", "dataset", "add", "--workspace", "ws_absent", "--name", "x", write(t, "x.csv", threeRows)).refused(t, "no such workspace", "not_found")
	if got := h.list(t, "dataset", "list", "--workspace", space); len(got) != 2 || got[0]["latest_version_id"] == nil {
		t.Errorf("datasets = %v, want 2 as the API shows them", got)
	}
}

func (h host) people(t *testing.T, space string) {
	t.Helper()
	h.run(t, "", "token", "mint", "--scope", "read", "--workspace", space).refused(t, "a token for nobody", "invalid")
	made := h.add(t, secret, "person", "add", "--email", "first@ambit.test", "--role", "admin", "--password-stdin")
	if made["role"] != "admin" || made["has_password"] != true {
		t.Errorf("person = %v, want an admin with a password", made)
	}
	made = h.add(t, "", "person", "add", "--email", "second@ambit.test", "--role", "operator", "--workspace", space)
	if made["has_password"] != false || fmt.Sprint(made["workspace_ids"]) != "["+space+"]" {
		t.Errorf("person = %v, want one of the workspace without a password", made)
	}
	h.run(t, "short\n", "person", "add", "--email", "x@ambit.test", "--password-stdin").refused(t, "a short password", "invalid")
	if link := h.add(t, "", "person", "link", "--email", "SECOND@ambit.test"); link["person_id"] != made["id"] || link["secret"] == nil {
		t.Errorf("link = %v, want a secret of %v", link, made["id"])
	}
	h.run(t, "", "person", "link", "--email", "nobody@ambit.test").refused(t, "a link for nobody", "not_found")
	if got := h.list(t, "person", "list"); len(got) != 2 {
		t.Errorf("people = %v, want 2", got)
	}
}

func (h host) tokens(t *testing.T, space string) {
	t.Helper()
	oldest := h.list(t, "person", "list")[1]["id"] // newest first
	made := h.add(t, "", "token", "mint", "--scope", "builder", "--workspace", space)
	for name, want := range map[string]string{
		"scope": "builder", "workspace_ids": "[" + space + "]", "acts_for": fmt.Sprint(oldest), "max_concurrent": "3", "max_daily": "50", "revoked_at": "<nil>",
	} {
		if got := fmt.Sprint(made[name]); got != want {
			t.Errorf("token: %s = %s, want %s", name, got, want)
		}
	}
	if got := lifetime(t, made); got != 30*24*time.Hour {
		t.Errorf("token lives %v, want 30 days", got)
	}
	if plain := h.run(t, "", "token", "mint", "--scope", "read", "--workspace", space).ok(t, nil); !strings.HasPrefix(plain, "amb_") || strings.Count(plain, "\n") != 1 {
		t.Errorf("a person sees %q, want the token alone", plain)
	}
	for _, item := range h.list(t, "token", "list") {
		if item["token"] != nil {
			t.Errorf("the list has a secret: %v", item)
		}
	}
	id := made["id"].(string)
	if out := h.run(t, "", "token", "revoke", id).ok(t, nil); out != "revoked "+id+"\n" {
		t.Errorf("got %q, want \"revoked %s\"", out, id)
	}
	if out := h.run(t, "", "token", "list").ok(t, nil); !strings.Contains(out, id+"  builder  revoked 2") {
		t.Errorf("list = %s, want %s revoked", out, id)
	}
	h.run(t, "", "token", "revoke", "absent").refused(t, "revoke nothing", "not_found")
	h.run(t, "", "token", "mint", "--scope", "admin", "--workspace", space).refused(t, "no such scope", "invalid")
	h.run(t, "", "token", "mint", "--scope", "read", "--workspace", "ws_absent").refused(t, "no such workspace", "invalid")
}

// lifetime is from when a token was made to when it expires.
func lifetime(t *testing.T, token map[string]any) time.Duration {
	t.Helper()
	from, err := time.Parse(time.RFC3339, token["created_at"].(string))
	if err != nil {
		t.Fatal(err)
	}
	to, err := time.Parse(time.RFC3339, token["expires_at"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return to.Sub(from)
}

// audit checks that everything before is in the log, as the work of cli.
func (h host) audit(t *testing.T) {
	t.Helper()
	for _, e := range h.list(t, "audit", "list") {
		if e["principal"] != "cli" || !strings.HasPrefix(e["tool"].(string), "ambit ") {
			t.Errorf("record %v is by %v with %v, want cli with a command", e["seq"], e["principal"], e["tool"])
		}
	}
	tests := []struct {
		flags []string
		want  int
	}{
		{[]string{"--route", "workspace_create", "--tool", "ambit workspace add"}, 1},
		{[]string{"--route", "dataset_create", "--outcome", "ok"}, 2},
		{[]string{"--route", "dataset_create", "--outcome", "conflict"}, 1},
		{[]string{"--route", "dataset_version_create"}, 1},
		{[]string{"--route", "token_mint", "--limit", "2"}, 2},
		{[]string{"--principal", "person:x"}, 0},
	}
	for _, tt := range tests {
		if got := h.list(t, append([]string{"audit", "list"}, tt.flags...)...); len(got) != tt.want {
			t.Errorf("audit list %v: %d records, want %d: %v", tt.flags, len(got), tt.want, got)
		}
	}
	var v verification
	h.run(t, "", "audit", "verify", "--json").ok(t, &v)
	if !v.Intact || v.Records < 15 || len(v.Head) != 64 {
		t.Errorf("verify = %+v, want an intact chain of at least 15 records", v)
	}
	h.run(t, "", "audit", "list", "--limit", "1001").refused(t, "more records than are given", "invalid")
}

// What a person signs for is no matter for the host's operator, on the socket.
func TestOperatorSignsForNobody(t *testing.T) {
	s := serve(t, dataFolder(t))
	operator := s.overSocketOf(t)
	tests := []struct{ method, path, body string }{
		{"POST", "/api/models/mo_1/promote", `{"confirm":"x","reason":"y"}`},
		{"DELETE", "/api/models/mo_1", `{"confirm":"x"}`},
		{"DELETE", "/api/datasets/ds_1", `{"confirm":"x"}`},
		{"DELETE", "/api/runs/run_1", `{"confirm":"x"}`},
		{"DELETE", "/api/plans/pl_1", `{"confirm":"x"}`},
		{"PATCH", "/api/people/per_1", `{"role":"admin"}`},
		{"POST", "/api/query", `{"workspace_id":"ws_1","sql":"SELECT 1"}`},
	}
	for _, tt := range tests {
		var problem struct{ Code string }
		if status := s.call(t, operator, tt.method, tt.path, "", tt.body, &problem); status != http.StatusForbidden || problem.Code != "session_required" {
			t.Errorf("%s %s: got %d %s, want 403 session_required", tt.method, tt.path, status, problem.Code)
		}
	}
}

// The socket is its owner's alone.
func TestOperatorSocketMode(t *testing.T) {
	s := serve(t, dataFolder(t))
	info, err := os.Stat(app.OperatorSocket(s.data))
	if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Errorf("socket: %v, %v; want a socket of mode 0600", info.Mode(), err)
	}
}

// A command that comes while a server is about to answer waits for it.
func TestOperatorWaitsForAServer(t *testing.T) {
	data := dataFolder(t)
	cfg := app.Default()
	cfg.Data, cfg.Addr, cfg.Version, cfg.Command, cfg.LogTo = data, "127.0.0.1:0", "test", []string{os.Args[0]}, t.Output()
	a, err := app.New(t.Context(), cfg) // which holds the folder from here on
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	answered := make(chan result, 1)
	go func() {
		answered <- ambit(t, "", "workspace", "add", "--name", "w", "--data", data, "--json")
	}()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- a.Serve(ctx, func(string) error { return nil }) }()
	got := <-answered
	got.ok(t, nil)
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
