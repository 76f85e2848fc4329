package demo

import (
	"context"
	"fmt"
	"maps"
	"strings"
)

// mainJob is what an agent is for: from a brief to a registered model.
func (w *Walk) mainJob(ctx context.Context) (err error) {
	if w.agent, err = connect(ctx, w.URL, w.token); err != nil {
		return err
	}
	names, err := w.agent.tools(ctx)
	if err != nil {
		return err
	}
	w.say("agent", "", "tools/list", "%s", strings.Join(names, ", "))
	for _, step := range []func(context.Context) error{w.look, w.train, w.judge} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// look reads what is there.
func (w *Walk) look(ctx context.Context) error {
	ws := map[string]any{"workspace_id": w.workspace}
	if _, err := w.must(ctx, "brief", ws, func(r result) string {
		return fmt.Sprintf("%d datasets, %d suggestions, rev %s", len(r.list("datasets")), len(r.list("next")), r.str("rev"))
	}); err != nil {
		return err
	}
	if _, err := w.must(ctx, "list_resources", with(ws, "kind", "dataset"), func(r result) string {
		return fmt.Sprintf("%d resources", len(r.list("items")))
	}); err != nil {
		return err
	}
	sql := `SELECT class, count(*) AS n, round(avg(credit_amount)) AS mean_amount FROM credit GROUP BY class ORDER BY class`
	if _, err := w.must(ctx, "query", with(ws, "sql", sql), func(r result) string { return fmt.Sprintf("rows %v", r.data["rows"]) }); err != nil {
		return err
	}
	before := `SELECT l.churned, avg(n) AS complaints FROM (SELECT l.customer_id, l.churned, count(e.event_id) AS n FROM labels l ` +
		`LEFT JOIN events e ON e.customer_id = l.customer_id AND e.kind = 'complaint' AND e.at <= l.moment AND e.at > l.moment - INTERVAL 30 DAY ` +
		`GROUP BY ALL) l GROUP BY l.churned ORDER BY l.churned`
	if _, err := w.must(ctx, "query", with(ws, "sql", before), func(r result) string {
		return fmt.Sprintf("complaints before the moment, by outcome: %v", r.data["rows"])
	}); err != nil {
		return err
	}
	_, err := w.must(ctx, "profile", with(ws, "dataset_id", w.datasets["credit"]), func(r result) string {
		profile, _ := r.data["profile"].(map[string]any)
		columns, _ := profile["columns"].([]any)
		return fmt.Sprintf("%v rows, %d columns", profile["rows"], len(columns))
	})
	return err
}

func with(args map[string]any, key string, value any) map[string]any {
	out := maps.Clone(args)
	out[key] = value
	return out
}

// planArgs asks for the reference split: 5 folds, seed 42, nothing sealed away.
func (w *Walk) planArgs(note string) map[string]any {
	return map[string]any{
		"action": "create", "workspace_id": w.workspace, "dataset_id": w.datasets["credit"], "target": "class", "positive": "bad",
		"split": map[string]any{"k": 5, "seed": 42, "holdout": 0}, "note": note,
	}
}

// train plans, launches and follows a run to its end.
func (w *Walk) train(ctx context.Context) error {
	plan, err := w.must(ctx, "plan", w.planArgs("first look"), func(r result) string { return r.str("id") + " " + r.str("state") + ": " + r.str("sentence") })
	if err != nil {
		return err
	}
	launched, err := w.must(ctx, "launch_plan", map[string]any{"plan_id": plan.str("id"), "hash": plan.str("hash")}, func(r result) string { return r.str("run_id") })
	if err != nil {
		return err
	}
	w.run = launched.str("run_id")
	if err := w.follow(ctx, w.run); err != nil {
		return err
	}
	w.best, err = w.must(ctx, "run_status", map[string]any{"run_id": w.run, "part": "leaderboard"}, func(r result) string {
		rows := r.list("rows")
		if len(rows) == 0 {
			return "no rows"
		}
		return fmt.Sprintf("%d trials, the best is %v with %s", len(rows), rows[0]["name"], num(rows[0]["cv"]))
	})
	return err
}

// follow waits for a run to end, a line for each answer.
func (w *Walk) follow(ctx context.Context, run string) error {
	for {
		r, err := w.must(ctx, "run_status", map[string]any{"run_id": run, "wait_s": 20}, func(r result) string {
			progress, _ := r.data["progress"].(float64)
			return fmt.Sprintf("%s, %s, %.0f%%", r.str("state"), r.str("phase"), 100*progress)
		})
		if err != nil {
			return err
		}
		switch r.str("state") {
		case "succeeded":
			return nil
		case "failed", "aborted":
			return fmt.Errorf("run %s %s: %v", run, r.str("state"), r.data["failure"])
		}
	}
}

// judge registers the best trial, reads how good it is and asks it about a row.
func (w *Walk) judge(ctx context.Context) error {
	rows := w.best.list("rows")
	model, err := w.must(ctx, "model", map[string]any{"action": "register", "run_id": w.run, "trial_id": rows[0]["trial_id"], "name": "credit-first"},
		func(r result) string {
			return r.str("id") + " " + r.str("status") + ", SHA-256 " + r.str("sha256")[:12] + "…"
		})
	if err != nil {
		return err
	}
	w.model = model.str("id")
	if _, err := w.must(ctx, "evaluation", map[string]any{"model_id": w.model}, func(r result) string { return r.str("headline") }); err != nil {
		return err
	}
	row := map[string]any{"checking_status": "<0", "duration": 36, "credit_amount": 9000, "savings_status": "<100", "age": 24}
	_, err = w.must(ctx, "what_if", map[string]any{"model_id": w.model, "rows": []any{row}}, func(r result) string {
		p := r.list("predictions")[0]
		return fmt.Sprintf("class %v, probability of bad %s, %d columns left out", p["class"], num(p["probability"]), len(p["flags"].([]any)))
	})
	return err
}
