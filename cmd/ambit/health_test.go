package main

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
