package duckdb

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ambit/datasets"
	"ambit/internal/child"
	"ambit/internal/fault"
)

// newEngine returns an engine over empty folders, closed at the end of the test.
func newEngine(t testing.TB, change func(*Config)) *Engine {
	t.Helper()
	dir := t.TempDir()
	cfg := Config{Root: dir + "/tables", Scratch: dir + "/scratch", Command: childCommand, Logger: slog.New(slog.NewTextHandler(testLog{t}, nil))}
	if change != nil {
		change(&cfg)
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		openFolders(t, dir)
	})
	return e
}

// openFolders lets the test's folder be removed: published folders are read-only.
func openFolders(t testing.TB, dir string) {
	entries, _ := os.ReadDir(dir + "/tables")
	for _, e := range entries {
		if err := os.Chmod(dir+"/tables/"+e.Name(), 0o755); err != nil {
			t.Error(err)
		}
	}
}

type testLog struct{ t testing.TB }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// ingestCSV builds a table from text.
func ingestCSV(t testing.TB, e *Engine, workspace, version, text string) datasets.Ingested {
	t.Helper()
	in, err := e.Ingest(t.Context(), datasets.Ingest{
		Workspace: workspace, Version: version, Format: datasets.CSV, Source: strings.NewReader(text), MaxBytes: 1 << 30,
	})
	if err != nil {
		t.Fatalf("ingest: %v", fault.From(err))
	}
	return in
}

// ask runs a statement over tables given as name=version.
func ask(t testing.TB, e *Engine, workspace, sql string, tables ...string) (datasets.Result, error) {
	t.Helper()
	q := datasets.Query{Workspace: workspace, SQL: sql, Timeout: 10 * time.Second}
	for _, pair := range tables {
		name, version, _ := strings.Cut(pair, "=")
		q.Tables = append(q.Tables, datasets.Table{Name: name, Version: version})
	}
	return e.Query(t.Context(), q)
}

// rowsOf returns the rows of an answer, one a line.
func rowsOf(r datasets.Result) string {
	lines := make([]string, len(r.Rows))
	for i, row := range r.Rows {
		lines[i] = string(row)
	}
	return strings.Join(lines, "\n")
}

// pointInTimeTables builds customers, events and labels, whose columns the
// corpus of statements names.
func pointInTimeTables(t testing.TB, e *Engine, workspace string) []datasets.Table {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	var customers, events, labels strings.Builder
	customers.WriteString("id,name,signup,age,seg\n")
	labels.WriteString("cust_id,t,y\n")
	for i := range 1000 {
		fmt.Fprintf(&customers, "%d,cust%d,%s,%d,%c\n", i, i, start.AddDate(0, 0, i%365).Format(time.DateOnly), random.IntN(100), "abc"[i%3])
		fmt.Fprintf(&labels, "%d,%s,%d\n", i, start.Add(time.Duration(random.IntN(300*24*60))*time.Minute).Format(time.DateTime), random.IntN(2))
	}
	events.WriteString("eid,cust_id,ts,amount,kind\n")
	for i := range 100_000 {
		at := start.Add(time.Duration(random.IntN(525_600)) * time.Minute)
		fmt.Fprintf(&events, "%d,%d,%s,%.2f,k%d\n", i, i%1000, at.Format(time.DateTime), random.Float64()*100, i%5)
	}
	var tables []datasets.Table
	for name, text := range map[string]string{"customers": customers.String(), "events": events.String(), "labels": labels.String()} {
		ingestCSV(t, e, workspace, name, text)
		tables = append(tables, datasets.Table{Name: name, Version: name})
	}
	return tables
}

// watchChildren samples the resident memory of this process's children until
// the returned function is called, which returns the most that one had, in bytes.
func watchChildren(t *testing.T) (peak func() uint64) {
	t.Helper()
	done, result := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				result <- most
				return
			case <-tick.C:
				for _, pid := range childrenOf(os.Getpid()) {
					most = max(most, child.RSS(pid))
				}
			}
		}
	}()
	return func() uint64 { close(done); return <-result }
}

func childrenOf(pid int) []int {
	var out []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		raw, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(raw)) {
			if n, err := strconv.Atoi(word); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}
