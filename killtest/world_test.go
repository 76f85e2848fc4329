package killtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"ambit/api/client"
	"ambit/internal/app"
	"ambit/internal/testservices"
	"ambit/scopes"
)

// world is a database with a workspace, a table and a token, and the server that
// has it at the moment.
type world struct {
	orders
	server  *server
	at      *address
	history *history
	space   string
	dataset string
	token   string
	stalled bool // a run did not end
}

// databases are what everything is proven on.
var databases = []string{"SQLite", "PostgreSQL"}

// newWorld starts a server that fails as it is told, and sets up what agents need.
func newWorld(t *testing.T, database, fail string) *world {
	t.Helper()
	data, err := os.MkdirTemp("", "ambit-kill-") // short: a socket's name must fit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.RemoveData(data) })
	w := &world{orders: orders{Data: data, Fail: fail}, history: &history{}}
	if database == "PostgreSQL" {
		w.Database = testservices.Postgres(t)
	}
	w.server = start(t, w.orders)
	w.at = newAddress(w.server.url)
	w.setUp(t)
	return w
}

// restart starts the next server, which fails as it is told, where one was.
func (w *world) restart(t *testing.T, fail string) {
	t.Helper()
	<-w.server.ended
	w.Fail = fail
	w.server = start(t, w.orders)
	w.at.set(w.server.url)
}

// operator calls a route as the host's operator.
func (w *world) operator(t *testing.T, id scopes.RouteID, params map[string]string, query url.Values, body, into any) {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", app.OperatorSocket(w.Data))
	}}
	defer transport.CloseIdleConnections()
	c, err := client.New("http://operator.invalid", transport)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Call(t.Context(), id, params, query, body)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		t.Fatalf("%s: %v in %s", id, err, answer.Body)
	}
}

func (w *world) setUp(t *testing.T) {
	t.Helper()
	var space, person, dataset struct{ ID string }
	var token struct{ Token string }
	w.operator(t, scopes.WorkspaceCreate, nil, nil, map[string]any{"name": "w"}, &space)
	w.operator(t, scopes.PersonCreate, nil, nil, map[string]any{"email": "a@ambit.test", "role": "admin"}, &person)
	w.operator(t, scopes.DatasetCreate, map[string]string{"ws": space.ID}, nil, table(t), &dataset)
	w.operator(t, scopes.TokenMint, nil, nil, map[string]any{
		"name": "agent", "scope": "builder", "workspace_ids": []string{space.ID}, "max_concurrent": 100, "max_daily": 10_000,
	}, &token)
	w.space, w.dataset, w.token = space.ID, dataset.ID, token.Token
}

// table is the smallest table that can be trained on.
func table(t *testing.T) client.Stream {
	t.Helper()
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	if err := writer.WriteField("name", "table"); err != nil {
		t.Fatal(err)
	}
	part, err := writer.CreateFormFile("file", "table.csv")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(part, "x,class")
	for i := range 40 {
		fmt.Fprintf(part, "%d,%s\n", i*7%40, []string{"no", "yes"}[i*7%40/20])
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return client.Stream{ContentType: writer.FormDataContentType(), Reader: &form}
}

// newAgent returns an agent with the world's token.
func (w *world) newAgent() *agent {
	return &agent{at: w.at, token: w.token, http: &http.Client{Timeout: time.Minute}, record: w.history}
}

// get reads something of the API, with the agent's token.
func (w *world) get(t *testing.T, path string, into any) {
	t.Helper()
	base, _ := w.at.get()
	a, err := w.newAgent().send(t.Context(), "GET", base+path, "", "")
	if err != nil || a.status != 200 {
		t.Fatalf("GET %s: %d %v %s", path, a.status, err, a.body)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatalf("GET %s: %v in %s", path, err, a.body)
	}
}

// list reads all pages of a list.
func list[T any](t *testing.T, w *world, path string) (all []T) {
	t.Helper()
	for cursor := ""; ; {
		var page struct {
			Items []T
			Next  string `json:"next_cursor"`
		}
		w.get(t, path+"?limit=100&cursor="+cursor, &page)
		all = append(all, page.Items...)
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

// end waits until every run is over, and returns what the server then has.
func (w *world) end(t *testing.T) (s state) {
	t.Helper()
	s.plans = list[plan](t, w, "/api/workspaces/"+w.space+"/plans")
	s.runs = list[run](t, w, "/api/workspaces/"+w.space+"/runs")
	for i := range s.runs {
		w.endOf(t, &s.runs[i])
	}
	var me struct {
		Budget struct {
			Concurrent struct{ Used int }
			Daily      struct {
				Used     int
				ResetsAt time.Time `json:"resets_at"`
			}
		}
	}
	w.get(t, "/api/auth/me", &me)
	s.running, s.today, s.day = me.Budget.Concurrent.Used, me.Budget.Daily.Used, me.Budget.Daily.ResetsAt.AddDate(0, 0, -1)
	var verified struct{ Intact bool }
	w.operator(t, scopes.AuditVerify, nil, nil, nil, &verified)
	s.intact = verified.Intact
	for _, route := range []string{"plan_create", "plan_launch"} {
		s.audit = append(s.audit, w.records(t, route)...)
	}
	return s
}

// patience is how long something may take that must happen. It decides nothing:
// what takes so long does not come.
const patience = 2 * time.Minute

// endOf waits for a run to end and reads its history. After one that does not
// end, no other is waited for.
func (w *world) endOf(t *testing.T, r *run) {
	t.Helper()
	began := time.Now()
	for w.get(t, "/api/runs/"+r.ID, r); !over(r.State) && !w.stalled; {
		w.get(t, "/api/runs/"+r.ID+"?wait_s=20", r)
		w.stalled = time.Since(began) > patience && !over(r.State)
	}
	var log struct{ Items []event }
	w.get(t, "/api/runs/"+r.ID+"/log?limit=500", &log)
	r.Events = log.Items
}

// records reads the audit records of a route.
func (w *world) records(t *testing.T, route string) (all []record) {
	t.Helper()
	for before := int64(0); ; {
		var page struct {
			Items []record
			Next  int64 `json:"next_before"`
		}
		query := url.Values{"route": {route}, "limit": {"1000"}}
		if before > 0 {
			query.Set("before", fmt.Sprint(before))
		}
		w.operator(t, scopes.Audit, nil, query, nil, &page)
		all = append(all, page.Items...)
		if before = page.Next; before == 0 {
			return all
		}
	}
}

// upheld fails the test for every law that was broken.
func upheld(t *testing.T, found []finding) {
	t.Helper()
	var lines []string
	for _, f := range found {
		lines = append(lines, f.String())
	}
	if len(found) > 0 {
		t.Errorf("%d findings, want none:\n%s", len(found), strings.Join(lines, "\n"))
	}
}
