package models

import (
	"testing"

	"ambit/internal/fault"
)

// Rows are looked at before anything is read: the service here has no store.
func TestScoreRefusesRows(t *testing.T) {
	tests := []struct {
		name string
		rows []map[string]any
		path string
	}{
		{"none", nil, "rows"},
		{"too many", make([]map[string]any, MaxScoreRows+1), "rows"},
		{"null among them", []map[string]any{{"a": 1}, nil}, "rows[1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := (&Service{}).Score(t.Context(), "ws_1", "mo_1", tt.rows)
			if f := fault.From(err); f.Code != fault.Invalid || f.Fields[0].Path != tt.path {
				t.Errorf("Score = %v, want invalid at %s", err, tt.path)
			}
		})
	}
}
