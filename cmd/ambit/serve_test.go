package main

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/internal/testservices"
)

// The set-up secret makes the first admin, once, and is not printed where there
// are people already.
func TestSetupSecret(t *testing.T) {
	data := dataFolder(t)
	first := serve(t, data)
	log := first.stop(t)
	secret := setupSecret(log)
	if secret == "" || !strings.Contains(log, "answers at "+first.url) {
		t.Fatalf("no secret or address in %s", log)
	}
	second := serve(t, data) // the secret is good for 30 minutes, and not for one process
	body := fmt.Sprintf(`{"secret":%q,"email":"first@ambit.test","password":"seven lamps on a hill"}`, secret)
	if status := second.call(t, http.DefaultClient, "POST", "/api/auth/setup", "", body, nil); status != http.StatusOK {
		t.Errorf("set-up: got %d, want 200", status)
	}
	if status := second.call(t, http.DefaultClient, "POST", "/api/auth/setup", "", body, nil); status != http.StatusConflict {
		t.Errorf("set-up again: got %d, want 409", status)
	}
	second.stop(t)
	third := serve(t, data)
	if log := third.stop(t); setupSecret(log) != "" {
		t.Errorf("a secret though there is an admin: %s", log)
	}
}

// A folder has one server: the second ends at once, says why, and leaves the
// first one's ready file alone.
func TestSecondServer(t *testing.T) {
	tests := []struct{ name, want string }{
		{"SQLite", "another Ambit is running on this data folder"},
		{"PostgreSQL", "another server uses the data folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, flags := dataFolder(t), []string(nil)
			if tt.name == "PostgreSQL" {
				flags = []string{"--database-url", testservices.Postgres(t)}
			}
			first := serve(t, data, flags...)
			again := ambit(t, "", append([]string{"serve", "--addr", "127.0.0.1:0", "--data", data}, flags...)...)
			if again.code != 1 || !strings.Contains(again.err, tt.want) {
				t.Errorf("exit %d, stderr %q; want 1 and %q", again.code, again.err, tt.want)
			}
			if status := first.call(t, http.DefaultClient, "GET", "/readyz", "", "", nil); status != http.StatusOK {
				t.Errorf("the first server: got %d, want 200", status)
			}
		})
	}
}

