package testservices

import (
	"bufio"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperEnv makes the test binary start the services and wait to be killed.
const helperEnv = "TESTSERVICES_HELPER"

// ask returns the answer to a query of one row and one column.
func ask(t *testing.T, url, query string) string {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var answer string
	if err := db.QueryRowContext(t.Context(), query).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

const countTables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"

func TestPostgresGivesEachTestItsOwn(t *testing.T) {
	a, b := Postgres(t), Postgres(t)
	ask(t, a, "INSERT INTO workspaces VALUES ('ws_1', 'one', '', 'explore', 1, 'cli') RETURNING id")
	if got := ask(t, b, "SELECT count(*) FROM workspaces"); got != "0" {
		t.Errorf("another test's row is there: got %s, want 0", got)
	}
	if got := ask(t, a, "SELECT count(*) FROM workspaces"); got != "1" {
		t.Errorf("got %s rows, want 1", got)
	}
}

func TestEmptyPostgresIsEmpty(t *testing.T) {
	if got := ask(t, EmptyPostgres(t), countTables); got != "0" {
		t.Errorf("got %s tables, want 0", got)
	}
}

func TestPostgresIsDroppedAfterTheTest(t *testing.T) {
	var url string
	t.Run("uses one", func(t *testing.T) { url = Postgres(t) })
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PingContext(t.Context()); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v, want that it does not exist", err)
	}
}

func TestRedisCanBeTakenAway(t *testing.T) {
	r := StartRedis(t)
	if err := r.ping(); err != nil {
		t.Fatal(err)
	}
	r.Kill(t)
	if conn, err := net.Dial("unix", r.Addr); err == nil {
		conn.Close()
		t.Error("it answers after it was killed")
	}
	r.Restart(t)
	if err := r.ping(); err != nil {
		t.Errorf("after the restart: %v", err)
	}
}

// TestHelper is the process that TestServersDieWithTheBinary kills.
func TestHelper(t *testing.T) {
	if os.Getenv(helperEnv) == "" {
		return
	}
	r := StartRedis(t)
	pg := Postgres(t)
	pid := ask(t, pg, "SELECT pg_postmaster_pid FROM (SELECT (regexp_split_to_array(pg_read_file('postmaster.pid'), '\n'))[1] AS pg_postmaster_pid) f")
	p, err := cluster()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("READY %s %d %s %s\n", pid, r.server.cmd.Process.Pid, p.dir, r.dir)
	select {}
}

func TestServersDieWithTheBinary(t *testing.T) {
	Postgres(t) // skips where it is not installed
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHelper$")
	cmd.Env = append(os.Environ(), helperEnv+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	words := strings.Fields(line)
	if err != nil || len(words) != 5 || words[0] != "READY" {
		t.Fatalf("got %q, %v; want READY, two process ids and two folders", line, err)
	}
	for _, word := range words[1:3] {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, "process "+word+" is gone", func() bool { return gone(pid) })
	}
	for _, dir := range words[3:] {
		waitFor(t, "the folder is removed", func() bool {
			_, err := os.Stat(dir)
			return os.IsNotExist(err)
		})
	}
}

// gone reports whether a process has ended; one that only waits to be counted has.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// waitFor fails the test if cond does not come true within 20 seconds.
func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(20 * time.Second)
	for !cond() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("not after 20 s: %s", what)
		}
	}
}
