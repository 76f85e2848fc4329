package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"ambit/scopes"
)

type briefArgs struct {
	Workspace string `json:"workspace_id" doc:"From list_resources." rule:"required,id"`
	Detail    string `json:"detail,omitempty" doc:"Default short." enum:"short,full"`
	IfRev     string `json:"if_rev,omitempty" doc:"The rev you know: if nothing changed, you are only told so." rule:"max=64"`
}

func brief(ctx context.Context, c *call, in briefArgs) (reply, error) {
	body := struct {
		Detail string `json:"detail,omitempty"`
		IfRev  string `json:"if_rev,omitempty"`
	}{in.Detail, in.IfRev}
	a, err := c.send(ctx, scopes.WorkspaceBrief, path("ws", in.Workspace), nil, body)
	return reply{a, briefSays(a.Body)}, err
}

func briefSays(raw json.RawMessage) string {
	var b struct {
		Unchanged bool
		Datasets  []json.RawMessage
		Plans     []json.RawMessage
		Runs      []json.RawMessage
		Models    []json.RawMessage
		Next      []struct{ Tool string }
	}
	if json.Unmarshal(raw, &b) != nil {
		return "The brief."
	}
	if b.Unchanged {
		return "Nothing has changed since that rev."
	}
	text := fmt.Sprintf("%s, %s, %s, %s are shown.", count(len(b.Datasets), "dataset"), count(len(b.Plans), "plan"),
		count(len(b.Runs), "run"), count(len(b.Models), "model"))
	for i, n := range b.Next {
		if i == 0 {
			text += " Suggested next: " + claim(n.Tool) + "."
		}
	}
	return text
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// path returns the parameters of a path, from names and values in turn.
func path(pairs ...string) map[string]string {
	params := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		params[pairs[i]] = pairs[i+1]
	}
	return params
}
