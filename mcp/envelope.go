package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"ambit/internal/fault"
	"ambit/internal/strictjson"
)

// envelope is a JSON-RPC message, decoded once: what is decided on is what is used.
type envelope struct {
	raw    []byte
	id     json.RawMessage // nil of a notification
	method string
	params params
}

// params are the parameters that the host looks at, and all of tools/call and
// tools/list. The library reads the rest.
type params struct {
	mcpgo.MultiRoundTripParams                   // not used: they must only be what they should be
	Task                       *mcpgo.TaskParams `json:"task"`

	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Cursor     string          `json:"cursor"`
	RequestID  json.RawMessage `json:"requestId"`
	ClientInfo program         `json:"clientInfo"`
	Meta       meta            `json:"_meta"`
}

// meta is what a request says of itself.
type meta struct {
	Version      string          `json:"io.modelcontextprotocol/protocolVersion"`
	Client       program         `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	Progress     json.RawMessage `json:"progressToken"`
	Trace        string          `json:"traceparent"`
}

// program names a client.
type program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// protocolError is an error of JSON-RPC. Its message is ours, and carries
// nothing of the inside.
type protocolError struct {
	code    int
	message string
}

func (e *protocolError) Error() string { return fmt.Sprintf("%d: %s", e.code, e.message) }

func refuse(code int, format string, args ...any) *protocolError {
	return &protocolError{code, fmt.Sprintf(format, args...)}
}

// requests are the methods that are served, each with the type that the library
// reads its message into; nil where params have all of that. Any other method is
// unknown, whatever the library has.
var requests = map[string]func() any{
	"initialize":      func() any { return new(mcpgo.InitializeRequest) },
	"ping":            func() any { return new(mcpgo.PingRequest) },
	"server/discover": func() any { return new(mcpgo.DiscoverRequest) },
	"tools/list":      nil,
	"tools/call":      nil,
}

// Keys that mean something. Any other key that differs from one of them in case
// only would mean one thing here and another there, and is refused.
var (
	topKeys   = []string{"jsonrpc", "id", "method", "params"}
	paramKeys = []string{"name", "arguments", "cursor", "requestId", "clientInfo", "_meta", "protocolVersion", "capabilities", "task", "inputResponses", "requestState"}
	metaKeys  = []string{mcpgo.MetaKeyProtocolVersion, mcpgo.MetaKeyClientInfo, mcpgo.MetaKeyClientCapabilities, "progressToken", "traceparent"}
)

// openEnvelope decodes a message. On an error the envelope has an id if the
// message has a good one.
func openEnvelope(raw []byte) (envelope, *protocolError) {
	e := envelope{raw: raw}
	if bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("[")) {
		return e, refuse(mcpgo.INVALID_REQUEST, "Batches are not accepted: send one message at a time.")
	}
	if err := strictjson.Check(raw); err != nil {
		return e, refuse(mcpgo.PARSE_ERROR, "%s", fault.From(err).Detail)
	}
	top, ok := strictjson.MembersOf(raw)
	if !ok {
		return e, refuse(mcpgo.INVALID_REQUEST, "A message must be an object.")
	}
	if unknownKey(top, topKeys) {
		return e, refuse(mcpgo.INVALID_REQUEST, "A request has the keys jsonrpc, id, method and params, in this case, and no others.")
	}
	return e.fill(top)
}

func unknownKey(top strictjson.Members, known []string) bool {
	for _, m := range top {
		if !slices.Contains(known, m.Key) {
			return true
		}
	}
	return false
}

func (e envelope) fill(top strictjson.Members) (envelope, *protocolError) {
	if id := top.Get("id"); id != nil {
		if !goodID(id) {
			return e, refuse(mcpgo.INVALID_REQUEST, "An id must be a string of 1 to 256 bytes, or a whole number of at most 15 digits.")
		}
		e.id = canonicalID(id)
	}
	if string(top.Get("jsonrpc")) != `"2.0"` || json.Unmarshal(top.Get("method"), &e.method) != nil || e.method == "" {
		return e, refuse(mcpgo.INVALID_REQUEST, `A request must have "jsonrpc": "2.0" and a method.`)
	}
	if e.id == nil {
		return e, e.fillParams(top.Get("params"))
	}
	wrong := e.fillParams(top.Get("params")) // first: they say which revision's answer is due
	into, ok := requests[e.method]
	if !ok {
		return e, refuse(mcpgo.METHOD_NOT_FOUND, "This method is not served here.")
	}
	if wrong != nil {
		return e, wrong
	}
	if into != nil && json.Unmarshal(e.raw, into()) != nil {
		return e, refuse(mcpgo.INVALID_PARAMS, "The params are not those of the method.")
	}
	return e, nil
}

// fillParams reads the params, and refuses keys that other readers take for the known ones.
func (e *envelope) fillParams(raw json.RawMessage) *protocolError {
	if raw == nil {
		return nil
	}
	keys, ok := strictjson.MembersOf(raw)
	if !ok {
		return refuse(mcpgo.INVALID_PARAMS, "The params must be an object.")
	}
	inMeta, ok := strictjson.MembersOf(keys.Get("_meta"))
	if !ok && keys.Get("_meta") != nil {
		return refuse(mcpgo.INVALID_PARAMS, "The member _meta must be an object.")
	}
	if ambiguous(keys, paramKeys) || ambiguous(inMeta, metaKeys) {
		return refuse(mcpgo.INVALID_PARAMS, "The params have a key that differs from a known one in case only.")
	}
	if json.Unmarshal(raw, &e.params) != nil || !goodToken(e.params.Meta.Progress) {
		return refuse(mcpgo.INVALID_PARAMS, "The params are not those of the method.")
	}
	e.params.RequestID = canonicalID(e.params.RequestID)
	return nil
}

// ambiguous reports whether a key is a known one in another case.
func ambiguous(keys strictjson.Members, known []string) bool {
	for _, m := range keys {
		for _, k := range known {
			if m.Key != k && strings.EqualFold(m.Key, k) {
				return true
			}
		}
	}
	return false
}

// Whole numbers up to 15 digits survive every reader's floating point.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14})$`)

