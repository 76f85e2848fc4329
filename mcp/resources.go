package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"ambit/internal/fault"
	"ambit/scopes"
)

type listArgs struct {
	Workspace string `json:"workspace_id,omitempty" doc:"Leave out to list workspaces." rule:"id"`
	Kind      string `json:"kind,omitempty" doc:"Default: all." enum:"dataset,plan,run,model"`
	Limit     int    `json:"limit,omitempty" doc:"Default 50." rule:"min=1,max=100"`
	Cursor    string `json:"cursor,omitempty" doc:"next_cursor of the page before." rule:"max=256"`
}

func (a listArgs) wrong() []fault.Field {
	if a.Workspace == "" && (a.Kind != "" || a.Limit != 0 || a.Cursor != "") {
		return []fault.Field{{Path: "workspace_id", Rule: "is required with kind, limit or cursor"}}
	}
	return nil
}

func listResources(ctx context.Context, c *call, in listArgs) (reply, error) {
	if in.Workspace == "" {
		a, err := c.send(ctx, scopes.Workspaces, nil, nil, nil)
		return reply{a, listSays(a.Body, "workspace")}, err
	}
	query := url.Values{}
	if in.Kind != "" {
		query.Set("kind", in.Kind)
	}
	if in.Limit != 0 {
		query.Set("limit", strconv.Itoa(in.Limit))
	}
	if in.Cursor != "" {
		query.Set("cursor", in.Cursor)
	}
	a, err := c.send(ctx, scopes.Resources, path("ws", in.Workspace), query, nil)
	return reply{a, listSays(a.Body, "resource")}, err
}

func listSays(raw json.RawMessage, thing string) string {
	var l struct {
		Items []json.RawMessage
		Next  string `json:"next_cursor"`
	}
	if json.Unmarshal(raw, &l) != nil {
		return "The list."
	}
	text := count(len(l.Items), thing) + "."
	if l.Next != "" {
		text += " There are more: go on with cursor."
	}
	return text
}

type getArgs struct {
	Workspace string `json:"workspace_id" doc:"From list_resources." rule:"required,id"`
	Kind      string `json:"kind" doc:"What it is." enum:"dataset,plan,run,leaderboard,model" rule:"required"`
	ID        string `json:"id" doc:"Its id; of a leaderboard, the run's." rule:"required,id"`
}

func getResource(ctx context.Context, c *call, in getArgs) (reply, error) {
	a, err := c.send(ctx, scopes.ResourceGet, path("ws", in.Workspace, "kind", in.Kind, "id", in.ID), nil, nil)
	var r struct{ Truncated bool }
	text := "The " + in.Kind + " " + in.ID + "."
	if json.Unmarshal(a.Body, &r) == nil && r.Truncated {
		text += " It is too large to be shown whole: ask for its parts with other tools."
	}
	return reply{a, text}, err
}
