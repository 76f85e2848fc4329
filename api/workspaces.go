package api

import (
	"context"

	"ambit/brief"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/scopes"
	"ambit/tokens"
	"ambit/workspaces"
)

type workspaceList struct {
	Items []workspaces.Workspace `json:"items"`
}

// listWorkspaces returns those that the caller is bound to.
func (s *Server) listWorkspaces(ctx context.Context, call *Call, _ none) (workspaceList, error) {
	bounds := call.Caller.Workspaces
	switch {
	case call.Caller.Everywhere:
		bounds = nil
	case bounds == nil:
		bounds = []string{}
	}
	items, err := s.Workspaces.List(ctx, bounds)
	if items == nil {
		items = []workspaces.Workspace{}
	}
	return workspaceList{Items: items}, err
}

type workspaceRequest struct {
	Name string `json:"name" doc:"1 to 100 characters, new to the server."`
	Goal string `json:"goal,omitempty" doc:"What the work is for; at most 2 KiB."`
}

func (s *Server) createWorkspace(ctx context.Context, call *Call, in workspaceRequest) (workspaces.Workspace, error) {
	w, err := s.Workspaces.Create(ctx, in.Name, in.Goal, call.Caller.Principal())
	call.Did("workspace", w.ID)
	return w, err
}

func (s *Server) getWorkspace(ctx context.Context, call *Call, _ none) (workspaces.Workspace, error) {
	return s.Workspaces.Get(ctx, call.Workspace)
}

type briefRequest struct {
	Detail string `json:"detail,omitempty" enum:"short,full" doc:"Default short."`
	IfRev  string `json:"if_rev,omitempty" doc:"The rev you have; if it is still true the answer is only \"unchanged\"."`
}

func (s *Server) brief(ctx context.Context, call *Call, in briefRequest) (brief.Brief, error) {
	if in.Detail != "" && in.Detail != "short" && in.Detail != "full" {
		return brief.Brief{}, fault.InvalidFields([]fault.Field{{Path: "detail", Rule: "must be one of the valid values", Valid: []string{"short", "full"}}})
	}
	budget, err := s.budgetOf(ctx, call)
	if err != nil {
		return brief.Brief{}, err
	}
	return s.Brief.Make(ctx, call.Workspace, call.Caller, budget, brief.Options{Full: in.Detail == "full", IfRev: in.IfRev})
}

// budgetOf returns a token's budget, or nil for a caller without one.
func (s *Server) budgetOf(ctx context.Context, call *Call) (*tokens.BudgetView, error) {
	if call.Caller.Kind != scopes.Token {
		return nil, nil
	}
	b, err := s.Tokens.Budget(ctx, call.Caller.ID)
	return &b, err
}

type resourcesRequest struct {
	Kind   string `query:"kind" doc:"dataset, plan, run or model; default all."`
	Limit  int    `query:"limit"`
	Cursor string `query:"cursor"`
}

func (s *Server) resources(ctx context.Context, call *Call, in resourcesRequest) (page.List[brief.Item], error) {
	p, err := page.Parse(in.Limit, in.Cursor)
	if err != nil {
		return page.List[brief.Item]{}, err
	}
	return s.Brief.List(ctx, call.Workspace, in.Kind, p)
}

func (s *Server) resource(ctx context.Context, call *Call, _ none) (brief.Resource, error) {
	call.Did(call.Param("kind"), call.Param("id"))
	return s.Brief.Get(ctx, call.Workspace, call.Param("kind"), call.Param("id"))
}