func goodID(id json.RawMessage) bool {
	return wholeNumber.Match(id) || len(id) > 2 && id[0] == '"' && len(canonicalID(id)) <= 258
}

// goodToken reports whether a progress token is absent, or like an id.
func goodToken(t json.RawMessage) bool { return t == nil || goodID(t) }

// canonicalID writes equal ids alike, however they were escaped.
func canonicalID(id json.RawMessage) json.RawMessage {
	var s string
	if len(id) == 0 || id[0] != '"' || json.Unmarshal(id, &s) != nil {
		return id
	}
	out, _ := json.Marshal(s) // a string marshals
	return out
}

// modern reports whether the message is of protocol 2026-07-28 or later.
func (e envelope) modern() bool { return mcpgo.IsModernProtocol(e.params.Meta.Version) }

// quiet reports whether the message is a call of a tool that nothing is sent
// for but its result.
func (e envelope) quiet() bool {
	return e.method == string(mcpgo.MethodToolsCall) && e.params.Meta.Progress == nil
}

// bare is a call of a tool without what the library does not need to know: it
// reads each message five times, and the arguments are none of its business.
func (e envelope) bare() []byte {
	if !e.modern() {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q}}`, e.id, e.params.Name)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"_meta":{"%s":%q,"%s":{}}}}`,
		e.id, e.params.Name, mcpgo.MetaKeyProtocolVersion, e.params.Meta.Version, mcpgo.MetaKeyClientCapabilities)
}

// headers checks the headers that repeat the body: where they are sent, in
// whatever protocol, they equal it.
func (e envelope) headers(h http.Header) *protocolError {
	if len(h.Values(mcpgo.HeaderProtocolVersion)) > 1 {
		return refuse(mcpgo.HEADER_MISMATCH, "The header %s is there more than once.", mcpgo.HeaderProtocolVersion)
	}
	for _, pair := range []struct{ name, want string }{
		{mcpgo.HeaderMethod, e.method}, {mcpgo.HeaderName, e.params.Name},
	} {
		values := h.Values(pair.name)
		if len(values) == 0 {
			continue
		}
		got, ok := mcpgo.DecodeHeaderValue(values[0])
		if len(values) > 1 || !ok || got != pair.want {
			return refuse(mcpgo.HEADER_MISMATCH, "The header %s does not equal the body.", pair.name)
		}
	}
	return nil
}
