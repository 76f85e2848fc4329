package contracttest

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// alike checks that a foreign thing and one that does not exist get one answer:
// the status, the headers and the body, but for the request's own id.
func alike(t *testing.T, what string, foreign, absent answer) {
	t.Helper()
	if foreign.status != 404 || foreign.code() != "not_found" {
		t.Errorf("%s: foreign gets %d %s, want 404 not_found: %s", what, foreign.status, foreign.code(), foreign.body)
	}
	if f, a := plain(foreign), plain(absent); f != a || len(foreign.body) != len(absent.body) {
		t.Errorf("%s: a foreign thing can be told from an absent one:\nforeign: %s\nabsent:  %s", what, f, a)
	}
}

var requestID = regexp.MustCompile(`req_[0-9A-Za-z]+`)

// plain is an answer without what differs from one request to the next.
func plain(a answer) string {
	var head []string
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		if name != "Date" && name != "X-Request-Id" {
			head = append(head, name+": "+strings.Join(a.header[name], ","))
		}
	}
	return fmt.Sprintf("%d %v %s", a.status, head, requestID.ReplaceAllString(string(a.body), "req"))
}

// absentID is an id of the same shape that nothing has.
func absentID(id string) string {
	return id[:len(id)-4] + map[bool]string{true: "0000", false: "1111"}[!strings.HasSuffix(id, "0000")]
}

// Every route that names a workspace or a thing in one, in its path or as the
// workspace of its body.
func testLookalikes(t *testing.T, w *world) {
	rows, _ := served(t)
	tried := 0
	for _, r := range rows {
		c, ok := w.outsider(r)
		if !ok {
			continue
		}
		tried++
		s := w.sample(t, r)
		named := w.a
		if r.bound == "entity" {
			named = w.things[kinds[strings.Split(r.path, "/")[2]]]
			if r.place() == "POST /api/plans/{id}/cancel" {
				named = w.things["cancelled plan"]
			}
		}
		gone := sample{strings.ReplaceAll(s.path, named, absentID(named)), s.body}
		if body, ok := s.body.(string); ok {
			gone.body = strings.ReplaceAll(body, named, absentID(named))
		}
		if gone.path == s.path && gone.body == s.body {
			t.Fatalf("%s: the sample does not name %s", r.place(), named)
		}
		alike(t, r.place(), w.send(c.credential, r.method, s.path, s.body, withKey(fresh())), w.send(c.credential, r.method, gone.path, gone.body, withKey(fresh())))
	}
	t.Logf("%d routes", tried)
}

// outsider is a caller whom the row admits and whose workspace is another one.
// Admins have none that is foreign.
func (w *world) outsider(r lawRow) (caller, bool) {
	if !r.inWorkspace() {
		return caller{}, false
	}
	for _, name := range []string{"builder of a foreign workspace", "operator of a foreign workspace"} {
		if c := w.callers[name]; r.verdict(c) == (verdict{404, "not_found"}) {
			return c, true
		}
	}
	return caller{}, false
}

// Ids inside a body, and of a resource: the workspace is the caller's own, the
// thing is not in it.
func testForeignInside(t *testing.T, w *world) {
	tests := []struct {
		name, method, path, body string
		inside                   string // the foreign id
	}{
		{"profile", "POST", "/api/profile", `{"workspace_id":"{b}","dataset_id":"{x}"}`, w.things["dataset"]},
		{"plan", "POST", "/api/workspaces/{b}/plans", `{"dataset_id":"{x}","target":"class"}`, w.things["dataset"]},
		{"register", "POST", "/api/runs/" + w.others["run"] + "/models", `{"trial_id":"{x}","name":"mine"}`, w.things["trial"]},
		{"resource dataset", "GET", "/api/workspaces/{b}/resources/dataset/{x}", "", w.things["dataset"]},
		{"resource plan", "GET", "/api/workspaces/{b}/resources/plan/{x}", "", w.things["plan"]},
		{"resource run", "GET", "/api/workspaces/{b}/resources/run/{x}", "", w.things["run"]},
		{"resource leaderboard", "GET", "/api/workspaces/{b}/resources/leaderboard/{x}", "", w.things["run"]},
		{"resource model", "GET", "/api/workspaces/{b}/resources/model/{x}", "", w.things["model"]},
	}
	c := w.callers["builder of a foreign workspace"]
	for _, tt := range tests {
		ask := func(id string) answer {
			fill := strings.NewReplacer("{b}", w.b, "{x}", id)
			var body any
			if tt.body != "" {
				body = fill.Replace(tt.body)
			}
			return w.send(c.credential, tt.method, fill.Replace(tt.path), body, withKey(fresh()))
		}
		alike(t, tt.name, ask(tt.inside), ask(absentID(tt.inside)))
	}
}

// SQL sees the tables of its workspace only: a foreign one is as unknown as one
// that never was.
func testForeignTables(t *testing.T, w *world) {
	w.make(t, cli, "/api/workspaces/"+w.a+"/datasets", upload("ledger", "ledger.csv", separable(10)))
	c := w.callers["builder of a foreign workspace"]
	ask := func(name string) answer {
		return w.send(c.credential, "POST", "/api/query", fmt.Sprintf(`{"workspace_id":%q,"sql":"SELECT * FROM %s"}`, w.b, name))
	}
	foreign, absent := ask("ledger"), ask("nomnom")
	foreign.is(t, "a foreign table", 422, "unknown_table")
	if f, a := plain(foreign), strings.ReplaceAll(plain(absent), "nomnom", "ledger"); f != a {
		t.Errorf("a foreign table can be told from an absent one:\nforeign: %s\nabsent:  %s", f, a)
	}
}

// Lists hold what is in the caller's workspaces and nothing else.
func testLists(t *testing.T, w *world) {
	var list struct {
		Items []struct {
			ID        string
			Workspace string `json:"workspace_id"`
		}
	}
	for name, want := range map[string][]string{
		"read": {w.a}, "builder of a foreign workspace": {w.b}, "viewer": {w.a}, "operator of a foreign workspace": {w.b}, "cli": {w.a, w.b}, "admin": {w.a, w.b},
	} {
		w.send(w.callers[name].credential, "GET", "/api/workspaces", nil).read(t, http.StatusOK, &list)
		var got []string
		for _, item := range list.Items {
			got = append(got, item.ID)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("workspaces of %s: got %v, want %v", name, got, want)
		}
	}
	w.send(w.callers["operator"].credential, "GET", "/api/audit?limit=1000", nil).read(t, http.StatusOK, &list)
	if len(list.Items) == 0 {
		t.Error("the operator sees no audit records of the own workspace")
	}
	for _, item := range list.Items {
		if item.Workspace != w.a {
			t.Errorf("the operator sees an audit record of workspace %q", item.Workspace)
		}
	}
}
