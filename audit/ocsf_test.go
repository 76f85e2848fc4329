package audit

import (
	"encoding/json"
	"testing"
)

func TestOCSF(t *testing.T) {
	tests := []struct {
		name string
		e    Entry
		want string
	}{
		{
			"done by a token",
			Entry{Seq: 2, At: 1767323045678, Principal: "token:tk_1", ActsFor: "pn_1", Tool: "create_plan", Host: "claude", Route: "plan_create",
				Workspace: "ws_1", Entity: "plan:pl_1", Outcome: "ok", Key: "k1", Replay: true, Digest: "dd", RequestID: "rq_1", Prev: "aa", Hash: "bb"},
			`{"time":1767323045678,"category_uid":6,"class_uid":6003,"activity_id":1,"activity_name":"Create","type_uid":600301,` +
				`"severity_id":1,"status_id":1,"status_code":"ok","actor":{"user":{"uid":"token:tk_1","type":"token"},"invoked_by":"create_plan"},` +
				`"api":{"operation":"plan_create","request":{"uid":"rq_1"}},"src_endpoint":{"name":"claude"},` +
				`"resources":[{"uid":"pl_1","type":"plan","namespace":"ws_1"}],` +
				`"metadata":{"version":"1.3.0","product":{"name":"Ambit","vendor_name":"Ambit"},"sequence":2,"log_name":"audit"},` +
				`"unmapped":{"acts_for":"pn_1","workspace_id":"ws_1","idempotency_key":"k1","replay":true,"request_digest":"dd","prev_hash":"aa","hash":"bb"}}`,
		},
		{
			"refused to the operator",
			Entry{Seq: 1, At: 1, Principal: "cli", Route: "model_promote", Outcome: "session_required", Detail: "why", Hash: "bb"},
			`{"time":1,"category_uid":6,"class_uid":6003,"activity_id":99,"activity_name":"promote","type_uid":600399,` +
				`"severity_id":2,"status_id":2,"status_code":"session_required","status_detail":"why","actor":{"user":{"uid":"cli","type":"cli"}},` +
				`"api":{"operation":"model_promote"},"src_endpoint":{"name":"unknown"},` +
				`"metadata":{"version":"1.3.0","product":{"name":"Ambit","vendor_name":"Ambit"},"sequence":1,"log_name":"audit"},` +
				`"unmapped":{"prev_hash":"","hash":"bb"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(OCSF(tt.e))
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestOCSFActivity(t *testing.T) {
	tests := []struct {
		route string
		id    int
		name  string
	}{
		{"token_mint", 1, "Create"},
		{"model_register", 1, "Create"},
		{"run_get", 2, "Read"},
		{"workspace_patch", 3, "Update"},
		{"dataset_roles_put", 3, "Update"},
		{"token_revoke", 4, "Delete"},
		{"run_delete", 4, "Delete"},
		{"query", 99, "query"},
		{"", 99, ""},
	}
	for _, tt := range tests {
		if id, name := activity(tt.route); id != tt.id || name != tt.name {
			t.Errorf("activity(%q) = %d, %q; want %d, %q", tt.route, id, name, tt.id, tt.name)
		}
	}
}
