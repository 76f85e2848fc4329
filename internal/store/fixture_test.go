package store_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"ambit/datasets"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/models"
	"ambit/people"
	"ambit/plans"
	"ambit/runs"
	"ambit/scopes"
	"ambit/tokens"
	"ambit/workspaces"
)

// t0 is the moment at which the tests' things were made.
const t0 = clock.Time(1767323045678) // 2026-01-02T03:04:05.678Z

// since shows a moment as "+5", milliseconds after t0, or as "-" if it is not set.
func since(at clock.Time) string {
	if at == 0 {
		return "-"
	}
	return fmt.Sprintf("%+d", int64(at-t0))
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCode fails the test if err does not carry the code; "" is success.
func wantCode(t testing.TB, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s: got code %q (%v), want %q", what, got, err, want)
	}
}

// wantDetail fails the test if err is not a fault that says so.
func wantDetail(t testing.TB, err error, code fault.Code, detail string) {
	t.Helper()
	f := fault.From(err)
	if f.Code != code || f.Detail != detail {
		t.Errorf("got %q %q, want %q %q", f.Code, f.Detail, code, detail)
	}
}

// equal fails the test if got is not want.
func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
	}
}

// filled fails the test if a field of v is zero, but for the named ones: what
// is not set would not show that it is not kept.
func filled(t testing.TB, v any, but ...string) {
	t.Helper()
	value := reflect.ValueOf(v)
	for i := range value.NumField() {
		name := value.Type().Field(i).Name
		allowed := false
		for _, b := range but {
			allowed = allowed || b == name
		}
		if value.Field(i).IsZero() != allowed {
			t.Fatalf("%T.%s is zero: %v, want %v", v, name, !allowed, allowed)
		}
	}
}

func aWorkspace(t testing.TB, db *store.DB, id string) workspaces.Workspace {
	t.Helper()
	w := workspaces.Workspace{ID: id, Name: "name of " + id, Goal: "goal", Stage: workspaces.Build, CreatedAt: t0, CreatedBy: "cli"}
	must(t, db.InsertWorkspace(t.Context(), w))
	return w
}

func aDataset(t testing.TB, db *store.DB, workspace, id string) datasets.Dataset {
	t.Helper()
	d := datasets.Dataset{ID: id, Workspace: workspace, Name: "Name of " + id, Description: "what it is", CreatedAt: t0, CreatedBy: "cli"}
	must(t, db.InsertDataset(t.Context(), d))
	return d
}

func version(workspace, dataset, id string, number int) datasets.Version {
	p50 := 2.5
	return datasets.Version{
		ID: id, Workspace: workspace, Dataset: dataset, Number: number, Rows: 10,
		Columns:     []datasets.Column{{Name: "a <&> ü", Type: "BIGINT", Semantic: datasets.Number}},
		Fingerprint: "sha256:00", Bytes: 100, Format: datasets.CSV, SourceSHA256: "aa", EngineVersion: "duckdb 1",
		Profile:   datasets.Profile{Rows: 10, Columns: []datasets.ColumnProfile{{Name: "a", P50: &p50, Top: []datasets.Level{{Value: "x", Count: 3}}}}},
		Warnings:  []datasets.Warning{{Code: "c", Message: "m", Fix: "f"}},
		CreatedAt: t0, CreatedBy: "person:pn_1",
	}
}

func plan(workspace, dataset, id string) plans.Plan {
	return plans.Plan{
		ID: id, Workspace: workspace, Dataset: dataset, State: plans.Ready,
		Spec: plans.Spec{DatasetVersion: "dv_1", Target: "y", Task: plans.Binary, Classes: []plans.Class{{Value: "0", Rows: 4}}, Seed: -1,
			Split: plans.Split{Strategy: "stratified", K: 5, Holdout: 0.2}},
		Hash: "hh", Note: "note", Hypothesis: "because", Origin: plans.Origin{Principal: "token:tk_1", Tool: "create_plan"},
		CreatedAt: t0, ExpiresAt: t0 + 1000,
	}
}

