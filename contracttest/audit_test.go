package contracttest

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// says are the claims that a request makes about itself.
func says(r *http.Request) {
	r.Header.Set("X-Ambit-Tool", "plan")
	r.Header.Set("X-Ambit-Host", "agent/1\u00e9")
}

// denied are requests of a builder token that are refused, and what the log
// says of each. In them a word in braces stands for an id of the world.
var denied = []struct {
	method, path, body string
	want               record
}{
	{"POST", "/api/models/{model}/promote", `{}`, record{Route: "model_promote", Outcome: "human_only"}},
	{"GET", "/api/tokens", "", record{Route: "tokens", Outcome: "human_only"}},
	{"GET", "/api/workspaces/{foreign}", "", record{Route: "workspace_get", Outcome: "not_found"}},
	{"POST", "/api/plans/{plan}/launch", `{"hash":"x"}`, record{Route: "plan_launch", Workspace: "{ws}", Outcome: "conflict", Entity: "plan:{plan}"}},
	{"POST", "/api/plans/{plan}/launch", `{"hash":7}`, record{Route: "plan_launch", Outcome: "invalid"}},
	{"POST", "/api/plans/{plan}/launch", `{`, record{Route: "plan_launch", Outcome: "malformed"}},
	{"DELETE", "/api/workspaces/{ws}", "", record{Route: "workspace_delete", Outcome: "not_found"}}, // planned
	{"DELETE", "/api/tokens", "", record{Route: "no_method", Outcome: "method_not_allowed"}},
	{"GET", "/api/tokens/all", "", record{Route: "no_route", Outcome: "not_found"}},
}

// What a token builds, computes, repeats and is refused is in the log, with
// whom it acts for and what it says of itself. What it reads is not.
func testAudit(t *testing.T, w *world) {
	token := w.mint(t, "builder", w.a, "")
	as := token.credential()
	var me struct {
		ActsFor string `json:"acts_for"`
	}
	w.send(as, "GET", "/api/auth/me", nil).read(t, 200, &me)
	w.send(as, "POST", "/api/query", fmt.Sprintf(`{"workspace_id":%q,"sql":"SELECT 1"}`, w.a)).read(t, 200, nil)
	want := w.recordedCalls(t, as)

	records := w.records(t, "token:"+token.ID)
	if len(records) != len(want) {
		t.Fatalf("%d records, want %d: %+v", len(records), len(want), records)
	}
	for i, got := range records {
		if got.Principal != "token:"+token.ID || got.ActsFor != me.ActsFor || me.ActsFor == "" || got.Request == "" {
			t.Errorf("record %d does not say who: %+v", i, got)
		}
		if diff := want[i].against(got); diff != "" {
			t.Errorf("record %d: %s", i, diff)
		}
	}
	if len(records[0].Digest) != 64 || records[0].Digest != records[1].Digest || !strings.Contains(records[1].Detail, "digest of the first answer") {
		t.Errorf("the replay does not belong to the first: %+v and %+v", records[0], records[1])
	}
	if intact, problem := w.intact(t); !intact {
		t.Errorf("the chain is broken: %s", problem)
	}
}

// recordedCalls makes calls that leave a record each, and returns those.
func (w *world) recordedCalls(t *testing.T, as credential) []record {
	t.Helper()
	var plan struct{ ID string }
	create := w.send(as, "POST", "/api/workspaces/"+w.a+"/plans", planBody(w.things["dataset"]), withKey("k"), says)
	create.read(t, 201, &plan)
	w.send(as, "POST", "/api/workspaces/"+w.a+"/plans", planBody(w.things["dataset"]), withKey("k"), says).read(t, 201, nil)
	w.send(as, "POST", "/api/models/"+w.things["model"]+"/score", `{"rows":[{"size":3,"colour":"red","noise":1}]}`).read(t, 200, nil)
	want := []record{
		{Route: "plan_create", Workspace: w.a, Entity: "plan:" + plan.ID, Outcome: "ok", Tool: "plan", Host: "agent/1", Key: "k", Request: create.header.Get("X-Request-Id")},
		{Route: "plan_create", Workspace: w.a, Outcome: "ok", Tool: "plan", Host: "agent/1", Key: "k", Replay: true},
		{Route: "model_score", Workspace: w.a, Outcome: "ok", Entity: "model:" + w.things["model"]},
	}
	fill := strings.NewReplacer("{ws}", w.a, "{foreign}", w.b, "{model}", w.things["model"], "{plan}", plan.ID)
	for _, d := range denied {
		var body any
		if d.body != "" {
			body = d.body
		}
		w.send(as, d.method, fill.Replace(d.path), body, withKey(fresh()))
		d.want.Workspace, d.want.Entity = fill.Replace(d.want.Workspace), fill.Replace(d.want.Entity)
		want = append(want, d.want)
	}
	return want
}

