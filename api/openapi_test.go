package api

import (
	"encoding/json"
	"testing"

	"ambit/scopes"
)

func TestEveryServedRouteHasASchema(t *testing.T) {
	for id, e := range (&Server{}).handlers() {
		if e.raw != nil || e.stream != nil || e.status == 204 {
			continue
		}
		raw, err := AnswerSchema(id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if !json.Valid(raw) {
			t.Errorf("%s: its schema is no JSON: %s", id, raw)
		}
	}
	raw, err := document(scopes.Routes, (&Server{}).handlers(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(raw))
}
