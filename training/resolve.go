package training

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ambit/datasets"
	"ambit/internal/fault"
	"ambit/metrics"
	"ambit/plans"
)

// Tables reads whole columns of a dataset version.
type Tables interface {
	// Read returns whole columns, in row order.
	// Faults: invalid (no such column), memory, engine_unavailable.
	Read(ctx context.Context, r datasets.Read) (datasets.Frame, error)
}

// Resolver decides what a request to train leaves open. It is a plans.Resolver.
type Resolver struct {
	Tables Tables
	Engine Engine
}

// Defaults of a request.
const (
	defaultSeed    = 42
	defaultSeconds = 300
	defaultThreads = 2
	smallTable     = 300 // rows; below, scores say little
)

// families are the families that a plan may name, in the order of a run.
var families = []plans.Family{plans.Linear, plans.Forest, plans.Trees}

// rankings names the metrics that trials of a task may be ranked by; the first
// is the default.
var rankings = map[plans.Task][]string{
	plans.Binary:     {"auc", "logloss"},
	plans.Multiclass: {"logloss"},
	plans.Regression: {"rmse"},
}

// Resolve reads the target and decides task, classes, split, features and engine.
// Faults: invalid with the wrong fields, engine_unavailable.
func (r Resolver) Resolve(ctx context.Context, v datasets.Version, ask plans.Request) (plans.Spec, error) {
	if err := fault.InvalidFields(unknownNames(v, ask)); err != nil {
		return plans.Spec{}, err
	}
	spec := plans.Spec{
		DatasetVersion: v.ID, VersionNumber: v.Number, Fingerprint: v.Fingerprint, Target: ask.Target,
		Families: familiesOf(ask), Budget: budgetOf(ask), Seed: orDefault(ask.Seed), Warnings: []datasets.Warning{},
	}
	var err error
	if spec.Engine, err = r.Engine.Version(); err != nil {
		return plans.Spec{}, err
	}
	if spec.Features, spec.Ignored = chooseFeatures(v, ask.Target, ask.Ignore); len(spec.Features) == 0 {
		return plans.Spec{}, invalid("ignore", "leaves no column to learn from",
			"Ignore fewer columns, or use a dataset with columns that are not identifiers, constant or free text.")
	}
	t, err := r.resolveTarget(ctx, v, ask, &spec)
	if err != nil {
		return plans.Spec{}, err
	}
	if spec.Metric, err = metricOf(ask.Metric, spec.Task); err != nil {
		return plans.Spec{}, err
	}
	if err := resolveSplit(ask.Split, t, &spec); err != nil {
		return plans.Spec{}, err
	}
	return spec, nil
}

// unknownNames returns what names nothing: columns, families, a task.
func unknownNames(v datasets.Version, ask plans.Request) (wrong []fault.Field) {
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = c.Name
	}
	if !slices.Contains(names, ask.Target) {
		wrong = append(wrong, fault.Field{Path: "target", Rule: "must be a column of the dataset", Valid: nearest(ask.Target, names)})
	}
	for i, name := range ask.Ignore {
		path := fmt.Sprintf("ignore[%d]", i)
		switch {
		case !slices.Contains(names, name):
			wrong = append(wrong, fault.Field{Path: path, Rule: "must be a column of the dataset", Valid: nearest(name, names)})
		case name == ask.Target:
			wrong = append(wrong, fault.Field{Path: path, Rule: "must not be the target, which is never learnt from"})
		}
	}
	if ask.Task != "" && rankings[ask.Task] == nil {
		wrong = append(wrong, fault.Field{Path: "task", Rule: "must be a task", Valid: []string{"binary", "multiclass", "regression"}})
	}
	for i, f := range ask.Families {
		if !slices.Contains(families, f) {
			wrong = append(wrong, fault.Field{Path: fmt.Sprintf("families[%d]", i), Rule: "must be a family", Valid: []string{"linear", "forest", "gbtree"}})
		}
	}
	return wrong
}

// familiesOf returns the families asked for, in the order of a run.
func familiesOf(ask plans.Request) []plans.Family {
	out := []plans.Family{}
	for _, f := range families {
		if len(ask.Families) == 0 || slices.Contains(ask.Families, f) {
			out = append(out, f)
		}
	}
	return out
}

func budgetOf(ask plans.Request) plans.Budget {
	b := plans.BudgetRequest{}
	if ask.Budget != nil {
		b = *ask.Budget
	}
	return plans.Budget{Seconds: cmp.Or(b.Seconds, defaultSeconds), Threads: cmp.Or(b.Threads, defaultThreads)}
}

func orDefault(seed *int64) int64 {
	if seed == nil {
		return defaultSeed
	}
	return *seed
}

// metricOf returns what trials are ranked by.
func metricOf(asked string, task plans.Task) (plans.Metric, error) {
	name := cmp.Or(asked, rankings[task][0])
	m, known := metrics.Lookup(name)
	if !known || !slices.Contains(rankings[task], name) {
		return plans.Metric{}, fault.InvalidFields([]fault.Field{{
			Path: "metric", Rule: fmt.Sprintf("must be one for a %s task", task), Valid: rankings[task],
		}})
	}
	return plans.Metric{Name: m.Name, HigherIsBetter: m.HigherIsBetter}, nil
}

// resolveSplit decides how the rows of the target are dealt.
func resolveSplit(ask *plans.SplitRequest, t target, spec *plans.Spec) error {
	if ask == nil {
		ask = &plans.SplitRequest{}
	}
	rows := len(t.rows)
	s := plans.Split{Strategy: "stratified", K: cmp.Or(ask.K, defaultFolds(rows)), Seed: orDefault(ask.Seed), Holdout: defaultHoldout(rows)}
	if t.task == plans.Regression {
		s.Strategy = "random"
	}
	if ask.Holdout != nil {
		s.Holdout = *ask.Holdout
	}
	least := leastOpen(t, t.folds(s))
	if least < 2 {
		return invalid("split.holdout", "leaves a class with fewer than two rows to learn from", "Set split.holdout to 0, or add rows of the rare class.")
	}
	if least < s.K {
		s.K = least
		spec.Warnings = append(spec.Warnings, datasets.Warning{
			Code: "folds_lowered", Message: fmt.Sprintf("A class has %d rows to learn from, so there are %d folds.", least, least),
		})
	}
	s.ID = SplitID(t.folds(s))
	spec.Split = s
	return nil
}

// defaultFolds: fewer folds where each is large, to save their time.
func defaultFolds(rows int) int {
	if rows < 20_000 {
		return 5
	}
	return 3
}

// defaultHoldout: small tables need all rows to learn from.
func defaultHoldout(rows int) float64 {
	if rows < 1_000 {
		return 0
	}
	return 0.2
}

// leastOpen returns the rows, not sealed, of the class that has the fewest.
func leastOpen(t target, fold []int) int {
	_, open := apart(fold, len(fold))
	if t.class == nil {
		return len(open)
	}
	return slices.Min(t.pick(open).counts())
}
