package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"ambit/scopes"
)

func TestArguments(t *testing.T) {
	create := func(more string) string {
		return `{"action":"create","workspace_id":"w","dataset_id":"d","target":"y"` + more + `}`
	}
	const id = "must be an id: 1 to 128 letters, digits, dashes or underscores"
	tests := []struct {
		tool, args string
		want       []string // path: rule, of each field; nil is a call that is made
		valid      []string // of the first field
	}{
		{"query", `{"workspace_id":"w","sql":"S"}`, nil, nil},
		{"query", `{}`, []string{"workspace_id: is required", "sql: is required"}, nil},
		{"query", `[1]`, []string{"arguments: must be an object"}, nil},
		{"query", `null`, []string{"arguments: must be an object"}, nil},
		{"query", `"x"`, []string{"arguments: must be an object"}, nil},
		{"query", `{"workspace_id":"w","sql":5}`, []string{"sql: must be a string"}, nil},
		{"query", `{"workspace_id":"w","sql":null}`, []string{"sql: must not be null: leave it out"}, nil},
		{"query", `{"workspace_id":"w","sql":""}`, []string{"sql: must not be empty"}, nil},
		{"query", `{"workspace_id":"w/../x","sql":"S"}`, []string{"workspace_id: " + id}, nil},
		{"query", `{"workspace_id":"é","sql":"S"}`, []string{"workspace_id: " + id}, nil},
		{"query", `{"workspace_id":"w","sql":"S","limit":0}`, []string{"limit: must be 1 to 10000"}, nil},
		{"query", `{"workspace_id":"w","sql":"S","limit":10001}`, []string{"limit: must be 1 to 10000"}, nil},
		{"query", `{"workspace_id":"w","sql":"S","limit":1.5}`, []string{"limit: must be a whole number"}, nil},
		{"query", `{"workspace_id":"w","sql":"S","limit":"9"}`, []string{"limit: must be a whole number"}, nil},
		{"query", `{"workspace_id":"w","sql":"` + strings.Repeat("x", 100001) + `"}`, []string{"sql: must have at most 100000 characters"}, nil},
		{"brief", `{"workspace_id":"w","detail":"long"}`, []string{"detail: is not one of the valid values"}, []string{"short", "full"}},
		{"get_resource", `{"workspace_id":"w","kind":"secret","id":"a"}`, []string{"kind: is not one of the valid values"}, []string{"dataset", "plan", "run", "leaderboard", "model"}},
		{"get_resource", `{"workspace_id":"w","kind":"run","id":"a%2Fb"}`, []string{"id: " + id}, nil},
		{"list_resources", `{"kind":"run"}`, []string{"workspace_id: is required with kind, limit or cursor"}, nil},
		{"run_status", `{"run_id":"r","wait_s":21}`, []string{"wait_s: must be 0 to 20"}, nil},
		{"run_status", `{"run_id":"r","wait_s":-1}`, []string{"wait_s: must be 0 to 20"}, nil},
		{"profile", `{"workspace_id":"w","dataset_id":"d","columns":[]}`, []string{"columns: must have 1 to 200 items"}, nil},
		{"profile", `{"workspace_id":"w","dataset_id":"d","columns":[null]}`, []string{"columns[0]: must not be null: leave it out"}, nil},
		{"what_if", `{"model_id":"m","rows":[]}`, []string{"rows: must have 1 to 100 items"}, nil},
		{"what_if", `{"model_id":"m","rows":[` + strings.Repeat("{},", 100) + `{}]}`, []string{"rows: must have 1 to 100 items"}, nil},
		{"what_if", `{"model_id":"m","rows":[1]}`, []string{"rows: must be an object"}, nil},
		{"what_if", `{"model_id":"m","rows":[{"any column":null}]}`, nil, nil},
		{"plan", `{}`, []string{"action: is required"}, []string{"create", "cancel"}},
		{"plan", `{"action":"delete"}`, []string{"action: is not one of the valid values"}, []string{"create", "cancel"}},
		{"plan", `{"action":"create"}`, []string{"workspace_id: is required", "dataset_id: is required", "target: is required"}, nil},
		{"plan", `{"action":"cancel","plan_id":"p","target":"y"}`, []string{`target: is not an argument of action "cancel"`}, []string{"action", "plan_id", "idempotency_key"}},
		{"plan", create(``), nil, nil},
		{"plan", create(`,"split":{"k":1,"holdout":0.6}`), []string{"split.k: must be 2 to 20", "split.holdout: must be 0 to 0.5"}, nil},
		{"plan", create(`,"split":{"folds":5}`), []string{"split.folds: is not a field here"}, []string{"holdout", "k", "seed"}},
		{"plan", create(`,"split":null`), []string{"split: must not be null: leave it out"}, nil},
		{"plan", create(`,"families":["linear","magic"]`), []string{"families[1]: is not one of the valid values"}, []string{"linear", "forest", "gbtree"}},
		{"plan", create(`,"expires_in_s":2592001`), []string{"expires_in_s: must be 1 to 2592000"}, nil},
		{"plan", create(`,"idempotency_key":"two words"`), []string{"idempotency_key: must have visible ASCII characters only"}, nil},
		{"plan", create(`,"idempotency_key":""`), []string{"idempotency_key: must have visible ASCII characters only"}, nil},
		{"plan", create(`,"idempotency_key":"` + strings.Repeat("k", 256) + `"`), []string{"idempotency_key: must have at most 255 characters"}, nil},
		{"model", `{"action":"promote","run_id":"r","trial_id":"t","name":"n"}`, []string{"action: is not one of the valid values"}, []string{"register"}},
	}
	h := newHost(t)
	for _, tt := range tests {
		h.forget()
		r := h.call(t, builderToken, tt.tool, tt.args)
		reached, reports := h.of(), h.of(scopes.AuditRefusals)
		if tt.want == nil {
			if r.IsError || len(reached) != 1 || len(reports) != 0 {
				t.Errorf("%s %.80s: %s, %d requests; want a call", tt.tool, tt.args, r.text(), len(reached))
			}
			continue
		}
		p, code := r.problem(t), "invalid"
		if strings.HasSuffix(tt.want[0], "is not a field here") {
			code = "malformed"
		}
		var got []string
		for _, f := range p.Fields {
			got = append(got, f.Path+": "+f.Rule)
		}
		if p.Code != code || !slices.Equal(got, tt.want) || tt.valid != nil && !slices.Equal(p.Fields[0].Valid, tt.valid) {
			t.Errorf("%s %.80s: %s %q %v, want %q %v", tt.tool, tt.args, p.Code, got, p.Fields[0].Valid, tt.want, tt.valid)
		}
		if len(reached) != 1 || len(reports) != 1 || reports[0].body != `{"tool":"`+tt.tool+`","code":"`+code+`"}` {
			t.Errorf("%s %.80s: %d requests and %d reports, want one report and nothing else", tt.tool, tt.args, len(reached), len(reports))
		}
	}
}
