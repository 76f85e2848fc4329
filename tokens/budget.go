package tokens

import (
	"context"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
)

// BudgetView is what a token may spend and has spent, in runs.
type BudgetView struct {
	Concurrent Spent `json:"concurrent"`
	Daily      Daily `json:"daily"`
}

// Spent is a limit and what is in use of it.
type Spent struct {
	Limit int `json:"limit"`
	Used  int `json:"used"`
}

// Daily is a limit of a day, which starts at 00:00 UTC.
type Daily struct {
	Spent
	ResetsAt clock.Time `json:"resets_at"`
}

// Budget returns the token's budget. Faults: not_found.
func (s *Service) Budget(ctx context.Context, id string) (BudgetView, error) {
	t, err := s.Store.Token(ctx, id)
	if err != nil {
		return BudgetView{}, err
	}
	day := s.Now().Day()
	u, err := s.Store.Usage(ctx, id, day)
	if err != nil {
		return BudgetView{}, err
	}
	return budget(t, u, day), nil
}

// Take makes sure that the token may make one more run. It belongs into the
// transaction that makes the run: the token stays locked until that ends, so of
// many that try at once no more get through than the limits allow. What is
// counted are the runs themselves: nothing has to be given back.
// Faults: budget_exceeded; unauthenticated if the token was revoked or expired
// since it was verified.
func (s *Service) Take(ctx context.Context, id string) error {
	now := s.Now()
	t, u, err := s.Store.LockUsage(ctx, id, now.Day())
	if err != nil {
		return err
	}
	if !t.liveAt(now) {
		return refusal()
	}
	return budget(t, u, now.Day()).exceeded(now)
}

func budget(t Token, u Usage, day clock.Time) BudgetView {
	return BudgetView{
		Concurrent: Spent{Limit: t.MaxConcurrent, Used: u.Concurrent},
		Daily:      Daily{Spent: Spent{Limit: t.MaxDaily, Used: u.Today}, ResetsAt: day.Add(24 * time.Hour)},
	}
}

// exceeded says which limit is used up. The day's comes first: a run that ends
// would not help.
func (b BudgetView) exceeded(now clock.Time) error {
	switch {
	case b.Daily.Used >= b.Daily.Limit:
		f := fault.New(fault.BudgetExceeded, "This token may make %d runs a day and has made %d today; the day ends at %s.",
			b.Daily.Limit, b.Daily.Used, b.Daily.ResetsAt).
			WithFix("Wait until %s, or ask an admin for a token with a higher max_daily.", b.Daily.ResetsAt)
		f.RetryAfter = b.Daily.ResetsAt.Sub(now)
		return describe(f, "daily", b.Daily.Spent).With("resets_at", b.Daily.ResetsAt)
	case b.Concurrent.Used >= b.Concurrent.Limit:
		f := fault.New(fault.BudgetExceeded, "This token may have %d runs at the same time and has %d queued or running; a place is free when one of them ends.",
			b.Concurrent.Limit, b.Concurrent.Used).
			WithFix("Wait for a run to end or abort one, or ask an admin for a token with a higher max_concurrent.")
		return describe(f, "concurrent", b.Concurrent)
	}
	return nil
}

func describe(f *fault.Fault, name string, s Spent) *fault.Fault {
	return f.With("limit", name).With("allowed", s.Limit).With("used", s.Used)
}