// against compares what a record must say, and what every one of its kind must not.
func (want record) against(got record) string {
	var out []string
	for _, c := range []struct{ what, want, got string }{
		{"route", want.Route, got.Route}, {"outcome", want.Outcome, got.Outcome}, {"workspace", want.Workspace, got.Workspace},
		{"tool", want.Tool, got.Tool}, {"host", want.Host, got.Host}, {"replay", fmt.Sprint(want.Replay), fmt.Sprint(got.Replay)},
	} {
		if c.got != c.want {
			out = append(out, fmt.Sprintf("%s is %q, want %q", c.what, c.got, c.want))
		}
	}
	for _, c := range []struct{ what, want, got string }{{"entity", want.Entity, got.Entity}, {"key", want.Key, got.Key}, {"request", want.Request, got.Request}} {
		if c.want != "" && c.got != c.want {
			out = append(out, fmt.Sprintf("%s is %q, want %q", c.what, c.got, c.want))
		}
	}
	return strings.Join(out, ", ")
}

// What the MCP layer refuses is in the log too, in the caller's own name.
func testAuditOfTools(t *testing.T, w *world) {
	token := w.mint(t, "read", w.a, "")
	c, _ := w.recording(t)
	hosted := w.host(t, c)
	if r := w.callTool(t, hosted, token.credential(), "launch_plan", `{"plan_id":"`+w.things["plan"]+`"}`); r.code() != "scope_forbidden" {
		t.Fatalf("launch_plan by a read token: %v, want scope_forbidden", r)
	}
	records := w.records(t, "token:"+token.ID)
	if len(records) != 1 || records[0].Tool != "launch_plan" || records[0].Outcome != "scope_forbidden" || records[0].Host != "agent/1" {
		t.Errorf("records = %+v, want one of launch_plan, scope_forbidden", records)
	}
}

// What the MCP layer reports is bounded, so that no token fills the log.
func TestReportsAreBounded(t *testing.T) {
	s := newSite(t)
	report := func(body string) answer { return s.send(s.builder, "POST", "/api/audit/refusals", body) }
	report(`{"tool":"","code":"human_only"}`).names(t, "no tool", 422, "invalid", "tool")
	report(`{"tool":"plan","code":"ok"}`).names(t, "no code", 422, "invalid", "code")
	const most = 60 // a minute
	for range most {
		report(`{"tool":"plan","code":"human_only"}`).read(t, 204, nil)
	}
	over := report(`{"tool":"plan","code":"human_only"}`)
	over.is(t, "one too many", 429, "rate_limited")
	if over.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	reported := 0
	for _, r := range s.records(t, "token:"+s.token.ID) {
		if r.Tool == "plan" && r.Outcome == "human_only" {
			reported++
		}
	}
	if reported != most {
		t.Errorf("%d records of reports, want %d", reported, most)
	}
}

// Whoever knocks without a credential is counted, one record a minute, so that
// nobody fills the log from outside.
func TestUnknownCallersAreSummedUp(t *testing.T) {
	s := newSite(t)
	knock := func(n int) {
		for range n {
			s.send(credential{}, "GET", "/api/workspaces", nil).is(t, "nobody", 401, "unauthenticated")
			s.send(credential{bearer: "amb_no"}, "POST", "/api/query", `{}`).is(t, "nobody", 401, "unauthenticated")
		}
	}
	knock(5)
	s.pass(61 * time.Second)
	knock(3)
	s.pass(61 * time.Second)
	knock(1)
	var got []string
	for _, r := range s.records(t, "nobody") {
		got = append(got, strings.Fields(r.Detail)[0]+" "+r.Outcome)
	}
	if want := "[1 unauthenticated 10 unauthenticated 6 unauthenticated]"; fmt.Sprint(got) != want {
		t.Errorf("records of unknown callers: %v, want %s", got, want)
	}
}

// A record cannot be changed, not even in the database by itself; where somebody
// takes away what forbids it, the change is found and named.
func TestChangedRecordIsFound(t *testing.T) {
	s := newSite(t)
	s.plan(t, s.builder, s.ws, s.dataset)
	if intact, problem := s.intact(t); !intact {
		t.Fatalf("the chain is broken before anything was changed: %s", problem)
	}
	of := s.records(t, "token:"+s.token.ID)
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(s.data, "ambit.db")+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const change = "UPDATE audit_log SET tool = 'another' WHERE seq = ?"
	if _, err := db.ExecContext(t.Context(), change, of[0].Seq); err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("changing a record: %v, want that the log is append-only", err)
	}
	if _, err := db.ExecContext(t.Context(), "DROP TRIGGER audit_log_no_update"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), change, of[0].Seq); err != nil {
		t.Fatal(err)
	}
	intact, problem := s.intact(t)
	if intact || !strings.Contains(problem, fmt.Sprint(of[0].Seq)) {
		t.Errorf("intact %v, %q; want record %d named", intact, problem, of[0].Seq)
	}
}
