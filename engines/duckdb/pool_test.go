package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ambit/datasets"
	"ambit/internal/child"
	"ambit/internal/fault"
)

// slow runs until it is stopped; stubborn cannot be interrupted.
const (
	slow     = "SELECT count(*) FROM range(1000000000000)"
	stubborn = "SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))"
)

func TestNoChildBeforeTheFirstRequest(t *testing.T) {
	e := newEngine(t, nil)
	if got := childrenOf(os.Getpid()); len(got) > 0 {
		t.Errorf("children at start: %v, want none", got)
	}
	if _, err := ask(t, e, "w", "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	e.pool.group.Wait() // the spare starts beside the work
	if len(e.pool.idle) != 1 || e.pool.spare == nil {
		t.Errorf("after one query: %d idle, spare %v; want 1 and a spare", len(e.pool.idle), e.pool.spare)
	}
}

func TestTimeout(t *testing.T) {
	e := newEngine(t, nil)
	tables := smallTables(t, e)
	tests := []struct{ name, sql, outcome string }{
		{"interrupted", slow, "timeout, interrupted"},
		{"killed", stubborn, "timeout, killed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: tt.sql, Timeout: 200 * time.Millisecond})
			if got := outcome(err); got != tt.outcome {
				t.Errorf("got %s (%v), want %s", got, err, tt.outcome)
			}
			if len(e.pool.idle) != 0 {
				t.Errorf("the child was kept")
			}
			if r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: "SELECT count(*) FROM sales"}); err != nil || rowsOf(r) != "[4]" {
				t.Errorf("next query: got %q, %v; want [4]", rowsOf(r), err)
			}
		})
	}
}

func TestContextEndsQuery(t *testing.T) {
	e := newEngine(t, nil)
	tables := smallTables(t, e)
	query := func(ctx context.Context) error {
		_, err := e.Query(ctx, datasets.Query{Workspace: "w", Tables: tables, SQL: slow})
		return err
	}
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- query(ctx) }()
		waitForWork(t)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := query(ctx); fault.CodeOf(err) != fault.Timeout {
			t.Errorf("got %v, want timeout", err)
		}
	})
	if _, err := ask(t, e, "w", "SELECT 1"); err != nil {
		t.Errorf("next query: %v", err)
	}
}

// waitForWork waits until a child computes, and returns its process id.
func waitForWork(t *testing.T) int {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, pid := range childrenOf(os.Getpid()) {
			if cpuTicks(pid) > 30 { // more than starting takes
				return pid
			}
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("no child computes")
		}
	}
}

// cpuTicks returns the time that a process has computed, in hundredths of a second.
func cpuTicks(pid int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	var user, system int
	fields := strings.Fields(rest)
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return user + system
}

// TestDeadChild ends a child from outside while it works, as the kernel does when memory is short.
func TestDeadChild(t *testing.T) {
	e := newEngine(t, nil)
	tables := smallTables(t, e)
	ended := make(chan error, 1)
	go func() {
		_, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: slow})
		ended <- err
	}()
	if err := syscall.Kill(waitForWork(t), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	f := fault.From(<-ended)
	if f.Code != fault.EngineUnavailable || f.Fix == "" {
		t.Errorf("got %v, want engine_unavailable with a fix", f)
	}
	if r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: "SELECT count(*) FROM people"}); err != nil || rowsOf(r) != "[3]" {
		t.Errorf("next query: got %q, %v; want [3]", rowsOf(r), err)
	}
}

// TestDeadIdleChild makes sure that a child that died while it waited fails nobody's query.
func TestDeadIdleChild(t *testing.T) {
	e := newEngine(t, nil)
	if _, err := ask(t, e, "w", "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	idle := e.pool.idle[0].child
	if err := syscall.Kill(idle.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-idle.Done()
	if r, err := ask(t, e, "w", "SELECT 2"); err != nil || rowsOf(r) != "[2]" {
		t.Errorf("got %q, %v; want [2]", rowsOf(r), err)
	}
}

func TestMemory(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Query = Limits{Memory: 128 << 20, Timeout: 10 * time.Second} })
	tables := smallTables(t, e)
	peak := watchChildren(t)
	tests := []struct{ name, sql string }{
		{"within the engine's limit", "SELECT list(a.range ORDER BY hash(a.range)) FROM range(30000000) a"},
		{"outside of it", "SELECT length(list_transform(range(1000), x -> repeat('x', 1000000))::VARCHAR)"},
		{"one large block", "SELECT len(range(400000000))"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: tt.sql})
			if fault.CodeOf(err) != fault.Memory {
				t.Errorf("got %v, want memory", err)
			}
			if _, err := ask(t, e, "w", "SELECT 1"); err != nil {
				t.Errorf("next query: %v", err)
			}
		})
	}
	limit := uint64(128+500) << 20 * 5 / 4
	if got := peak(); got > limit {
		t.Errorf("a child had %d MB, want at most %d", got>>20, limit>>20)
	}
}

