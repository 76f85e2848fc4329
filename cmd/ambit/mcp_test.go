package main

import (
	"strings"
	"testing"
)

// An analyst's program speaks MCP with the token it was given, through the API.
func TestMCP(t *testing.T) {
	data := dataFolder(t)
	s := serve(t, data)
	_, _, token := ready(t, host{[]string{"--data", data}}, manyRows(10))
	t.Setenv("AMBIT_URL", s.url)
	t.Setenv("AMBIT_TOKEN", token)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	out := ambit(t, hello+"\n", "mcp").ok(t, nil)
	if !strings.HasPrefix(out, `{"jsonrpc":"2.0","id":1,"result":{`) || strings.Count(out, "\n") != 1 {
		t.Errorf("got %q, want one line, the answer", out)
	}
	t.Setenv("AMBIT_TOKEN", token[:len(token)-1]+"0")
	if got := ambit(t, hello+"\n", "mcp"); got.code != 1 || got.err == "" {
		t.Errorf("a token that is none: exit %d, %q %q; want 1 and why", got.code, got.out, got.err)
	}
}
