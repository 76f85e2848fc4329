package duckdb

import (
	"context"
	"errors"
	"testing"
	"time"

	"ambit/internal/fault"
)

// queueUp has a workspace wait, and returns where its name is sent when its turn comes.
func queueUp(t *testing.T, turns *turns, workspace string, served chan<- string) {
	t.Helper()
	turn, err := turns.join(workspace)
	if err != nil || turn == nil {
		t.Fatalf("join(%s) = %v, %v; want to wait", workspace, turn, err)
	}
	go func() { <-turn; served <- workspace }()
}

func TestTurnsGoRound(t *testing.T) {
	turns := newTurns(1, 3)
	if err := turns.acquire(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	served := make(chan string, 4)
	for _, workspace := range []string{"a", "a", "a", "b"} { // b came last, and is served second
		queueUp(t, turns, workspace, served)
	}
	got := ""
	for range 4 {
		turns.release()
		got += <-served
	}
	if got != "abaa" {
		t.Errorf("served %s, want abaa", got)
	}
	turns.release()
	if turns.free != 1 || len(turns.order) != 0 || len(turns.waiting) != 0 {
		t.Errorf("afterwards: %d free, %v, %v; want 1 and nobody", turns.free, turns.order, turns.waiting)
	}
}

func TestTurnsEndWaiting(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name  string
		ctx   context.Context
		limit time.Duration
		want  func(error) bool
	}{
		{"too long", t.Context(), time.Millisecond, func(err error) bool { return fault.Is(err, fault.EngineUnavailable) }},
		{"given up", cancelled, time.Hour, func(err error) bool { return errors.Is(err, context.Canceled) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			turns := newTurns(1, 3)
			if err := turns.acquire(t.Context(), "a", 0); err != nil {
				t.Fatal(err)
			}
			if err := turns.acquire(tt.ctx, "a", tt.limit); !tt.want(err) {
				t.Errorf("got %v", err)
			}
			turns.release()
			if turns.free != 1 || len(turns.order) != 0 {
				t.Errorf("afterwards: %d free, %v; want 1 and nobody", turns.free, turns.order)
			}
		})
	}
}

func TestTurnsAreLimited(t *testing.T) {
	turns := newTurns(1, 2)
	if err := turns.acquire(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	served := make(chan string, 3)
	queueUp(t, turns, "a", served)
	queueUp(t, turns, "a", served)
	err := turns.acquire(t.Context(), "a", time.Hour)
	if f := fault.From(err); f.Code != fault.EngineUnavailable || f.RetryAfter == 0 {
		t.Errorf("the third to wait: got %v, want engine_unavailable with a time to try again", err)
	}
	queueUp(t, turns, "b", served) // others may still wait
	for range 3 {
		turns.release()
		<-served
	}
}
