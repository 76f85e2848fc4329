package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ambit/scopes"
)

// inputSchema returns the schema of a tool's arguments. It takes no argument
// that is not declared.
func (t Tool) inputSchema() (json.RawMessage, error) {
	return compiled(objectSchema(t.arguments))
}

func objectSchema(all []argument) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, a := range all {
		s.Properties[a.name] = a.schema()
		s.PropertyOrder = append(s.PropertyOrder, a.name)
		if a.required && a.only == "" {
			s.Required = append(s.Required, a.name)
		}
	}
	return s
}

func (a argument) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: a.kind}
	switch {
	case a.fields != nil:
		s = objectSchema(a.fields)
	case a.kind == "string":
		s.MinLength, s.MaxLength = whole(a.min), whole(a.max)
	case a.kind == "array":
		s.Items, s.MinItems, s.MaxItems = a.item.schema(), whole(a.min), whole(a.max)
	case a.kind != "object":
		s.Minimum, s.Maximum = a.min, a.max
	}
	for _, v := range a.enum {
		s.Enum = append(s.Enum, v)
	}
	s.Description = a.doc
	return s
}

func whole(n *float64) *int {
	if n == nil {
		return nil
	}
	i := int(*n)
	return &i
}

// outputSchema returns the schema of a tool's results: what its routes answer,
// without what only describes, and open below the first level. It is weaker
// than the API's own, so whatever the API answers holds to it.
func (t Tool) outputSchema(of func(scopes.RouteID) json.RawMessage) (json.RawMessage, error) {
	var each []*jsonschema.Schema
	var seen []string
	for _, id := range t.Routes() {
		slim, err := slimSchema(of(id))
		if err != nil {
			return nil, fmt.Errorf("the answer of route %s: %w", id, err)
		}
		if text := slim.json(); !slices.Contains(seen, text) {
			each, seen = append(each, slim.Schema), append(seen, text)
		}
	}
	if len(each) == 1 {
		return compiled(each[0])
	}
	return compiled(&jsonschema.Schema{Type: "object", AnyOf: each})
}

// compiled marshals a schema that compiles.
func compiled(s *jsonschema.Schema) (json.RawMessage, error) {
	if _, err := s.Resolve(nil); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// slimDepth is how many levels of properties an output schema keeps: one, for
// the whole list is paid for on every request of every agent.
const slimDepth = 1

type slimmer struct {
	*jsonschema.Schema
	root *jsonschema.Schema
}

// slimSchema reduces the schema of an answer. An answer must be an object.
func slimSchema(raw json.RawMessage) (slimmer, error) {
	var root jsonschema.Schema
	if len(raw) == 0 {
		return slimmer{}, fmt.Errorf("has no schema")
	}
	if err := json.Unmarshal(raw, &root); err != nil {
		return slimmer{}, err
	}
	if _, err := root.Resolve(nil); err != nil {
		return slimmer{}, err
	}
	s := slimmer{root: &root}
	if s.Schema = s.slim(&root, slimDepth); s.Type != "object" {
		return slimmer{}, fmt.Errorf("is no object")
	}
	return s, nil
}

func (s slimmer) json() string {
	raw, _ := json.Marshal(s.Schema) // it was unmarshalled
	return string(raw)
}

// anything is the schema of any value. It has a member, because an empty schema
// is written as true, which clients of 2025-11-25 refuse, the whole list with it.
func anything() *jsonschema.Schema { return &jsonschema.Schema{Description: "Anything."} }

// slim keeps types and names down to the depth.
func (s slimmer) slim(from *jsonschema.Schema, depth int) *jsonschema.Schema {
	from = s.target(from)
	if from == nil || len(from.AnyOf)+len(from.OneOf)+len(from.AllOf) > 0 {
		return anything()
	}
	if from.Type == "" && len(from.Types) == 0 {
		return anything()
	}
	to := &jsonschema.Schema{Type: from.Type, Types: from.Types}
	if from.Items != nil && depth > 0 {
		to.Items = s.slim(from.Items, depth-1)
	}
	if len(from.Properties) == 0 || depth == 0 {
		return to
	}
	to.Properties, to.Required = map[string]*jsonschema.Schema{}, from.Required
	for name, p := range from.Properties {
		if name != "$schema" {
			to.Properties[name] = s.slim(p, depth-1)
		}
	}
	return to
}

// target follows references inside the document, as far as they lead somewhere new.
func (s slimmer) target(from *jsonschema.Schema) *jsonschema.Schema {
	for hops := 0; from != nil && from.Ref != ""; hops++ {
		name, ok := strings.CutPrefix(from.Ref, "#/$defs/")
		if !ok || hops > 8 {
			return nil
		}
		from = s.root.Defs[name]
	}
	return from
}
