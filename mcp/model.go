package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"ambit/scopes"
)

type evaluationArgs struct {
	Model string `json:"model_id" doc:"From brief or list_resources." rule:"required,id"`
}

func evaluation(ctx context.Context, c *call, in evaluationArgs) (reply, error) {
	a, err := c.send(ctx, scopes.ModelEvaluation, path("id", in.Model), nil, nil)
	text := "The evaluation of model " + in.Model + "."
	var e struct{ Headline string } // the API's own words
	if json.Unmarshal(a.Body, &e) == nil && e.Headline != "" {
		text += " " + claim(e.Headline)
	}
	return reply{a, text}, err
}

type whatIfArgs struct {
	Model string           `json:"model_id" doc:"A registered model." rule:"required,id"`
	Rows  []map[string]any `json:"rows" doc:"Each an object of column names and values; null is missing." rule:"required,min=1,max=100"`
}

func whatIf(ctx context.Context, c *call, in whatIfArgs) (reply, error) {
	body := struct {
		Rows []map[string]any `json:"rows"`
	}{in.Rows}
	a, err := c.send(ctx, scopes.ModelScore, path("id", in.Model), nil, body)
	return reply{a, fmt.Sprintf("What model %s predicts for %s. Nothing was stored.", in.Model, count(len(in.Rows), "row"))}, err
}

type modelArgs struct {
	Action string `json:"action" doc:"What to do."`
	Run    string `json:"run_id,omitempty" doc:"The run of the trial." rule:"required,id" only:"register"`
	Trial  string `json:"trial_id,omitempty" doc:"A trial that succeeded, from the leaderboard." rule:"required,id" only:"register"`
	Name   string `json:"name,omitempty" doc:"New to the workspace." rule:"required,max=100" only:"register"`
	keyed
}

func model(ctx context.Context, c *call, in modelArgs) (reply, error) {
	body := struct {
		Trial string `json:"trial_id"`
		Name  string `json:"name"`
	}{in.Trial, in.Name}
	a, err := c.send(ctx, scopes.ModelRegister, path("id", in.Run), nil, body)
	var m struct{ ID string }
	text := "The model is registered."
	if json.Unmarshal(a.Body, &m) == nil && m.ID != "" {
		text = fmt.Sprintf("The model is registered as %s. Read its evaluation; promoting it is a person's.", claim(m.ID))
	}
	return reply{a, text}, err
}
