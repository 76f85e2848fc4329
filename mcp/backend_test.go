package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"ambit/api/client"
	"ambit/internal/fault"
	"ambit/mcp"
	"ambit/scopes"
)

// Tokens of the backend, by scope.
var (
	readToken    = token("read")
	computeToken = token("compute")
	builderToken = token("builder")
	otherToken   = token("other") // another builder
	deadToken    = token("dead")  // well shaped, and unknown
)

func token(name string) string {
	return "amb_" + (name + strings.Repeat("0", 12))[:12] + "_" + strings.Repeat("x", 49)
}

// sent is a request as it reached the backend.
type sent struct {
	route  scopes.RouteID
	line   string // method and URI
	body   string
	header http.Header
}

// backend stands for the API: it records what reaches it and answers as it was told.
type backend struct {
	t       *testing.T
	mu      sync.Mutex
	sent    []sent
	answers map[scopes.RouteID]http.HandlerFunc // in place of the usual ones
	keys    map[string]bool                     // idempotency keys that were seen
}

func newBackend(t *testing.T) *backend {
	return &backend{t: t, answers: map[scopes.RouteID]http.HandlerFunc{}, keys: map[string]bool{}}
}

// answer sets what a route answers.
func (b *backend) answer(id scopes.RouteID, h http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[id] = h
}

// say answers with a status and a body.
func say(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// problem answers with a fault.
func problem(f *fault.Fault) http.HandlerFunc {
	status, doc := fault.Problem(f, "req_1")
	return say(status, string(doc))
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	route := match(r)
	b.mu.Lock()
	b.sent = append(b.sent, sent{route, r.Method + " " + r.RequestURI, string(body), r.Header.Clone()})
	special := b.answers[route]
	b.mu.Unlock()
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		b.replay(w, key)
	}
	switch {
	case special != nil:
		special(w, r)
	case route == scopes.AuthMe:
		me(w, r)
	default:
		say(200, usual[route])(w, r)
	}
}