// aRun inserts a launched plan and its run.
func aRun(t testing.TB, db *store.DB, workspace, dataset, id string) runs.Run {
	t.Helper()
	p := plan(workspace, dataset, "pl_"+id)
	p.State, p.Run = plans.Launched, id
	must(t, db.InsertPlan(t.Context(), p))
	r := runs.Run{ID: id, Workspace: workspace, Plan: p.ID, Token: "tk_1", Principal: "token:tk_1", State: runs.Queued, CreatedAt: t0}
	must(t, db.InsertRun(t.Context(), r))
	return r
}

// aRunning inserts a run that worker "w" has, under epoch 1 and until t0 + 30 s.
func aRunning(t testing.TB, db *store.DB, workspace, dataset, id string) {
	t.Helper()
	aRun(t, db, workspace, dataset, id)
	ok, err := db.ClaimRun(t.Context(), id, "w", 0, t0, t0+30000)
	if !ok || err != nil {
		t.Fatalf("ClaimRun = %v, %v", ok, err)
	}
}

func trial(workspace, run, id string) runs.Trial {
	return runs.Trial{
		ID: id, Workspace: workspace, Run: run, Position: 1, Name: "ambit-0", Family: "gbtree", State: runs.Succeeded,
		Params: json.RawMessage(`{"eta":0.1}`), Folds: []float64{0.1, 0.30000000000000004}, CV: 0.1 + 0.2, SE: 1e-300, Rounds: 7, Seconds: 1.5, Bytes: 10,
		SHA256: "aa", Artifact: "a/b", Evaluation: "a/c", Failure: runs.Failure{Code: "memory", Detail: "d", Fix: "f"},
	}
}

func model(workspace, run, id string) models.Model {
	return models.Model{
		ID: id, Workspace: workspace, Name: "name of " + id, Status: models.Registered, Run: run, Trial: "tr_1", Plan: "pl_" + run, Dataset: "ds_1",
		Family: "gbtree", TrialName: "ambit-0", Task: "binary", Target: "y", Metric: "auc", CV: 0.9, SE: 0.01, SHA256: "aa", Bytes: 10,
		Artifact: "a/b", Evaluation: "a/c", CreatedAt: t0, CreatedBy: "token:tk_1",
	}
}

func token(id string) tokens.Token {
	return tokens.Token{ID: id, Name: "name", Hash: "hh" + id, Scope: scopes.Builder, Workspaces: []string{"ws_1", "ws_2"}, ActsFor: "pn_1",
		MaxConcurrent: 3, MaxDaily: 50, CreatedAt: t0, CreatedBy: "person:pn_1", ExpiresAt: t0 + 1000}
}

func person(id string) people.Person {
	return people.Person{ID: id, Email: id + "@example.org", Name: "name", Role: scopes.Operator, Workspaces: []string{"ws_1"},
		PasswordHash: "argon", CreatedAt: t0}
}

// basics inserts a workspace, a dataset and its version: ws_1, ds_1, dv_1.
func basics(t testing.TB, db *store.DB) {
	t.Helper()
	aWorkspace(t, db, "ws_1")
	aDataset(t, db, "ws_1", "ds_1")
	must(t, db.InsertVersion(t.Context(), version("ws_1", "ds_1", "dv_1", 1)))
}

// pages reads a list two items at a time and returns the ids of all pages.
func pages[T any](t testing.TB, read func(p page.Page) ([]T, error), place func(T) page.Cursor) (ids [][]string) {
	t.Helper()
	for p := (page.Page{Limit: 2}); ; {
		items, err := read(p)
		if err != nil || len(items) > 3 {
			t.Fatalf("got %d items, %v; want at most one more than the limit", len(items), err)
		}
		var got []string
		for _, item := range items[:min(len(items), 2)] {
			got = append(got, place(item).ID)
		}
		ids = append(ids, got)
		if len(items) <= 2 {
			return ids
		}
		p.After = place(items[1])
	}
}

// wantPages is what pages returns of five things, of which 1 to 3 were made at
// one moment and 4 and 5 later.
func wantPages(prefix string) [][]string {
	id := func(n int) string { return fmt.Sprint(prefix, n) }
	return [][]string{{id(5), id(4)}, {id(3), id(2)}, {id(1)}}
}

// madeAt is when thing n of wantPages was made.
func madeAt(n int) clock.Time {
	if n > 3 {
		return t0 + clock.Time(n)
	}
	return t0
}
