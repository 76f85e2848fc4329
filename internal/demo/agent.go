package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// agent is an MCP client with a builder token: it has nothing else.
type agent struct {
	mcp *client.Client
}

// connect opens an MCP connection with the token.
func connect(ctx context.Context, url, token string) (*agent, error) {
	c, err := client.NewStreamableHttpClient(url+"/mcp", transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "ambit-demo-agent", Version: "1"}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return &agent{mcp: c}, nil
}

// tools returns the names of the tools that the agent is shown.
func (a *agent) tools(ctx context.Context) ([]string, error) {
	list, err := a.mcp.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

// result is what a tool answered.
type result struct {
	refused bool
	text    string
	data    map[string]any
}

// call calls a tool. A refusal is a result, not an error.
func (a *agent) call(ctx context.Context, tool string, args map[string]any) (result, error) {
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments = tool, args
	got, err := a.mcp.CallTool(ctx, req)
	if err != nil {
		return result{}, fmt.Errorf("%s: %w", tool, err)
	}
	out := result{refused: got.IsError}
	for _, c := range got.Content {
		if text, ok := c.(mcp.TextContent); ok {
			out.text += text.Text
		}
	}
	raw := []byte(out.text) // a refusal's text is its problem document
	if !out.refused {
		if raw, err = json.Marshal(got.StructuredContent); err != nil {
			return result{}, err
		}
	}
	if err := json.Unmarshal(raw, &out.data); err != nil {
		return result{}, fmt.Errorf("%s: its answer is no object: %w", tool, err)
	}
	return out, nil
}

// str returns a member of the answer as text, down a path such as "spec.target".
func (r result) str(path string) string {
	var at any = r.data
	for _, name := range strings.Split(path, ".") {
		object, ok := at.(map[string]any)
		if !ok {
			return ""
		}
		at = object[name]
	}
	if s, ok := at.(string); ok {
		return s
	}
	return ""
}

// list returns a member of the answer as a list of objects.
func (r result) list(name string) []map[string]any {
	items, _ := r.data[name].([]any)
	var out []map[string]any
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}
