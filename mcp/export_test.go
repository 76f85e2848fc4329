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

// LibraryList returns the list of tools as the library makes it now.
func LibraryList(h *Hosted, scope, version string) ([]byte, error) {
	return h.makeList(scopes.ParseScope(scope), mcpgo.IsModernProtocol(version))
}
