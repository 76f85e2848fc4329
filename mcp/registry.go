package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"ambit/internal/fault"
	"ambit/scopes"
)

// Budgets of the list of tools, in model tokens. A list is paid for on every
// request of every agent.
const (
	readBudget    = 3_000
	builderBudget = 8_000
	bytesAToken   = 4 // of JSON, about
)

var toolName = regexp.MustCompile(`^[a-z][a-z_]{1,39}$`)

// definitions returns what clients are shown of the tools, or why a server must
// not start with them: a tool without a scope, title or description, or there
// twice; a route that is unknown, not served yet, or not open to the tool's
// scope; a scope higher than its routes ask; a schema that does not compile.
func definitions(tools []Tool, schema func(scopes.RouteID) json.RawMessage) ([]mcpgo.Tool, error) {
	if len(tools) == 0 || schema == nil {
		return nil, fmt.Errorf("no tools, or no schemas of the routes' answers")
	}
	seen := map[string]bool{}
	var all []mcpgo.Tool
	for _, t := range tools {
		d, err := t.definition(schema)
		if err == nil && seen[t.Name] {
			err = fmt.Errorf("is there twice")
		}
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		seen[t.Name] = true
		all = append(all, d)
	}
	return all, nil
}

// definition checks a tool and returns what clients are shown of it.
func (t Tool) definition(schema func(scopes.RouteID) json.RawMessage) (mcpgo.Tool, error) {
	if err := t.complete(); err != nil {
		return mcpgo.Tool{}, err
	}
	if err := t.allowed(); err != nil {
		return mcpgo.Tool{}, err
	}
	in, err := t.inputSchema()
	if err != nil {
		return mcpgo.Tool{}, fmt.Errorf("its arguments: %w", err)
	}
	out, err := t.outputSchema(schema)
	if err != nil {
		return mcpgo.Tool{}, err
	}
	d := mcpgo.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, Annotations: t.annotations(),
		RawInputSchema: in, RawOutputSchema: out,
	}
	_, err = json.Marshal(d)
	return d, err
}

func (t Tool) complete() error {
	switch {
	case !toolName.MatchString(t.Name):
		return fmt.Errorf("has no name of small letters and underscores")
	case t.Scope.String() == "":
		return fmt.Errorf("has no scope")
	case t.Title == "" || t.Description == "":
		return fmt.Errorf("has no title or no description")
	case t.read == nil:
		return fmt.Errorf("has no function")
	case t.err != nil:
		return t.err
	case t.keyed() != t.has("idempotency_key"):
		return fmt.Errorf("builder tools, and no others, take an argument idempotency_key")
	}
	return nil
}

func (t Tool) has(name string) bool {
	for _, a := range t.arguments {
		if a.name == name {
			return true
		}
	}
	return false
}

// allowed checks the tool's routes against its scope, with the decision that
// the API itself makes.
func (t Tool) allowed() error {
	if len(t.Routes()) == 0 {
		return fmt.Errorf("calls no route")
	}
	least := true // a token of the scope below could make every call
	for _, id := range t.Routes() {
		r, ok := scopes.ByID(id)
		switch {
		case !ok:
			return fmt.Errorf("calls an unknown route %q", id)
		case r.Planned:
			return fmt.Errorf("calls route %s, which is not served yet", id)
		case r.Class == scopes.ClassPublic || r.Class == scopes.ClassOwn || r.Stream || r.Upload:
			return fmt.Errorf("calls route %s, which is no tool's", id)
		case !open(r, t.Scope):
			return fmt.Errorf("of scope %s calls route %s, which is not open to it", t.Scope, id)
		}
		least = least && open(r, t.Scope-1)
	}
	if least {
		return fmt.Errorf("has scope %s, and none of its routes asks for it", t.Scope)
	}
	return nil
}

func open(r scopes.Route, s scopes.Scope) bool {
	return fault.CodeOf(scopes.Decide(r, scopes.Caller{Kind: scopes.Token, Scope: s})) == ""
}

// annotations tell the truth by rule: read tools only read; nothing that a tool
// does destroys; the same call again, under its key, acts once.
func (t Tool) annotations() mcpgo.ToolAnnotation {
	reads := t.Scope == scopes.Read
	return mcpgo.ToolAnnotation{
		Title:           t.Title,
		ReadOnlyHint:    mcpgo.ToBoolPtr(reads),
		DestructiveHint: mcpgo.ToBoolPtr(false),
		IdempotentHint:  mcpgo.ToBoolPtr(true),
		OpenWorldHint:   mcpgo.ToBoolPtr(t.OpenWorld),
	}
}

// affordable checks the lists of tools against their budgets.
func affordable(read, builder []byte) error {
	for _, l := range []struct {
		name   string
		list   []byte
		budget int
	}{{"read", read, readBudget}, {"builder", builder, builderBudget}} {
		if n := len(l.list) / bytesAToken; n >= l.budget {
			return fmt.Errorf("the tool list of a %s token takes about %d model tokens; the budget is %d", l.name, n, l.budget)
		}
	}
	return nil
}
