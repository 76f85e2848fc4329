package contracttest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ambit/scopes"
)

// sample is a request that gets past the wall and changes nothing that another
// request of the matrix needs: it reads, repeats what was done, or asks for
// something that the handler refuses.
type sample struct {
	path string
	body any
}

// bodies are those of the rows that are no GET: in them {kind} stands for the id
// of the world's thing. A row without one stops the test.
var bodies = map[string]string{
	"POST /api/auth/setup":                `{"unknown":1}`,
	"POST /api/auth/login":                `{"unknown":1}`,
	"POST /api/auth/logout":               `{"unknown":1}`, // must not end the session
	"POST /api/auth/link":                 `{"unknown":1}`,
	"POST /api/auth/step-up":              `{"unknown":1}`, // must not step anybody up
	"POST /api/auth/password":             `{"new_password":"short"}`,
	"POST /api/auth/sessions/{id}/revoke": ``,
	"POST /api/audit/refusals":            `{"tool":"query","code":"scope_forbidden"}`,
	"POST /api/workspaces":                `{"name":""}`,
	"POST /api/workspaces/{ws}/brief":     `{}`,
	"POST /api/query":                     `{"workspace_id":"{ws}","sql":"SELECT 1"}`,
	"POST /api/profile":                   `{"workspace_id":"{ws}","dataset_id":"{dataset}","columns":["size"]}`,
	"DELETE /api/datasets/{id}":           `{"confirm":"not its name"}`,
	"POST /api/workspaces/{ws}/plans":     `{"dataset_id":"{dataset}","target":""}`,
	"POST /api/plans/{id}/cancel":         ``,
	"POST /api/plans/{id}/launch":         `{"hash":"not-its-hash"}`,
	"DELETE /api/plans/{id}":              `{"confirm":"not its id"}`,
	"POST /api/runs/{id}/abort":           ``, // of a run that has ended
	"POST /api/runs/{id}/models":          `{"trial_id":"{trial}","name":""}`,
	"DELETE /api/runs/{id}":               `{"confirm":"not its id"}`,
	"POST /api/models/{id}/score":         `{"rows":[{"size":3,"colour":"red","noise":1}]}`,
	"POST /api/models/{id}/promote":       `{"confirm":"not its name","reason":"to see"}`,
	"DELETE /api/models/{id}":             `{"confirm":"not its name","reason":"to see"}`,
	"POST /api/tokens":                    `{"name":"","scope":"read","workspace_ids":["{ws}"]}`,
	"POST /api/tokens/{id}/revoke":        ``, // one that is revoked
	"POST /api/people":                    `{"email":"no address","role":"viewer"}`,
	"PATCH /api/people/{id}":              `{"role":"emperor"}`,
	"POST /api/people/{id}/link":          ``,
	"POST /api/audit/verify":              ``,
	"POST /mcp":                           `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
}

// forms are the bodies of uploads: of a table that cannot be read.
var forms = map[string]form{
	"POST /api/workspaces/{ws}/datasets": upload("", "table.csv", nil),
	"POST /api/datasets/{id}/versions":   upload("", "table.csv", nil),
}

// kinds say what {id} stands for after the first word of a path.
var kinds = map[string]string{
	"datasets": "dataset", "plans": "plan", "runs": "run", "models": "model", "tokens": "token", "people": "person",
	"auth": "session",
}

// sample makes the request of a row, on the things of the world.
func (w *world) sample(t testing.TB, r lawRow) sample {
	t.Helper()
	if f, ok := forms[r.place()]; ok {
		return sample{w.fill(t, r.path, r), f}
	}
	if r.method == "GET" {
		return sample{w.fill(t, r.path, r), nil}
	}
	body, ok := bodies[r.place()]
	if !ok {
		t.Fatalf("%s is served, and there is no sample of it", r.place())
	}
	if body == "" {
		return sample{w.fill(t, r.path, r), nil}
	}
	return sample{w.fill(t, r.path, r), w.fill(t, body, r)}
}

// fill puts the world's ids in the place of names in braces.
func (w *world) fill(t testing.TB, text string, r lawRow) string {
	t.Helper()
	kind := kinds[strings.Split(r.path, "/")[min(2, strings.Count(r.path, "/"))]]
	switch r.place() {
	case "GET /api/workspaces/{ws}/resources/{kind}/{id}":
		kind = "dataset"
	case "POST /api/plans/{id}/cancel":
		kind = "cancelled plan"
	}
	pairs := []string{"{ws}", w.a, "{kind}", kind, "{id}", w.things[kind]}
	for name, id := range w.things {
		pairs = append(pairs, "{"+name+"}", id)
	}
	if kind == "session" {
		pairs[5] = "ses_none"
	}
	if strings.Contains(r.path, "{id}") && pairs[5] == "" {
		t.Fatalf("%s: the world has no %q", r.place(), kind)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// try sends the sample of a row as a caller, with a key where a token needs one.
func (w *world) try(t testing.TB, r lawRow, c caller) answer {
	t.Helper()
	s := w.sample(t, r)
	return w.send(c.credential, r.method, s.path, s.body, func(req *http.Request) {
		if r.key {
			req.Header.Set("Idempotency-Key", fresh())
		}
		req.Header.Set("Accept", "application/json, text/event-stream")
	})
}

// served returns the law of the rows that are served, and of those that are planned.
func served(t testing.TB) (served, planned []lawRow) {
	t.Helper()
	later := map[string]bool{}
	for _, r := range scopes.Routes {
		later[r.Method+" "+r.Path] = r.Planned
	}
	for _, r := range law(t) {
		isLater, ok := later[r.place()]
		switch {
		case !ok: // the comparison of the tables says so
		case isLater:
			planned = append(planned, r)
		default:
			served = append(served, r)
		}
	}
	if len(served) == 0 || len(planned) == 0 {
		t.Fatal(fmt.Sprint(len(served), " rows are served and ", len(planned), " planned: want some of each"))
	}
	return served, planned
}
