package training

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/plans"
)

// versionOnly is an engine that is asked for nothing but its version.
type versionOnly struct {
	version string
	err     error
}

func (v versionOnly) Version() (string, error) { return v.version, v.err }

func (v versionOnly) Open(context.Context, Limits) (Session, error) {
	return nil, fmt.Errorf("no children here")
}

// tableOf makes a table with a target and a number that differs between rows.
func tableOf(targets ...string) *Table {
	table, numbers := &Table{}, []string{}
	for i := range targets {
		numbers = append(numbers, fmt.Sprint(i%7))
	}
	table.Add("y", targets...)
	table.Add("x", numbers...)
	return table
}

// repeated returns texts written as "text:times", "-" being missing.
func repeated(pairs string) []string {
	out := []string{}
	for _, c := range valuesOf(pairs).Classes {
		for range c.Rows {
			out = append(out, strings.TrimPrefix(c.Value, "-"))
		}
	}
	return out
}

func resolve(table *Table, ask plans.Request) (plans.Spec, error) {
	r := Resolver{Tables: table, Engine: versionOnly{version: "xgboost 1.7.4"}}
	return r.Resolve(context.Background(), table.Version(), ask)
}

func TestResolveCredit(t *testing.T) {
	table := ReadTable(t, "credit-g.csv")
	seed, none := int64(42), 0.0
	got, err := resolve(table, plans.Request{
		Target: "class", Ignore: []string{"age"}, Split: &plans.SplitRequest{K: 5, Seed: &seed, Holdout: &none},
		Families: []plans.Family{plans.Trees, plans.Linear},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Features) != 19 || got.Features[0] != (plans.Feature{Name: "checking_status", Type: "VARCHAR", Encoding: "one_hot"}) {
		t.Errorf("%d features, the first %+v", len(got.Features), got.Features[0])
	}
	got.Features = nil
	want := plans.Spec{
		DatasetVersion: "dv_1", VersionNumber: 1, Fingerprint: "sha256:00", Rows: 1000, Target: "class", Task: plans.Binary,
		Classes: []plans.Class{{Value: "bad", Rows: 300}, {Value: "good", Rows: 700}}, Positive: "bad",
		Metric: plans.Metric{Name: "auc", HigherIsBetter: true},
		Split: plans.Split{Strategy: "stratified", K: 5, Seed: 42,
			ID: "03603367d43d609a2dea83a6e549f67586010b0045fadf57dfa222726a0cf60f"},
		Ignored:  []plans.Ignored{{Name: "age", Reason: "the plan asks for it"}},
		Families: []plans.Family{plans.Linear, plans.Trees}, Budget: plans.Budget{Seconds: 300, Threads: 2},
		Seed: 42, Engine: "xgboost 1.7.4", Warnings: got.Warnings,
	}
	if len(got.Warnings) != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("spec = %+v\nwant   %+v", got, want)
	}
}

func TestResolveDefaults(t *testing.T) {
	tests := []struct {
		name     string
		targets  string
		task     plans.Task
		metric   string
		strategy string
		k        int
		holdout  float64
		rows     int
		dropped  int
		warnings string
	}{
		{"small", "a:20 b:20", plans.Binary, "auc", "stratified", 5, 0, 40, 0, "small"},
		{"large enough to seal", "a:700 b:300", plans.Binary, "auc", "stratified", 5, 0.2, 1000, 0, ""},
		{"large", "a:15000 b:5000", plans.Binary, "auc", "stratified", 3, 0.2, 20000, 0, ""},
		{"several classes", "a:200 b:200 c:200", plans.Multiclass, "logloss", "stratified", 5, 0, 600, 0, ""},
		{"missing targets", "-:50 a:200 b:200", plans.Binary, "auc", "stratified", 5, 0, 400, 50, "target_missing"},
		{"a class of three", "a:300 b:3", plans.Binary, "auc", "stratified", 3, 0, 303, 0, "folds_lowered"},
		{"a class of one among three", "a:300 b:300 c:1", plans.Binary, "auc", "stratified", 5, 0, 600, 1, "class_dropped target_missing"},
		{"a rare class", "a:300 b:300 c:8", plans.Multiclass, "logloss", "stratified", 5, 0, 608, 0, "rare_class"},
		{"amounts", "1.5:200 2.5:200 3.5:50", plans.Regression, "rmse", "random", 5, 0, 450, 0, ""},
		{"whole amounts", "1:300 2:300 3:1", plans.Regression, "rmse", "random", 5, 0, 601, 0, "task_ambiguous"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := resolve(tableOf(repeated(tt.targets)...), plans.Request{Target: "y"})
			if err != nil {
				t.Fatal(err)
			}
			if got.Task != tt.task || got.Metric.Name != tt.metric || got.Rows != tt.rows || got.DroppedRows != tt.dropped {
				t.Errorf("task %s, metric %s, rows %d, dropped %d, want %s, %s, %d, %d",
					got.Task, got.Metric.Name, got.Rows, got.DroppedRows, tt.task, tt.metric, tt.rows, tt.dropped)
			}
			if s := got.Split; s.Strategy != tt.strategy || s.K != tt.k || s.Holdout != tt.holdout || len(s.ID) != 64 {
				t.Errorf("split = %+v, want %s, k %d, holdout %v", s, tt.strategy, tt.k, tt.holdout)
			}
			codes := []string{}
			for _, w := range got.Warnings {
				codes = append(codes, w.Code)
			}
			if strings.Join(codes, " ") != tt.warnings {
				t.Errorf("warnings = %v, want %s", codes, tt.warnings)
			}
		})
	}
}

