package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const credit = "internal/demo/testdata/credit-g.csv"

// model trains on German credit and registers the best trial.
func (e *env) model(ctx context.Context) (id string, err error) {
	dataset, err := e.upload(ctx, "credit", credit)
	if err != nil {
		return "", err
	}
	plan, err := e.plan(ctx, dataset, "model")
	if err != nil {
		return "", err
	}
	var run struct {
		ID    string `json:"run_id"`
		State string `json:"state"`
	}
	if err := e.call(ctx, "POST", "/api/plans/"+plan+"/launch", key("launch-"+plan), map[string]any{}, &run); err != nil {
		return "", err
	}
	for run.State != "succeeded" {
		if err := e.call(ctx, "GET", "/api/runs/"+run.ID+"?wait_s=20", nil, nil, &run); err != nil {
			return "", err
		}
		if run.State == "failed" || run.State == "aborted" {
			return "", fmt.Errorf("the run %s", run.State)
		}
		if run.ID == "" {
			return "", fmt.Errorf("the run has no id")
		}
	}
	return e.register(ctx, run.ID)
}

func (e *env) register(ctx context.Context, run string) (string, error) {
	var board struct {
		Rows []struct {
			Trial string `json:"trial_id"`
			Name  string `json:"name"`
		} `json:"rows"`
	}
	if err := e.call(ctx, "GET", "/api/runs/"+run+"/leaderboard", nil, nil, &board); err != nil {
		return "", err
	}
	at := slices.IndexFunc(board.Rows, func(r struct {
		Trial string `json:"trial_id"`
		Name  string `json:"name"`
	}) bool {
		return r.Name == "ambit-0"
	})
	var model struct{ ID string }
	err := e.call(ctx, "POST", "/api/runs/"+run+"/models", key("register"), map[string]any{"trial_id": board.Rows[at].Trial, "name": "bench"}, &model)
	return model.ID, err
}

func (e *env) plan(ctx context.Context, dataset, name string) (string, error) {
	var plan struct{ ID string }
	err := e.call(ctx, "POST", "/api/workspaces/"+e.workspace+"/plans", key("plan-"+name),
		map[string]any{"dataset_id": dataset, "target": "class", "split": map[string]any{"k": 5, "seed": 42, "holdout": 0}}, &plan)
	return plan.ID, err
}

func key(k string) map[string]string { return map[string]string{"Idempotency-Key": k} }

// whatIf times the score of one row, as a caller sees it.
func whatIf(ctx context.Context, e *env) ([]row, error) {
	model, err := e.model(ctx)
	if err != nil {
		return nil, err
	}
	body := []byte(`{"rows":[{"checking_status":"<0","duration":36,"credit_amount":9000,"age":24}]}`)
	c, err := e.load(ctx, e.server.cmd.Process.Pid, 1_000, 1, request{
		url: e.server.url + "/api/models/" + model + "/score", method: "POST", body: body,
		header: map[string]string{"Authorization": "Bearer " + e.token, "Content-Type": "application/json"},
	})
	if err != nil {
		return nil, err
	}
	return []row{{"what_if, one row, one caller, with its audit record on disk: p95", "≤ 10 ms", fmt.Sprintf("%.1f ms", c.p95.Seconds()*1000), c.p95 <= 10*time.Millisecond}}, nil
}

// keys times launches and their replays on a server that works on none of them.
func keys(ctx context.Context, e *env) ([]row, error) {
	e.server.stop()
	var err error
	if e.server, err = e.serve(ctx, "data", "--train-workers", "0"); err != nil {
		return nil, err
	}
	dataset, err := e.upload(ctx, "keys", credit)
	if err != nil {
		return nil, err
	}
	const n = 90
	plans := make([]string, n)
	for i := range plans {
		if plans[i], err = e.plan(ctx, dataset, strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	launch := func() ([]float64, error) {
		var took []float64
		for _, p := range plans {
			started := time.Now()
			if err := e.call(ctx, "POST", "/api/plans/"+p+"/launch", key("launch-"+p), map[string]any{}, nil); err != nil {
				return nil, err
			}
			took = append(took, time.Since(started).Seconds()*1000)
		}
		return took, nil
	}
	fresh, err := launch()
	if err != nil {
		return nil, err
	}
	again, err := launch()
	if err != nil {
		return nil, err
	}
	return []row{
		{"fresh mutation with a job (launch), SQLite, fsync: median", "≤ 6 ms", fmt.Sprintf("%.1f ms", median(fresh)), median(fresh) <= 6},
		{"idempotent replay with its audit record: median", "≤ 4 ms", fmt.Sprintf("%.1f ms", median(again)), median(again) <= 4},
	}, nil
}

// start times a cold start and weighs the idle server.
func start(ctx context.Context, e *env) ([]row, error) {
	var took, rss []float64
	for range 2*rounds + 1 {
		started := time.Now()
		p, err := e.serve(ctx, "empty")
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(started).Seconds()*1000)
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
		if err != nil {
			return nil, err
		}
		_, rest, _ := strings.Cut(string(raw), "VmRSS:")
		kb, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			return nil, err
		}
		rss = append(rss, float64(kb)/1024)
		p.stop()
	}
	return []row{
		{"cold start to the first answer: median", "≤ 300 ms", fmt.Sprintf("%.0f ms", median(took)), median(took) <= 300},
		{"idle RSS of the server: median", "≤ 80 MB", fmt.Sprintf("%.0f MB", median(rss)), median(rss) <= 80},
	}, nil
}
