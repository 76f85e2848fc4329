package mcp

import (
	"context"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"ambit/scopes"
)

// ToolThat completes a row with a function that takes no arguments.
func ToolThat(t Tool, f func(context.Context) error) Tool {
	return tool(t, func(ctx context.Context, _ *call, _ struct{}) (reply, error) { return reply{}, f(ctx) })
}

// ToolTaking completes a row with a function that does nothing with arguments A.
func ToolTaking[A any](t Tool) Tool {
	return tool(t, func(context.Context, *call, A) (reply, error) { return reply{}, nil })
}

// ToolCalling completes a row with a function that calls a route, whatever the
// arguments A say.
func ToolCalling[A any](t Tool, id scopes.RouteID, params map[string]string) Tool {
	return tool(t, func(ctx context.Context, c *call, _ A) (reply, error) {
		a, err := c.send(ctx, id, params, nil, struct{}{})
		return reply{answer: a}, err
	})
}

// ForLibrary returns the headers that the library sees.
var ForLibrary = forLibrary

// LibraryList returns the list of tools as the library makes it now.
func LibraryList(h *Hosted, scope, version string) ([]byte, error) {
	return h.makeList(scopes.ParseScope(scope), mcpgo.IsModernProtocol(version))
}
