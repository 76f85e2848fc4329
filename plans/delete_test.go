package plans

import (
	"context"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/fault"
)

// contested is a store with one plan, for which rival acts right before the
// store moves it: what another transaction has committed by then.
type contested struct {
	Store
	plan  Plan
	rival func(*Plan)
}

func (c *contested) Plan(context.Context, string, string) (Plan, error) { return c.plan, nil }

func (c *contested) MovePlan(_ context.Context, _, _ string, from, to State, _ string) (bool, error) {
	c.rival(&c.plan)
	moved := c.plan.State == from
	if moved {
		c.plan.State = to
	}
	return moved, nil
}

func (c *contested) DeletePlan(_ context.Context, _, _ string, at clock.Time) error {
	c.rival(&c.plan)
	c.plan.DeletedAt = at
	return nil
}

// A plan is deleted or launched, never both: its run would have no plan.
func TestDeleteAgainstLaunch(t *testing.T) {
	launch := func(p *Plan) {
		if p.State == Ready {
			p.State, p.Run = Launched, "run_1"
		}
	}
	tests := []struct {
		name    string
		state   State
		rival   func(*Plan)
		code    fault.Code
		deleted bool
	}{
		{"nobody else", Ready, func(*Plan) {}, "", true},
		{"launched long ago", Launched, func(*Plan) {}, fault.InUse, false},
		{"launched at the same time", Ready, launch, fault.InUse, false},
		{"cancelled", Cancelled, launch, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &contested{plan: Plan{ID: "pl_1", State: tt.state}, rival: tt.rival}
			s := &Service{Store: c, Now: func() clock.Time { return 7 }}
			err := s.Delete(t.Context(), "ws_1", "pl_1")
			if fault.CodeOf(err) != tt.code || (c.plan.DeletedAt != 0) != tt.deleted {
				t.Errorf("Delete = %v, plan %+v; want code %q, deleted %v", err, c.plan, tt.code, tt.deleted)
			}
		})
	}
}
