package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
)

func TestBudget(t *testing.T) {
	s, m, _, tok, _ := minted(t)
	m.runs[tok.ID] = 2
	b, err := s.Budget(t.Context(), tok.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"concurrent":{"limit":3,"used":2},"daily":{"limit":50,"used":2,"resets_at":"2026-01-03T00:00:00.000Z"}}`
	if string(got) != want {
		t.Errorf("budget = %s\nwant %s", got, want)
	}
	if _, err := s.Budget(t.Context(), "0123456789AB"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Budget of an unknown token: %v, want not_found", err)
	}
}

// TestExceeded: of a token with 3 at once and 50 a day, at 20:00 UTC.
func TestExceeded(t *testing.T) {
	day := clock.Time(at).Day()
	tests := []struct {
		name  string
		usage Usage
		want  string // limit allowed used retry-after; "" passes
	}{
		{"unused", Usage{0, 0}, ""},
		{"one place left of each", Usage{2, 49}, ""},
		{"none at once", Usage{3, 10}, "concurrent 3 3 0s"},
		{"more than the limit, which was lowered", Usage{5, 10}, "concurrent 3 5 0s"},
		{"none today", Usage{0, 50}, "daily 50 50 4h0m0s"},
		{"neither: the day's is the one that matters", Usage{3, 50}, "daily 50 50 4h0m0s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := budget(Token{MaxConcurrent: 3, MaxDaily: 50}, tt.usage, day).exceeded(at)
			got := ""
			if err != nil {
				f := fault.From(err)
				got = fmt.Sprint(f.Info["limit"], " ", f.Info["allowed"], " ", f.Info["used"], " ", f.RetryAfter)
			}
			if got != tt.want || tt.want != "" && !fault.Is(err, fault.BudgetExceeded) {
				t.Errorf("exceeded = %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

func TestExceededText(t *testing.T) {
	day := clock.Time(at).Day()
	tests := []struct {
		usage Usage
		want  string
	}{
		{Usage{3, 10}, "This token may have 3 runs at the same time and has 3 queued or running; a place is free when one of them ends."},
		{Usage{0, 50}, "This token may make 50 runs a day and has made 50 today; the day ends at 2026-01-03T00:00:00.000Z."},
	}
	for _, tt := range tests {
		err := budget(Token{MaxConcurrent: 3, MaxDaily: 50}, tt.usage, day).exceeded(at)
		if got := fault.From(err).Detail; got != tt.want {
			t.Errorf("detail = %q, want %q", got, tt.want)
		}
	}
}

func TestTakeOfDeadToken(t *testing.T) {
	tests := []struct {
		name string
		kill func(*Service, *hand, string)
	}{
		{"revoked since", func(s *Service, _ *hand, id string) {
			if _, err := s.Revoke(t.Context(), id); err != nil {
				t.Error(err)
			}
		}},
		{"expired since", func(_ *Service, h *hand, _ string) { h.forward(DefaultExpiry) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, h, tok, _ := minted(t)
			tt.kill(s, h, tok.ID)
			take := func(ctx context.Context) error { return s.Take(ctx, tok.ID) }
			if err := m.inTx(t.Context(), take); !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("Take = %v, want unauthenticated", err)
			}
		})
	}
}

func TestTakeWithoutStore(t *testing.T) {
	s, m, _, tok, _ := minted(t)
	m.err = errors.New("boom")
	take := func(ctx context.Context) error { return s.Take(ctx, tok.ID) }
	if err := m.inTx(t.Context(), take); !errors.Is(err, m.err) {
		t.Errorf("Take = %v, want boom", err)
	}
}

// TestTakeConcurrently: of 200 launches at once with a limit of 3, three get
// through; then a run ends, and of 200 more one does.
func TestTakeConcurrently(t *testing.T) {
	s, m, _, tok, _ := minted(t)
	launchAll := func() (launched int64) {
		var n atomic.Int64
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				err := m.inTx(t.Context(), func(ctx context.Context) error {
					if err := s.Take(ctx, tok.ID); err != nil {
						return err
					}
					m.addRun(tok.ID)
					return nil
				})
				if err == nil {
					n.Add(1)
				} else if !fault.Is(err, fault.BudgetExceeded) {
					t.Errorf("Take = %v, want budget_exceeded", err)
				}
			})
		}
		wg.Wait()
		return n.Load()
	}
	if got := launchAll(); got != 3 {
		t.Errorf("launched %d of 200, want 3", got)
	}
	m.runs[tok.ID]--
	if got := launchAll(); got != 1 {
		t.Errorf("launched %d of 200 after a run ended, want 1", got)
	}
}

// TestTakeGivesTheDay: the store counts from midnight UTC.
func TestTakeGivesTheDay(t *testing.T) {
	s, m, h, tok, _ := minted(t)
	spy := &daySpy{memory: m}
	s.Store = spy
	h.forward(3*time.Hour + 59*time.Minute)
	if _, err := s.Budget(t.Context(), tok.ID); err != nil {
		t.Fatal(err)
	}
	h.forward(time.Minute)
	if _, err := s.Budget(t.Context(), tok.ID); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(spy.days), "[2026-01-02T00:00:00.000Z 2026-01-03T00:00:00.000Z]"; got != want {
		t.Errorf("days = %s, want %s", got, want)
	}
}

type daySpy struct {
	*memory
	days []clock.Time
}

func (d *daySpy) Usage(ctx context.Context, id string, day clock.Time) (Usage, error) {
	d.days = append(d.days, day)
	return d.memory.Usage(ctx, id, day)
}
