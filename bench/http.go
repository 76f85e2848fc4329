package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// authorisedGet compares a GET behind the wall with a bare gin handler.
func authorisedGet(ctx context.Context, e *env) ([]row, error) {
	peer, err := e.startPeer()
	if err != nil {
		return nil, err
	}
	defer peer.stop()
	auth := map[string]string{"Authorization": "Bearer " + e.token}
	ours, bare, err := e.sides(ctx, 10_000,
		e.server.cmd.Process.Pid, request{url: e.server.url + "/api/workspaces/" + e.workspace, method: "GET", header: auth},
		peer.cmd.Process.Pid, request{url: peer.url + "/get", method: "GET", header: auth})
	if err != nil {
		return nil, err
	}
	more := ours.cpu - bare.cpu
	return []row{
		{"authorised GET against a bare gin handler: CPU", "≤ +30 µs", fmt.Sprintf("+%d µs (%d against %d)", more.Microseconds(), ours.cpu.Microseconds(), bare.cpu.Microseconds()), more <= 30*time.Microsecond},
		{"the same: rate", "≥ 70%", fmt.Sprintf("%.0f%% (%.0f/s against %.0f/s)", 100*ours.rate/bare.rate, ours.rate, bare.rate), ours.rate >= 0.7*bare.rate},
	}, nil
}

// era is a version of the MCP protocol, and what its requests carry.
type era struct {
	version string
	goal    float64
	meta    bool
}

// mcpCalls compares a tool call through MCP, wall and API with a bare gin POST.
func mcpCalls(ctx context.Context, e *env) ([]row, error) {
	peer, err := e.startPeer()
	if err != nil {
		return nil, err
	}
	defer peer.stop()
	var rows []row
	for _, era := range []era{{"2025-11-25", 5, false}, {"2026-07-28", 10, true}} {
		ours, bare, err := e.sides(ctx, 4_000,
			e.server.cmd.Process.Pid, e.rpc(era, "tools/call", map[string]any{"name": "list_resources", "arguments": map[string]any{}}),
			peer.cmd.Process.Pid, request{url: peer.url + "/post", method: "POST", header: map[string]string{"Content-Type": "application/json"}, body: []byte(`{"name":"list_resources","arguments":{}}`)})
		if err != nil {
			return nil, err
		}
		ratio := float64(ours.cpu) / float64(bare.cpu)
		rows = append(rows, row{"tools/call " + era.version + " against a bare gin POST: CPU", fmt.Sprintf("≤ %.0f×", era.goal),
			fmt.Sprintf("%.1f× (%d µs against %d)", ratio, ours.cpu.Microseconds(), bare.cpu.Microseconds()), ratio <= era.goal})
	}
	list, err := e.load(ctx, e.server.cmd.Process.Pid, 4_000, crowd, e.rpc(era{version: "2025-11-25"}, "tools/list", map[string]any{}))
	if err != nil {
		return nil, err
	}
	return append(rows, row{"tools/list: CPU", "≤ 200 µs", fmt.Sprintf("%d µs", list.cpu.Microseconds()), list.cpu <= 200*time.Microsecond}), nil
}

// rpc is a JSON-RPC request as a client of the era sends it.
func (e *env) rpc(v era, method string, params map[string]any) request {
	header := map[string]string{
		"Authorization": "Bearer " + e.token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": v.version,
	}
	if v.meta {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    v.version,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
		header["Mcp-Method"] = method
		if name, ok := params["name"].(string); ok {
			header["Mcp-Name"] = name
		}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		panic(err) // maps of strings marshal
	}
	return request{url: e.server.url + "/mcp", method: "POST", header: header, body: body}
}
