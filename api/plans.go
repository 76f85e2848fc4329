package api

import (
	"context"

	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/plans"
)

func (s *Server) listPlans(ctx context.Context, call *Call, in listing) (page.List[plans.View], error) {
	p, err := page.Parse(in.Limit, in.Cursor)
	if err != nil {
		return page.List[plans.View]{}, err
	}
	return s.Plans.List(ctx, call.Workspace, p)
}

func (s *Server) getPlan(ctx context.Context, call *Call, _ none) (plans.View, error) {
	return s.Plans.Get(ctx, call.Workspace, call.Param("id"))
}

func (s *Server) preparePlan(ctx context.Context, call *Call, in plans.Request) (plans.Draft, error) {
	return s.Plans.Prepare(ctx, call.Workspace, in)
}

func (s *Server) createPlan(ctx context.Context, call *Call, _ plans.Request, d plans.Draft) (plans.View, error) {
	v, err := s.Plans.Create(ctx, d, call.origin())
	call.Did("plan", v.ID)
	return v, err
}

// origin is where a plan comes from.
func (c *Call) origin() plans.Origin {
	return plans.Origin{Principal: c.Caller.Principal(), Token: c.token.ID, ActsFor: c.Caller.ActsFor, Tool: c.Tool, Host: c.Host}
}

func (s *Server) cancelPlan(ctx context.Context, call *Call, _ none) (plans.View, error) {
	return s.Plans.Cancel(ctx, call.Workspace, call.Param("id"))
}

type launchRequest struct {
	Hash string `json:"hash,omitempty" doc:"The plan's hash as you saw it; another one is refused."`
}

type launched struct {
	RunID string `json:"run_id"`
}

func (s *Server) launchPlan(ctx context.Context, call *Call, in launchRequest) (launched, error) {
	run, err := s.Runs.Launch(ctx, call.Workspace, call.Param("id"), in.Hash, call.Caller)
	call.detail = "run " + run.ID
	return launched{RunID: run.ID}, err
}

func (s *Server) deletePlan(ctx context.Context, call *Call, in deleteRequest) (none, error) {
	if err := in.check(call.Param("id")); err != nil {
		return none{}, err
	}
	return none{}, s.Plans.Delete(ctx, call.Workspace, call.Param("id"))
}

// check compares what was typed with what stands on the page.
func (in deleteRequest) check(name string) error {
	if in.Confirm == name {
		return nil
	}
	return fault.New(fault.ConfirmMismatch, "What was typed in \"confirm\" is not the name of what would be deleted.").
		WithFix("Type it exactly as it is shown.")
}
