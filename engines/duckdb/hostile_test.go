package duckdb

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"ambit/datasets"
	"ambit/internal/fault"
)

// hostileStatements returns the corpus, its placeholders replaced.
func hostileStatements(t *testing.T, data, other, tmp string) []string {
	t.Helper()
	f, err := os.Open("testdata/hostile-sql.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	places := strings.NewReplacer("{DATA}", data, "{OTHER}", other, "{TMP}", tmp)
	var out []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var sql string
		if err := json.Unmarshal(lines.Bytes(), &sql); err != nil {
			t.Fatal(err)
		}
		out = append(out, places.Replace(sql))
	}
	if lines.Err() != nil || len(out) < 400 {
		t.Fatalf("corpus of %d statements: %v", len(out), lines.Err())
	}
	return out
}

// sampleOf returns n statements, evenly spaced.
func sampleOf(all []string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

func TestHostileStatements(t *testing.T) {
	soak := os.Getenv("AMBIT_SOAK") != ""
	e := newEngine(t, nil)
	tables := pointInTimeTables(t, e, "w")
	ingestCSV(t, e, "other", "secret", "secret\nhidden\n")
	tmp := t.TempDir()
	statements := hostileStatements(t, filepath.Join(e.cfg.Root, "w"), filepath.Join(e.cfg.Root, "other"), tmp)
	deadline, allowance := 2*time.Second, 500*time.Millisecond
	if !soak {
		statements, deadline, allowance = sampleOf(statements, 120), time.Second, 2*time.Second
	}
	peak := watchChildren(t)
	counts := map[string]int{}
	var worst time.Duration
	for _, sql := range statements {
		start := time.Now()
		r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: sql, Timeout: deadline})
		took := time.Since(start)
		worst = max(worst, took)
		counts[outcome(err)]++
		if took > deadline+allowance {
			t.Errorf("answered after %v: %.80s", took, sql)
		}
		checkQuiet(t, e, sql, r, err)
		if os.Getenv("AMBIT_SHOW") != "" {
			t.Logf("%-32s %8v %.100q %v", outcome(err), took.Round(time.Millisecond), sql, err)
		}
	}
	checkAlive(t, e, tables)
	checkUntouched(t, e, tmp)
	t.Logf("%d statements, worst answer %v at a deadline of %v, worst child %d MB:%s", len(statements), worst.Round(time.Millisecond), deadline, peak()>>20, listCounts(counts))
}

// outcome is what became of a statement.
func outcome(err error) string {
	if err == nil {
		return "rows"
	}
	f := fault.From(err)
	switch {
	case f.Code == fault.Timeout && f.Detail == overran().Detail:
		return "timeout, killed"
	case f.Code == fault.Timeout:
		return "timeout, interrupted"
	case f.Code == fault.EngineUnavailable && strings.HasPrefix(f.Detail, "The engine stopped"):
		return "engine_unavailable, crashed"
	}
	return string(f.Code)
}

// checkQuiet makes sure that an answer gives nothing of the machine away.
func checkQuiet(t *testing.T, e *Engine, sql string, r datasets.Result, err error) {
	t.Helper()
	var f *fault.Fault
	if err != nil && !errors.As(err, &f) {
		t.Errorf("%.80s: not a fault: %v", sql, err)
		return
	}
	shown := rowsOf(r)
	if f != nil {
		shown = f.Detail + " " + f.Fix + fmt.Sprint(f.Info)
	}
	for _, secret := range []string{e.cfg.Root, e.scratch.path, os.Args[0], "hidden", "Stack Trace", "/proc/", "root:x:"} {
		if strings.Contains(shown, secret) && !(f == nil && strings.Contains(sql, secret)) {
			t.Errorf("%.80s: answer shows %q: %.200s", sql, secret, shown)
		}
	}
	if f != nil && f.Code == fault.Internal {
		t.Errorf("%.80s: internal: %v", sql, f)
	}
}

func checkAlive(t *testing.T, e *Engine, tables []datasets.Table) {
	t.Helper()
	r, err := e.Query(t.Context(), datasets.Query{Workspace: "w", Tables: tables, SQL: "SELECT count(*), count(DISTINCT cust_id) FROM events"})
	if err != nil || rowsOf(r) != "[100000,1000]" {
		t.Errorf("afterwards: got %q, %v; want [100000,1000]", rowsOf(r), err)
	}
}

// checkUntouched makes sure that nothing was written.
func checkUntouched(t *testing.T, e *Engine, tmp string) {
	t.Helper()
	var found []string
	for _, dir := range []string{tmp, filepath.Join(e.cfg.Root, "w"), filepath.Join(e.cfg.Root, "other")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		for _, f := range entries {
			found = append(found, f.Name())
		}
	}
	if got, want := strings.Join(found, " "), "customers.duckdb events.duckdb labels.duckdb secret.duckdb"; got != want {
		t.Errorf("files: got %s, want %s", got, want)
	}
}

func listCounts(counts map[string]int) string {
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "\n%5d %s", counts[k], k)
	}
	return b.String()
}