// A ready file of an earlier server is gone before this one answers; one that
// cannot be written ends the server.
func TestReadyFile(t *testing.T) {
	data := dataFolder(t)
	path := filepath.Join(data, "ready.json")
	if err := os.WriteFile(path, []byte(`{"url":"http://127.0.0.1:1","pid":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, data).stop(t) // which reads no ready file but its own
	got := ambit(t, "", "serve", "--addr", "127.0.0.1:0", "--data", data, "--ready-file", filepath.Join(data, "absent", "ready.json"))
	if got.code != 1 || !strings.Contains(got.err, "ready file: ") {
		t.Errorf("exit %d, stderr %q; want 1 and the ready file", got.code, got.err)
	}
}

const runSeconds = 600 // more than any test waits: a run that a stop cuts off

// SIGTERM does not wait for a run: it goes back to the queue and loses no attempt.
func TestTermRequeuesRun(t *testing.T) {
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		t.Run(database, func(t *testing.T) {
			data, flags := dataFolder(t), []string(nil)
			if database == "PostgreSQL" {
				flags = []string{"--database-url", testservices.Postgres(t)}
			}
			s := serve(t, data, append(flags, "--train-workers", "1")...)
			h := host{append(flags, "--data", data)}
			run, token := longRun(t, s, h)
			s.stop(t)
			s = serve(t, data, append(flags, "--train-workers", "0")...)
			var after runView
			if status := s.call(t, http.DefaultClient, "GET", "/api/runs/"+run, token, "", &after); status != 200 || after.State != "queued" || after.Attempt != 0 {
				t.Errorf("after SIGTERM: %d %+v, want queued and no attempt lost", status, after)
			}
		})
	}
}

type runView struct {
	State   string
	Attempt int
	LastSeq int64 `json:"last_seq"`
}

// longRun launches a run that takes minutes, and waits until it is under way.
func longRun(t *testing.T, s *server, h host) (run, token string) {
	t.Helper()
	space, dataset, token := ready(t, h, manyRows(20_000))
	var plan struct{ ID string }
	body := fmt.Sprintf(`{"dataset_id":%q,"target":"kind","split":{"k":10,"seed":1,"holdout":0},"budget":{"time_s":%d,"threads":1}}`, dataset, runSeconds)
	if status := s.call(t, http.DefaultClient, "POST", "/api/workspaces/"+space+"/plans", token, body, &plan); status != 201 {
		t.Fatalf("plan: got %d, want 201", status)
	}
	var launched struct {
		Run string `json:"run_id"`
	}
	if status := s.call(t, http.DefaultClient, "POST", "/api/plans/"+plan.ID+"/launch", token, "", &launched); status != 201 {
		t.Fatalf("launch: got %d, want 201", status)
	}
	for v := (runView{LastSeq: 1}); v.State != "running"; { // the first event says that it is queued
		path := fmt.Sprintf("/api/runs/%s?wait_s=20&after_seq=%d", launched.Run, v.LastSeq)
		if status := s.call(t, http.DefaultClient, "GET", path, token, "", &v); status != 200 || v.State == "succeeded" || v.State == "failed" {
			t.Fatalf("run: %d %+v, want it to run", status, v)
		}
	}
	return launched.Run, token
}

// ready makes a workspace with a table, an admin, and a builder's token.
func ready(t *testing.T, h host, table string) (space, dataset, token string) {
	t.Helper()
	space = h.add(t, "", "workspace", "add", "--name", "w")["id"].(string)
	h.add(t, "", "person", "add", "--email", "first@ambit.test", "--role", "admin")
	dataset = h.add(t, "", "dataset", "add", "--workspace", space, "--name", "table", write(t, "table.csv", table))["id"].(string)
	token = h.add(t, "", "token", "mint", "--scope", "builder", "--workspace", space)["token"].(string)
	return space, dataset, token
}

// manyRows is a table whose column kind depends on the others, somewhat.
func manyRows(n int) string {
	var b strings.Builder
	b.WriteString("kind,a,b,c,d,e,f\n")
	for i := range n {
		x := uint32(i)*2654435761 + 12345
		kind := "no"
		if x%7 < 3 != (x>>9%11 < 4) {
			kind = "yes"
		}
		fmt.Fprintf(&b, "%s,%d,%d,%d,%d,%d,%d\n", kind, x%7, x>>9%11, x>>13%1009, x>>5%997, x>>3%499, x>>17%251)
	}
	return b.String()
}

// Without libxgboost the server serves; it says what is missing and the line
// that installs it, to people and to whoever wants to train.
func TestWithoutXGBoost(t *testing.T) {
	t.Setenv("XGBOOST_LIB", filepath.Join(t.TempDir(), "libxgboost.so"))
	const line = "apt-get install libxgboost0"
	data := dataFolder(t)
	s, h := serve(t, data), host{[]string{"--data", data}}
	space, dataset, token := ready(t, h, manyRows(100))
	var problem struct{ Code, Fix string }
	body := fmt.Sprintf(`{"dataset_id":%q,"target":"kind"}`, dataset)
	status := s.call(t, http.DefaultClient, "POST", "/api/workspaces/"+space+"/plans", token, body, &problem)
	if status != http.StatusServiceUnavailable || problem.Code != "engine_unavailable" || !strings.Contains(problem.Fix, line) {
		t.Errorf("plan: got %d %+v, want 503 engine_unavailable and %q", status, problem, line)
	}
	var health struct {
		Training struct{ Version, Problem, Fix string } `json:"training_engine"`
		SQL      struct{ Engine string }                `json:"sql_engine"`
	}
	person := signIn(t, s, h)
	if status := s.call(t, person, "GET", "/api/health", "", "", &health); status != 200 {
		t.Errorf("health: got %d, want 200", status)
	}
	if e := health.Training; e.Version != "" || e.Problem == "" || !strings.Contains(e.Fix, line) || health.SQL.Engine == "" {
		t.Errorf("health = %+v, want the training engine's problem and %q, and the SQL engine's version", health, line)
	}
	got := ambit(t, "", "doctor", "--data", data)
	if got.code != 1 || !strings.Contains(got.out, line) || !strings.Contains(got.out, "sql engine       ok") {
		t.Errorf("doctor: exit %d, %s; want 1, %q, and the SQL engine to be ok", got.code, got.out, line)
	}
}

// signIn lets the first admin in by a one-time link.
func signIn(t *testing.T, s *server, h host) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	link := h.add(t, "", "person", "link", "--email", "first@ambit.test")
	if status := s.call(t, c, "POST", "/api/auth/link", "", fmt.Sprintf(`{"secret":%q}`, link["secret"]), nil); status != 200 {
		t.Fatalf("sign-in: got %d, want 200", status)
	}
	return c
}

// Doctor looks at a machine before there is a server, and at a folder that others may read.
func TestDoctor(t *testing.T) {
	data := dataFolder(t)
	var checks []struct {
		Name   string
		OK     bool
		Detail string
	}
	ambit(t, "", "doctor", "--json", "--data", filepath.Join(data, "new")).ok(t, &checks)
	if len(checks) != 3 || !checks[0].OK || !strings.Contains(checks[0].Detail, "made at the first start") {
		t.Errorf("doctor = %+v, want three checks and a folder that is yet to be made", checks)
	}
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := ambit(t, "", "doctor", "--data", data); got.code != 1 || !strings.Contains(got.out, "may be read by others") {
		t.Errorf("doctor of an open folder: exit %d, %s; want 1 and what is wrong", got.code, got.out)
	}
}

// Migrate makes the schema, says so, and does nothing the second time.
func TestMigrate(t *testing.T) {
	tests := []struct {
		name string
		url  func(testing.TB) string
	}{{"SQLite", func(testing.TB) string { return "" }}, {"PostgreSQL", testservices.EmptyPostgres}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"migrate", "--data", dataFolder(t), "--database-url", tt.url(t)}
			for range 2 {
				if out := ambit(t, "", args...).ok(t, nil); out != "the schema is this version's\n" {
					t.Errorf("got %q", out)
				}
			}
		})
	}
}