func TestChildrenAreReplaced(t *testing.T) {
	pid := func(t *testing.T, e *Engine) int {
		t.Helper()
		if len(e.pool.idle) != 1 {
			t.Fatalf("%d idle children, want 1", len(e.pool.idle))
		}
		return e.pool.idle[0].child.Pid()
	}
	query := func(t *testing.T, e *Engine, sql string) {
		t.Helper()
		if _, err := ask(t, e, "w", sql); err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Fatal(err)
		}
	}
	t.Run("used again", func(t *testing.T) {
		e := newEngine(t, nil)
		query(t, e, "SELECT 1")
		before := pid(t, e)
		query(t, e, "SELECT no_such_column") // a refusal leaves the child whole
		query(t, e, "SELECT 2")
		if after := pid(t, e); after != before {
			t.Errorf("child %d, then %d", before, after)
		}
	})
	t.Run("after its uses", func(t *testing.T) {
		e := newEngine(t, func(c *Config) { c.Uses = 2 })
		query(t, e, "SELECT 1") // booting is a use
		before := pid(t, e)
		query(t, e, "SELECT 1")
		query(t, e, "SELECT 1")
		if after := pid(t, e); after == before {
			t.Errorf("child %d is still used", before)
		}
	})
	t.Run("after waiting", func(t *testing.T) {
		e := newEngine(t, func(c *Config) { c.Idle = time.Millisecond })
		query(t, e, "SELECT 1")
		e.pool.mu.Lock()
		waiting := append([]*process{}, e.pool.idle...)
		e.pool.mu.Unlock()
		for _, w := range waiting {
			<-w.child.Done()
		}
	})
	t.Run("the oldest makes room", func(t *testing.T) {
		e := newEngine(t, func(c *Config) { c.Running, c.Building, c.Workers = 1, 1, 3 })
		for _, workspace := range []string{"a", "b", "c"} {
			if _, err := ask(t, e, workspace, "SELECT 1"); err != nil {
				t.Fatal(err)
			}
		}
		if got := e.pool.idle[0].key; len(e.pool.idle) != 1 || !strings.Contains(got, " c ") {
			t.Errorf("%d idle, first %q; want the child of c alone", len(e.pool.idle), got)
		}
	})
}

// TestWorkspacesAreApart gives two workspaces a table of one name.
func TestWorkspacesAreApart(t *testing.T) {
	e := newEngine(t, nil)
	ingestCSV(t, e, "a", "v", "x\n1\n")
	ingestCSV(t, e, "b", "v", "x\n2\n")
	for range 2 { // the second time over waiting children
		for workspace, want := range map[string]string{"a": "[1]", "b": "[2]"} {
			if r, err := ask(t, e, workspace, "SELECT x FROM t", "t=v"); err != nil || rowsOf(r) != want {
				t.Errorf("%s: got %q, %v; want %s", workspace, rowsOf(r), err, want)
			}
		}
	}
	if _, err := ask(t, e, "a", "SELECT x FROM t"); fault.CodeOf(err) != fault.UnknownTable {
		t.Errorf("a table that was not given: got %v, want unknown_table", err)
	}
	for _, id := range []string{"../b", "", ".building", "b/..", strings.Repeat("x", 65)} {
		if _, err := ask(t, e, "a", "SELECT 1", "t="+id); err == nil {
			t.Errorf("version %q was taken", id)
		}
		if _, err := ask(t, e, id, "SELECT 1", "t=v"); err == nil {
			t.Errorf("workspace %q was taken", id)
		}
	}
}

// TestManyAtOnce has several workspaces ask at the same time, some of them for
// too much: each gets its own rows, or its own fault.
func TestManyAtOnce(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Running, c.Queue, c.MaxWait = 3, 100, time.Minute })
	workspaces := []string{"a", "b", "c", "d"}
	for i, w := range workspaces {
		ingestCSV(t, e, w, "v", fmt.Sprintf("x\n%d\n", i))
	}
	var group sync.WaitGroup
	for n := range 60 {
		i := n % len(workspaces)
		group.Go(func() {
			q := datasets.Query{Workspace: workspaces[i], Tables: []datasets.Table{{Name: "t", Version: "v"}}, SQL: "SELECT x FROM t", Timeout: 10 * time.Second}
			want, code := fmt.Sprintf("[%d]", i), fault.Code("")
			switch {
			case n%10 == 3:
				q.SQL, q.Timeout, want, code = slow, 50*time.Millisecond, "", fault.Timeout
			case n%10 == 7:
				q.SQL, want, code = "SELECT x FROM elsewhere", "", fault.UnknownTable
			}
			r, err := e.Query(t.Context(), q)
			if fault.CodeOf(err) != code || rowsOf(r) != want {
				t.Errorf("%s in %s: got %q, %v; want %q, %q", q.SQL, q.Workspace, rowsOf(r), err, want, code)
			}
		})
	}
	group.Wait()
	if e.running.free != 3 {
		t.Errorf("%d places are free, want 3", e.running.free)
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	e := newEngine(t, nil)
	ended := make(chan error, 1)
	go func() {
		_, err := e.Query(context.Background(), datasets.Query{Workspace: "w", SQL: slow})
		ended <- err
	}()
	pid := waitForWork(t)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the query answered")
	}
	if child.RSS(pid) != 0 {
		t.Errorf("child %d is alive", pid)
	}
	if _, err := e.Query(t.Context(), datasets.Query{Workspace: "w", SQL: "SELECT 1"}); fault.CodeOf(err) != fault.EngineUnavailable {
		t.Errorf("after Close: got %v, want engine_unavailable", err)
	}
	left, err := filepath.Glob(filepath.Dir(e.scratch.path) + "/*")
	if err != nil || len(left) > 0 {
		t.Errorf("left in scratch: %v, %v", left, err)
	}
}