// replay says whether the key was seen before.
func (b *backend) replay(w http.ResponseWriter, key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Header().Set("Idempotency-Key", key)
	if b.keys[key] {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	b.keys[key] = true
}

func me(w http.ResponseWriter, r *http.Request) {
	scope := map[string]string{readToken: "read", computeToken: "compute", builderToken: "builder", otherToken: "builder"}[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if scope == "" {
		problem(fault.New(fault.Unauthenticated, "This token is not known."))(w, r)
		return
	}
	fmt.Fprintf(w, `{"kind":"token","id":"tk_1","scope":%q,"workspace_ids":["ws_1"]}`, scope)
}

// match finds the row of a request.
func match(r *http.Request) scopes.RouteID {
	got := strings.Split(r.URL.Path, "/")
	for _, row := range scopes.Routes {
		want := strings.Split(row.Path, "/")
		same := row.Method == r.Method && len(want) == len(got)
		for i := 0; same && i < len(want); i++ {
			same = want[i] == got[i] || strings.HasPrefix(want[i], "{")
		}
		if same {
			return row.ID
		}
	}
	return ""
}

// of returns what reached a route; without ids, all that is no auth/me.
func (b *backend) of(ids ...scopes.RouteID) []sent {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []sent
	for _, s := range b.sent {
		if len(ids) == 0 && s.route != scopes.AuthMe || len(ids) > 0 && s.route == ids[0] {
			found = append(found, s)
		}
	}
	return found
}

func (b *backend) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = nil
}

// usual are answers in the shapes of the API.
var usual = map[scopes.RouteID]string{
	scopes.Workspaces:      `{"items":[{"id":"ws_1","name":"churn","stage":"explore","created_at":null,"created_by":"cli"}]}`,
	scopes.WorkspaceBrief:  `{"rev":"r1","workspace":{"id":"ws_1","name":"churn","stage":"explore","created_at":null,"created_by":"cli"},"datasets":[{"id":"ds_1","name":"sales","version":1,"rows":9,"columns":["a"],"fingerprint":"f"}],"next":[{"tool":"profile","args":{},"why":"w"}]}`,
	scopes.Resources:       `{"items":[{"uri":"ambit://ws_1/run/run_1","kind":"run","id":"run_1","created_at":null}],"next_cursor":"c2"}`,
	scopes.ResourceGet:     `{"uri":"ambit://ws_1/model/mo_1","kind":"model","id":"mo_1","data":{},"truncated":false,"links":[]}`,
	scopes.Query:           `{"columns":[{"name":"n","type":"BIGINT"}],"rows":[[1],[2]],"has_more":false,"elapsed_ms":1.5,"query_hash":"h"}`,
	scopes.Profile:         `{"dataset_id":"ds_1","version":1,"fingerprint":"f","profile":{"rows":9,"duplicate_rows":0,"columns":[],"warnings":[]}}`,
	scopes.ModelEvaluation: `{"task":"binary","label":"oof","headline":"AUC 0.9 over 9 rows, out of fold.","rows":9,"seed":42,"params_resolved":{"weighted":false,"grouped":false,"resamples":0,"confidence":0.95},"primary_metric":"auc","metrics":{},"caveats":[]}`,
	scopes.RunGet:          `{"id":"run_1","workspace_id":"ws_1","plan_id":"pl_1","started_by":"token:tk_1","state":"running","phase":"gbtree","progress":0.4,"attempt":0,"abort_requested_at":null,"created_at":null,"started_at":null,"ended_at":null,"trials":1,"last_seq":7}`,
	scopes.RunLeaderboard:  `{"run_id":"run_1","state":"succeeded","metric":{"name":"auc","higher_is_better":true},"rows":[],"note":"n"}`,
	scopes.ModelScore:      `{"model_id":"mo_1","status":"registered","predictions":[{"value":1.5,"flags":[]}],"caveat":"c"}`,
	scopes.PlanLaunch:      `{"run_id":"run_1"}`,
	scopes.ModelRegister:   `{"id":"mo_1","workspace_id":"ws_1","name":"first","status":"registered","run_id":"run_1","trial_id":"tr_1","plan_id":"pl_1","dataset_id":"ds_1","family":"gbtree","trial_name":"ambit-0","task":"binary","target":"y","metric":"auc","cv":0.9,"se":0.01,"sha256":"s","bytes":10,"created_at":null,"created_by":"token:tk_1","promoted_at":null}`,
	scopes.PlanCreate:      usualPlan,
	scopes.PlanCancel:      usualPlan,
	scopes.RunAbort:        `{"id":"run_1","workspace_id":"ws_1","plan_id":"pl_1","started_by":"token:tk_1","state":"aborted","phase":"","progress":0.4,"attempt":0,"abort_requested_at":null,"created_at":null,"started_at":null,"ended_at":null,"trials":1,"last_seq":8}`,
	scopes.AuditRefusals:   ``,
}

const usualPlan = `{"id":"pl_1","workspace_id":"ws_1","dataset_id":"ds_1","state":"ready","hash":"h","created_by":{"principal":"token:tk_1"},"created_at":null,"expires_at":null,"sentence":"Binary task on 9 rows.",` +
	`"spec":{"dataset_version_id":"dv_1","dataset_version":1,"fingerprint":"f","rows":9,"dropped_rows":0,"target":"y","task":"binary","metric":{"name":"auc","higher_is_better":true},"split":{"strategy":"stratified","k":5,"seed":42,"holdout":0,"split_id":"s"},"features":[],"ignored":[],"families":["floor"],"budget":{"time_s":60,"threads":2},"seed":42,"engine":"e","warnings":[]}}`

// schemas are the schemas of answers, as the API has them.
func schemas(t testing.TB) func(scopes.RouteID) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile("testdata/schemas.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[scopes.RouteID]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return func(id scopes.RouteID) json.RawMessage { return all[id] }
}

// config is what a host is made of, over the backend in process.
func (b *backend) config(change ...func(*mcp.Config)) mcp.Config {
	b.t.Helper()
	cl, err := client.New("http://ambit.test", client.InProcess(b))
	if err != nil {
		b.t.Fatal(err)
	}
	cfg := mcp.Config{Version: "1.0", API: cl, Schema: schemas(b.t), Hosts: []string{"ambit.test"}, Token: builderToken, PollEvery: 1}
	for _, f := range change {
		f(&cfg)
	}
	return cfg
}
