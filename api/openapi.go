package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/metrics"
	"ambit/scopes"
)

// document writes the OpenAPI 3.1 document of the served rows. Schemas come from
// the types that the handlers really read and write.
func document(routes []scopes.Route, endpoints map[scopes.RouteID]endpoint, version string) ([]byte, error) {
	reg := newRegistry("#/components/schemas/")
	paths := map[string]map[string]any{}
	for _, r := range routes {
		if r.Planned || r.Class == scopes.ClassOwn {
			continue
		}
		if paths[r.Path] == nil {
			paths[r.Path] = map[string]any{}
		}
		paths[r.Path][strings.ToLower(r.Method)] = operation(reg, r, endpoints[r.ID])
	}
	return json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "Ambit", "version": version, "description": about},
		"paths":   paths,
		"components": map[string]any{
			"schemas": withProblem(reg.Map()),
			"securitySchemes": map[string]any{
				"token":   map[string]any{"type": "http", "scheme": "bearer", "description": "A token of an agent."},
				"session": map[string]any{"type": "apiKey", "in": "cookie", "name": "ambit_session", "description": "The session of a person; __Host-ambit over TLS."},
			},
		},
	})
}

const about = "Agents and people build models from tables together. x-ambit-class says what a route asks of its caller: " +
	"read, readpost, compute and builder name the least scope of a token; person is closed to every token."

// newRegistry returns a registry of schemas that are referred to under prefix.
func newRegistry(prefix string) huma.Registry {
	reg := huma.NewMapRegistry(prefix, schemaName)
	reg.RegisterTypeAlias(reflect.TypeFor[clock.Time](), reflect.TypeFor[*time.Time]())
	reg.RegisterTypeAlias(reflect.TypeFor[metrics.Value](), reflect.TypeFor[*float64]())
	return reg
}

// schemaOf returns the schema of a type; one that may be anything has an empty one.
func schemaOf(reg huma.Registry, t reflect.Type, ref bool, hint string) *huma.Schema {
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
		return &huma.Schema{}
	}
	return reg.Schema(t, ref, hint)
}

// schemaName is package and type, of a generic type's arguments too, since nouns
// of several packages have a View and a list of them.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Name() == "" {
		return hint
	}
	var name strings.Builder
	for _, word := range strings.FieldsFunc(t.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word != "ambit" && word != "internal" && word != "api" {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return name.String()
}

func operation(reg huma.Registry, r scopes.Route, e endpoint) map[string]any {
	op := map[string]any{
		"operationId":    string(r.ID),
		"x-ambit-class":  r.Class.String(),
		"x-ambit-bound":  r.Bound.String(),
		"parameters":     parameters(reg, r, e),
		"responses":      responses(reg, r, e),
		"security":       security(r),
		"x-ambit-budget": r.Budgeted,
	}
	if r.Role != scopes.NoRole {
		op["x-ambit-role"] = r.Role.String()
	}
	if body := requestBody(reg, r, e); body != nil {
		op["requestBody"] = body
	}
	return op
}

func security(r scopes.Route) []map[string][]string {
	switch r.Class {
	case scopes.ClassPublic:
		return []map[string][]string{}
	case scopes.ClassPerson:
		return []map[string][]string{{"session": {}}}
	}
	return []map[string][]string{{"token": {}}, {"session": {}}}
}

func parameters(reg huma.Registry, r scopes.Route, e endpoint) []map[string]any {
	out := []map[string]any{}
	for _, name := range r.Params() {
		out = append(out, map[string]any{"name": name, "in": "path", "required": true, "schema": map[string]any{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$"}})
	}
	if e.in.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(e.in) {
			if name := f.Tag.Get("query"); name != "" {
				out = append(out, map[string]any{"name": name, "in": "query", "description": f.Tag.Get("doc"), "schema": schemaOf(reg, f.Type, true, name)})
			}
		}
	}
	if r.NeedsKey() {
		out = append(out, map[string]any{
			"name": "Idempotency-Key", "in": "header", "description": "Required from tokens. The same key with the same request has its effect once.",
			"schema": map[string]any{"type": "string", "minLength": 1, "maxLength": 255},
		})
	}
	return out
}

func requestBody(reg huma.Registry, r scopes.Route, e endpoint) map[string]any {
	switch {
	case r.Method == http.MethodGet || e.in == reflect.TypeFor[none]():
		return nil
	case r.Upload:
		schema := map[string]any{"type": "object", "required": []string{"file"}, "properties": map[string]any{
			"name": map[string]any{"type": "string"}, "file": map[string]any{"type": "string", "contentMediaType": "application/octet-stream"},
		}}
		return map[string]any{"required": true, "content": map[string]any{"multipart/form-data": map[string]any{"schema": schema}}}
	}
	return map[string]any{
		"required": !takesNothing(e.in),
		"content":  map[string]any{"application/json": map[string]any{"schema": schemaOf(reg, e.in, true, string(r.ID))}},
	}
}

func responses(reg huma.Registry, r scopes.Route, e endpoint) map[string]any {
	problem := map[string]any{
		"description": "A problem document.",
		"content":     map[string]any{fault.ContentType: map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Problem"}}},
	}
	switch {
	case r.Stream || e.stream != nil:
		return map[string]any{"200": map[string]any{"description": "A stream."}, "default": problem}
	case e.out == reflect.TypeFor[none]():
		return map[string]any{"204": map[string]any{"description": "Done."}, "default": problem}
	}
	ok := map[string]any{
		"description": http.StatusText(e.status),
		"content":     map[string]any{"application/json": map[string]any{"schema": schemaOf(reg, e.out, true, string(r.ID))}},
	}
	return map[string]any{strconv.Itoa(e.status): ok, "default": problem}
}

// withProblem adds the schema of problem documents.
func withProblem(schemas map[string]*huma.Schema) map[string]any {
	out := map[string]any{}
	for name, s := range schemas {
		out[name] = s
	}
	out["Problem"] = map[string]any{
		"type": "object", "required": []string{"type", "title", "status", "code", "detail"},
		"properties": map[string]any{
			"type": map[string]any{"type": "string"}, "title": map[string]any{"type": "string"}, "status": map[string]any{"type": "integer"},
			"code": map[string]any{"type": "string", "enum": sortedCodes()}, "detail": map[string]any{"type": "string"},
			"fix": map[string]any{"type": "string"}, "request_id": map[string]any{"type": "string"},
			"fields": map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{
				"path": map[string]any{"type": "string"}, "rule": map[string]any{"type": "string"},
				"valid": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			}}},
		},
	}
	return out
}

func sortedCodes() []string {
	codes := map[string]bool{}
	for c := range fault.Codes() {
		codes[string(c)] = true
	}
	return sortedKeys(codes)
}

// AnswerSchema returns the JSON Schema of what a served route answers with, whole
// in itself, or nil if it answers with nothing.
func AnswerSchema(id scopes.RouteID) (json.RawMessage, error) {
	e, ok := (&Server{}).handlers()[id]
	if !ok || e.out == nil || e.out == reflect.TypeFor[none]() {
		return nil, nil
	}
	reg := newRegistry("#/$defs/")
	root := schemaOf(reg, e.out, false, string(id))
	raw, err := json.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", id, err)
	}
	var schema map[string]any
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, err
	}
	defs := reg.Map()
	delete(defs, schemaName(e.out, string(id))) // it is the root; no answer holds itself
	if len(defs) > 0 {
		schema["$defs"] = defs
	}
	return json.Marshal(schema)
}