func TestResolveManyNumbers(t *testing.T) {
	targets := []string{""}
	for i := range 400 {
		targets = append(targets, fmt.Sprint(i))
	}
	got, err := resolve(tableOf(targets...), plans.Request{Target: "y"})
	if err != nil || got.Task != plans.Regression || got.Rows != 400 || got.DroppedRows != 1 {
		t.Errorf("task %s, rows %d, dropped %d, %v, want regression, 400, 1", got.Task, got.Rows, got.DroppedRows, err)
	}
	if _, err := resolve(tableOf(targets...), plans.Request{Target: "y", Task: plans.Multiclass}); !fault.Is(err, fault.Invalid) {
		t.Errorf("as classes: %v, want invalid", err)
	}
}

func TestResolveRefuses(t *testing.T) {
	half := 0.5
	tests := []struct {
		name    string
		targets string
		ask     plans.Request
		paths   string
		valid   string
	}{
		{"no such target", "a:20 b:20", plans.Request{Target: "z"}, "target", "y x"},
		{"several wrong names", "a:20 b:20", plans.Request{Target: "z", Ignore: []string{"x", "q"}, Families: []plans.Family{"svm"}},
			"target ignore[1] families[0]", "y x"},
		{"no such task", "a:20 b:20", plans.Request{Target: "y", Task: "ranking"}, "task", "binary multiclass regression"},
		{"the target ignored", "a:20 b:20", plans.Request{Target: "y", Ignore: []string{"y"}}, "ignore[0]", ""},
		{"nothing to learn from", "a:20 b:20", plans.Request{Target: "y", Ignore: []string{"x"}}, "ignore", ""},
		{"constant target", "a:20", plans.Request{Target: "y"}, "target", ""},
		{"empty target", "-:20", plans.Request{Target: "y"}, "target", ""},
		{"a class of one row", "a:20 b:1", plans.Request{Target: "y"}, "target", ""},
		{"only classes of one row", "a:1 b:1 c:1 d:1 e:1 f:1 g:1 h:1 i:1 j:1", plans.Request{Target: "y"}, "target", ""},
		{"no such class", "a:20 b:20", plans.Request{Target: "y", Positive: "c"}, "positive", "a b"},
		{"positive of an amount", "1.5:20 2.5:20 3.5:20", plans.Request{Target: "y", Positive: "1.5"}, "positive", ""},
		{"metric of another task", "a:20 b:20", plans.Request{Target: "y", Metric: "rmse"}, "metric", "auc logloss"},
		{"unknown metric", "a:20 b:20", plans.Request{Target: "y", Metric: "best"}, "metric", "auc logloss"},
		{"three classes that are two", "a:20 b:20 c:1", plans.Request{Target: "y", Task: plans.Multiclass}, "task", ""},
		{"holdout takes a class", "a:20 b:2", plans.Request{Target: "y", Split: &plans.SplitRequest{Holdout: &half}}, "split.holdout", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := resolve(tableOf(repeated(tt.targets)...), tt.ask)
			f := fault.From(err)
			paths := []string{}
			for _, field := range f.Fields {
				paths = append(paths, field.Path)
			}
			if f.Code != fault.Invalid || strings.Join(paths, " ") != tt.paths || f.Fix == "" {
				t.Fatalf("fault = %s %v, fix %q, want invalid %s with a fix", f.Code, paths, f.Fix, tt.paths)
			}
			if got := strings.Join(f.Fields[0].Valid, " "); got != tt.valid {
				t.Errorf("valid = %q, want %q", got, tt.valid)
			}
		})
	}
}

func TestResolveWithoutEngine(t *testing.T) {
	table := tableOf(repeated("a:20 b:20")...)
	r := Resolver{Tables: table, Engine: versionOnly{err: fault.New(fault.EngineUnavailable, "not installed")}}
	if _, err := r.Resolve(t.Context(), table.Version(), plans.Request{Target: "y"}); !fault.Is(err, fault.EngineUnavailable) {
		t.Errorf("Resolve = %v, want engine_unavailable", err)
	}
}
