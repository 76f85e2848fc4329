package mcp

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"ambit/api/client"
	"ambit/internal/fault"
	"ambit/internal/strictjson"
	"ambit/scopes"
)

// defaultDeadline bounds a call of a tool that names no deadline. Hosts of
// agents are known to cut calls at about a minute.
const defaultDeadline = 55 * time.Second

// Tool is a row of the registry. Its zero value is refused at start.
type Tool struct {
	Name        string
	Title       string
	Scope       scopes.Scope     // the least that a token needs, and no more than its routes ask
	Calls       []scopes.RouteID // what it may call, besides its actions' routes
	Actions     []Action         // of a tool with an argument "action": its values
	Description string           // for the model
	OpenWorld   bool             // it reaches what is outside Ambit
	Untrusted   []string         // where its result holds text of others; "rows[].name" is there and below
	Deadline    time.Duration    // of a call; 0 takes 55 s

	arguments []argument
	err       error // why the arguments cannot be described
	read      func(args json.RawMessage) (work, error)
}

// Action is one of the things that a builder tool does, and the route that does it.
type Action struct {
	Name string
	Call scopes.RouteID
}

// work is what a tool does with arguments that were read and found right.
type work func(context.Context, *call) (reply, error)

// reply is what a tool found.
type reply struct {
	answer client.Answer
	text   string // what the answer says, in our words, without text of others
}

// tool completes a row with its function, whose arguments A describes: a struct
// with json, doc, enum, rule and only tags (see [argument]).
func tool[A any](t Tool, run func(context.Context, *call, A) (reply, error)) Tool {
	t.arguments, t.err = argumentsOf(reflect.TypeFor[A](), t.Actions)
	t.read = func(raw json.RawMessage) (work, error) {
		var in A
		if err := strictjson.Decode(raw, &in); err != nil {
			return nil, err
		}
		wrong := check(t.arguments, raw)
		if c, ok := any(in).(interface{ wrong() []fault.Field }); ok && len(wrong) == 0 {
			wrong = c.wrong()
		}
		if err := fault.InvalidFields(wrong); err != nil {
			return nil, err
		}
		return func(ctx context.Context, c *call) (reply, error) { return run(ctx, c, in) }, nil
	}
	return t
}

// Routes returns every route that the tool may call, each once.
func (t Tool) Routes() []scopes.RouteID {
	all := slices.Clone(t.Calls)
	for _, a := range t.Actions {
		if !slices.Contains(all, a.Call) {
			all = append(all, a.Call)
		}
	}
	return all
}

// reach returns the routes that a call with the arguments may use: those of its
// action, where the tool has actions.
func (t Tool) reach(args json.RawMessage) []scopes.RouteID {
	var in struct {
		Action string `json:"action"`
	}
	if len(t.Actions) == 0 || json.Unmarshal(args, &in) != nil {
		return t.Calls
	}
	all := slices.Clone(t.Calls)
	for _, a := range t.Actions {
		if a.Name == in.Action {
			all = append(all, a.Call)
		}
	}
	return all
}

// keyed reports whether the tool's calls carry an idempotency key.
func (t Tool) keyed() bool { return t.Scope == scopes.Builder }

func (t Tool) deadline() time.Duration {
	if t.Deadline > 0 {
		return t.Deadline
	}
	return defaultDeadline
}

// ContractRow says what one tool, or one action of it, sends.
type ContractRow struct {
	Tool   string `json:"tool"`
	Action string `json:"action,omitempty"`
	Scope  string `json:"scope"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Key    bool   `json:"idempotency_key"`
}

// Contract returns what the tools may send: a row for each route of each tool
// and action, in the order of the list.
func Contract(tools []Tool) []ContractRow {
	var rows []ContractRow
	add := func(t Tool, action string, id scopes.RouteID) {
		r, _ := scopes.ByID(id)
		rows = append(rows, ContractRow{Tool: t.Name, Action: action, Scope: t.Scope.String(), Method: r.Method, Path: r.Path, Key: r.NeedsKey()})
	}
	for _, t := range tools {
		for _, id := range t.Calls {
			add(t, "", id)
		}
		for _, a := range t.Actions {
			add(t, a.Name, a.Call)
		}
	}
	return rows
}
