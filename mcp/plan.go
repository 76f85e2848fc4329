package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"ambit/scopes"
)

type planArgs struct {
	Action    string `json:"action" doc:"What to do."`
	Plan      string `json:"plan_id,omitempty" doc:"The plan to cancel." rule:"required,id" only:"cancel"`
	Workspace string `json:"workspace_id,omitempty" doc:"Where to plan." rule:"required,id" only:"create"`
	planSpec
	keyed
}

// planSpec is what a plan asks for. What is left out, the API resolves.
type planSpec struct {
	Dataset    string      `json:"dataset_id,omitempty" doc:"The dataset to learn from." rule:"required,id" only:"create"`
	Target     string      `json:"target,omitempty" doc:"The column to predict." rule:"required,max=256" only:"create"`
	Positive   *string     `json:"positive,omitempty" doc:"The positive class; default the rarer one." rule:"max=1000" only:"create"`
	Task       string      `json:"task,omitempty" doc:"Default: inferred." enum:"binary,multiclass,regression" only:"create"`
	Metric     string      `json:"metric,omitempty" doc:"What trials are ranked by; default by task." enum:"auc,logloss,rmse" only:"create"`
	Ignore     []string    `json:"ignore,omitempty" doc:"Columns not to learn from." rule:"max=2000" only:"create"`
	Split      *planSplit  `json:"split,omitempty" only:"create"`
	Families   []string    `json:"families,omitempty" doc:"Default: all. The floor is always there." enum:"linear,forest,gbtree" rule:"min=1,max=3" only:"create"`
	Budget     *planBudget `json:"budget,omitempty" only:"create"`
	Seed       *int64      `json:"seed,omitempty" doc:"Of the fits; default 42." only:"create"`
	ExpiresIn  *int        `json:"expires_in_s,omitempty" doc:"Default 86,400." rule:"min=1,max=2592000" only:"create"`
	Note       string      `json:"note,omitempty" doc:"For people." rule:"max=2048" only:"create"`
	Hypothesis string      `json:"hypothesis,omitempty" doc:"What you expect." rule:"max=2048" only:"create"`
}

type planSplit struct {
	K       *int     `json:"k,omitempty" doc:"Folds." rule:"min=2,max=20"`
	Seed    *int64   `json:"seed,omitempty" doc:"Default 42."`
	Holdout *float64 `json:"holdout,omitempty" doc:"Share of rows sealed away." rule:"min=0,max=0.5"`
}

type planBudget struct {
	Seconds *int `json:"time_s,omitempty" doc:"Default 300." rule:"min=5,max=86400"`
	Threads *int `json:"threads,omitempty" doc:"Fits side by side; default 2." rule:"min=1,max=16"`
}

func plan(ctx context.Context, c *call, in planArgs) (reply, error) {
	if in.Action == "cancel" {
		a, err := c.send(ctx, scopes.PlanCancel, path("id", in.Plan), nil, struct{}{})
		return reply{a, "The plan " + in.Plan + " is cancelled."}, err
	}
	a, err := c.send(ctx, scopes.PlanCreate, path("ws", in.Workspace), nil, in.planSpec)
	var p struct{ ID, Sentence string }
	text := "The plan is stored."
	if json.Unmarshal(a.Body, &p) == nil {
		text = fmt.Sprintf("Plan %s is stored; nothing runs until launch_plan. %s", claim(p.ID), claim(p.Sentence))
	}
	return reply{a, text}, err
}

type launchArgs struct {
	Plan string `json:"plan_id" doc:"A plan that is ready." rule:"required,id"`
	Hash string `json:"hash,omitempty" doc:"The plan's hash: launch only what you saw." rule:"id"`
	keyed
}

func launchPlan(ctx context.Context, c *call, in launchArgs) (reply, error) {
	body := struct {
		Hash string `json:"hash,omitempty"`
	}{in.Hash}
	a, err := c.send(ctx, scopes.PlanLaunch, path("id", in.Plan), nil, body)
	var r struct {
		Run string `json:"run_id"`
	}
	text := "The plan is launched."
	if json.Unmarshal(a.Body, &r) == nil && r.Run != "" {
		text = fmt.Sprintf("The plan is launched as run %s; follow it with run_status.", claim(r.Run))
	}
	return reply{a, text}, err
}
