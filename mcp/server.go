// Package mcp lets agents call Ambit as tools of the Model Context Protocol,
// over HTTP for many callers or over stdio for one.
//
// It sees Ambit only as its HTTP API, with each caller's own token, so a tool
// cannot go round the API's wall. [Tools] is the one list of tools; what clients
// are shown, what a tool may call, and who may call it are derived from it. The
// protocol itself is the library's; what the library leaves to its host is here:
// who calls, strict messages, cancelling, progress before the result.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ambit/api/client"
	"ambit/internal/clock"
	"ambit/scopes"
)

// Config is what a host is made of. API, Schema and Version are needed by both
// hosts, Hosts by the hosted one, Token by stdio.
type Config struct {
	Version string         // of Ambit, as clients see it
	API     *client.Client // reaches the API; for no caller
	// Schema returns the JSON Schema of a route's answer, complete in itself:
	// references only to its own $defs.
	Schema func(scopes.RouteID) json.RawMessage
	Tools  []Tool // nil takes the list [Tools]

	Hosts   []string // hosted: values of Host that are served, with or without a port; none serves nobody
	Origins []string // hosted: browser origins that are served, such as "https://ambit.example"
	Token   string   // stdio: the analyst's token

	Log       *slog.Logger  // nil logs nothing
	Now       clock.Clock   // nil is the system's clock
	PollEvery time.Duration // least time between two polls of one call; 0 is 200 ms
}

// core is the tools and what decides on them, under either host.
type core struct {
	mcp     *server.MCPServer
	api     *client.Client
	tools   map[string]Tool
	lists   map[listKey]json.RawMessage
	callers *callers
	flying  *inflight
	log     *slog.Logger
	now     clock.Clock
	every   time.Duration
}

// listKey says which list of tools a caller sees, and in which shape.
type listKey struct {
	scope  scopes.Scope
	modern bool
}

// cacheFor is how long clients may keep a list, in milliseconds.
const cacheFor = 60_000

// newServer checks the tools and prepares their lists. It refuses tools that
// are not fit to be served (see definitions) and lists that cost too much.
func newServer(cfg Config) (*core, error) {
	if cfg.API == nil || cfg.Version == "" {
		return nil, fmt.Errorf("the MCP server needs an API client and a version")
	}
	if cfg.Tools == nil {
		cfg.Tools = Tools
	}
	defs, err := definitions(cfg.Tools, cfg.Schema)
	if err != nil {
		return nil, fmt.Errorf("the MCP server does not start: %w", err)
	}
	s := &core{api: cfg.API, tools: map[string]Tool{}, flying: newInflight(), log: cfg.Log, now: cfg.Now, every: cfg.PollEvery}
	s.defaults()
	s.callers = newCallers(cfg.API, s.now, s.log)
	s.mcp = server.NewMCPServer("ambit", cfg.Version,
		server.WithTitle("Ambit"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithToolFilter(s.filter),
		server.WithCacheHints(cacheFor, mcpgo.CacheScopePrivate),
	)
	for i, t := range cfg.Tools {
		s.tools[t.Name] = t
		s.mcp.AddTool(defs[i], s.handler(t))
	}
	if err := s.prepareLists(); err != nil {
		return nil, fmt.Errorf("the MCP server does not start: %w", err)
	}
	return s, nil
}

func (s *core) defaults() {
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = clock.Now
	}
	if s.every == 0 {
		s.every = 200 * time.Millisecond
	}
}

// handler is the one adapter between the library and the tools.
func (s *core) handler(t Tool) server.ToolHandlerFunc {
	return func(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		rq := requestFrom(ctx)
		if rq == nil {
			return nil, fmt.Errorf("a tool call without a request") // a host forgot: nobody is let through
		}
		return s.answer(ctx, t, rq), nil
	}
}

// filter keeps what the caller's scope covers, in lists. Calls pass: the adapter
// refuses them, and says what scope they need.
func (s *core) filter(ctx context.Context, all []mcpgo.Tool) []mcpgo.Tool {
	rq := requestFrom(ctx)
	if rq == nil {
		return nil
	}
	if rq.method == string(mcpgo.MethodToolsCall) {
		return all
	}
	kept := []mcpgo.Tool{}
	for _, d := range all {
		if t := s.tools[d.Name]; t.Scope != scopes.NoScope && rq.caller.scope >= t.Scope {
			kept = append(kept, d)
		}
	}
	return kept
}

// prepareLists has the library make each list once, and keeps the bytes.
func (s *core) prepareLists() error {
	s.lists = map[listKey]json.RawMessage{}
	for _, scope := range []scopes.Scope{scopes.NoScope, scopes.Read, scopes.Compute, scopes.Builder} {
		for _, modern := range []bool{false, true} {
			list, err := s.makeList(scope, modern)
			if err != nil {
				return err
			}
			s.lists[listKey{scope, modern}] = list
		}
	}
	return affordable(s.lists[listKey{scopes.Read, false}], s.lists[listKey{scopes.Builder, false}])
}

func (s *core) makeList(scope scopes.Scope, modern bool) (json.RawMessage, error) {
	msg := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if modern {
		msg = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"` +
			mcpgo.MetaKeyProtocolVersion + `":"` + mcpgo.ProtocolVersion20260728 + `","` + mcpgo.MetaKeyClientCapabilities + `":{}}}}`
	}
	e, perr := openEnvelope([]byte(msg))
	if perr != nil {
		return nil, perr
	}
	rq := &request{envelope: e, caller: caller{scope: scope}}
	raw, err := json.Marshal(s.mcp.HandleMessage(withRequest(context.Background(), rq), e.raw))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Result == nil {
		return nil, fmt.Errorf("the library lists no tools: %s", raw)
	}
	return answer.Result, nil
}

// early answers what needs no library: a list that is prepared, a page or a tool
// that is not there. Ok is false for all else.
func (s *core) early(ctx context.Context, rq *request) (answer []byte, perr *protocolError, ok bool) {
	switch rq.method {
	case string(mcpgo.MethodToolsList):
		if rq.params.Cursor != "" {
			return nil, refuse(mcpgo.INVALID_PARAMS, "There are no further pages."), true
		}
		return rq.result(s.lists[listKey{rq.caller.scope, rq.modern()}]), nil, true
	case string(mcpgo.MethodToolsCall):
		if _, ok := s.tools[rq.params.Name]; !ok {
			s.refused(ctx, rq, cmp.Or(claim(rq.params.Name), "unnamed"), noTool())
			return nil, refuse(mcpgo.INVALID_PARAMS, "There is no such tool; tools/list has those there are."), true
		}
	}
	return nil, nil, false
}

// handle has the library answer a message, which is rq's in its own words or in
// fewer.
func (s *core) handle(ctx context.Context, rq *request, message []byte) ([]byte, error) {
	answer := s.mcp.HandleMessage(withRequest(ctx, rq), message)
	if r, ok := answer.(mcpgo.JSONRPCResponse); ok {
		if result, ok := r.Result.(*mcpgo.CallToolResult); ok {
			raw, err := result.MarshalJSON() // by itself: json.Marshal would go over all of it twice more
			return rq.result(raw), err
		}
	}
	return json.Marshal(answer)
}

// result is the answer to the message.
func (e envelope) result(result json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, e.id, result)
}

// failure is the answer to a message that was refused; the id is null if the
// message has no good one.
func (e envelope) failure(err *protocolError) []byte {
	id := e.id
	if id == nil {
		id = json.RawMessage("null")
	}
	message, _ := json.Marshal(err.message) // a string marshals
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, err.code, message)
}
