package models

import (
	"context"
	"strings"
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

// kept is a store with one model.
type kept struct {
	Store
	model Model
}

func (k kept) Model(context.Context, string, string) (Model, error) { return k.model, nil }

func TestConfirmation(t *testing.T) {
	tests := []struct {
		name string
		in   Confirm
		want fault.Code
	}{
		{"as asked", Confirm{"churn 7", "better on the holdout"}, ""},
		{"in few letters of another script", Confirm{"churn 7", "比以前的模型更准确可靠"}, ""},
		{"another name", Confirm{"churn 8", "better on the holdout"}, fault.ConfirmMismatch},
		{"the name with a space", Confirm{"churn 7 ", "better on the holdout"}, fault.ConfirmMismatch},
		{"no reason", Confirm{"churn 7", ""}, fault.Invalid},
		{"a reason of spaces", Confirm{"churn 7", strings.Repeat(" ", 20)}, fault.Invalid},
		{"four letters of three bytes", Confirm{"churn 7", "好好好好"}, fault.Invalid},
	}
	s := &Service{Store: kept{model: Model{Name: "churn 7"}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := s.confirmed(t.Context(), "ws_1", "mo_1", tt.in); fault.CodeOf(err) != tt.want {
				t.Errorf("confirmed(%+v) = %v, want %q", tt.in, err, tt.want)
			}
		})
	}
}
