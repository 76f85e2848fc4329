package main

import (
	"fmt"
	"net/http"
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
