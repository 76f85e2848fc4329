package api

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"

	"ambit/internal/fault"
	"ambit/scopes"
)

func TestAbandoned(t *testing.T) {
	read, build := scopes.Route{Method: "POST", Class: scopes.ClassReadPost}, scopes.Route{Method: "POST", Class: scopes.ClassBuilder}
	cancelled, failed := fmt.Errorf("reading: %w", context.Canceled), errors.New("disk on fire")
	tests := []struct {
		name  string
		route scopes.Route
		gone  bool
		err   error
		want  bool
	}{
		{"a read whose caller has gone", read, true, cancelled, true},
		{"a read that failed after its caller had gone", read, true, failed, true},
		{"a read that failed", read, false, failed, false},
		{"a read that was refused, its caller gone", read, true, fault.New(fault.NotFound, "None."), false},
		{"the slow part of a change whose caller has gone", build, true, cancelled, true},
		{"a change that failed, its caller gone", build, true, failed, false},
		{"a change of unknown outcome, its caller gone", build, true, fault.New(fault.Unavailable, "?"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			if tt.gone {
				hangUp()
			}
			c, _ := gin.CreateTestContext(httptest.NewRecorder())
			c.Request = httptest.NewRequestWithContext(ctx, tt.route.Method, "/", nil)
			if got := (&request{c: c, route: tt.route}).abandoned(tt.err); got != tt.want {
				t.Errorf("abandoned(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}

// What was prepared is thrown away only if nothing can refer to it.
func TestForsaken(t *testing.T) {
	tests := []struct {
		name     string
		err      error
		replayed bool
		want     bool
	}{
		{"done", nil, false, false},
		{"replayed", nil, true, true},
		{"refused", fault.New(fault.Conflict, "Taken."), false, true},
		{"failed", errors.New("disk on fire"), false, true},
		{"the outcome is unknown", fault.New(fault.Unavailable, "?"), false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&request{replayed: tt.replayed}).forsaken(tt.err); got != tt.want {
				t.Errorf("forsaken(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}
