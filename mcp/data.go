package mcp

import (
	"context"
	"encoding/json"

	"ambit/scopes"
)

type queryArgs struct {
	Workspace string `json:"workspace_id" doc:"Whose datasets are read." rule:"required,id"`
	SQL       string `json:"sql" doc:"One SELECT, DESCRIBE or SUMMARIZE." rule:"required,max=100000"`
	Limit     int    `json:"limit,omitempty" doc:"Most rows; default 1,000." rule:"min=1,max=10000"`
}

func query(ctx context.Context, c *call, in queryArgs) (reply, error) {
	body := struct {
		Workspace string `json:"workspace_id"`
		SQL       string `json:"sql"`
		Limit     int    `json:"limit,omitempty"`
	}{in.Workspace, in.SQL, in.Limit}
	a, err := c.send(ctx, scopes.Query, nil, nil, body)
	return reply{a, querySays(a.Body)}, err
}

func querySays(raw json.RawMessage) string {
	var r struct {
		Columns []json.RawMessage
		Rows    []json.RawMessage
		More    bool `json:"has_more"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return "The rows."
	}
	text := count(len(r.Rows), "row") + " of " + count(len(r.Columns), "column") + "."
	if r.More {
		text += " There are more rows: aggregate, or raise limit."
	}
	return text
}

type profileArgs struct {
	Workspace string   `json:"workspace_id" doc:"The dataset's workspace." rule:"required,id"`
	Dataset   string   `json:"dataset_id" doc:"From brief or list_resources." rule:"required,id"`
	Columns   []string `json:"columns,omitempty" doc:"Default: all." rule:"min=1,max=200"`
}

func profile(ctx context.Context, c *call, in profileArgs) (reply, error) {
	body := struct {
		Workspace string   `json:"workspace_id"`
		Dataset   string   `json:"dataset_id"`
		Columns   []string `json:"columns,omitempty"`
	}{in.Workspace, in.Dataset, in.Columns}
	a, err := c.send(ctx, scopes.Profile, nil, nil, body)
	return reply{a, profileSays(a.Body)}, err
}

func profileSays(raw json.RawMessage) string {
	var r struct {
		Profile struct {
			Columns  []json.RawMessage
			Warnings []json.RawMessage
		}
	}
	if json.Unmarshal(raw, &r) != nil {
		return "The profile."
	}
	return "The profile of " + count(len(r.Profile.Columns), "column") + ", with " + count(len(r.Profile.Warnings), "warning") + "."
}
