package api

import (
	"context"
	"reflect"

	"ambit/internal/fault"
	"ambit/scopes"
)

// bind finds the workspace of a call and refuses one outside the caller's. An
// absent thing and one in a foreign workspace are answered alike.
func (s *Server) bind(ctx context.Context, r *request) error {
	for _, value := range r.call.params {
		if !scopes.ValidID(value) {
			return errAbsent("thing")
		}
	}
	workspace, kind, err := s.workspaceOf(ctx, r)
	if err != nil {
		return err
	}
	switch r.route.Bound {
	case scopes.BoundAll, scopes.BoundNone:
		return nil
	case scopes.BoundPath, scopes.BoundBody, scopes.BoundEntity:
	default:
		return errAbsent("thing") // a row that does not say is closed
	}
	if !r.call.Caller.In(workspace) {
		return errAbsent(kind)
	}
	r.call.Workspace = workspace
	return s.bindBody(ctx, r)
}

// workspaceOf returns the workspace that a request names, and what names it.
func (s *Server) workspaceOf(ctx context.Context, r *request) (workspace, kind string, err error) {
	switch r.route.Bound {
	case scopes.BoundPath:
		return s.existing(ctx, r, r.call.params["ws"])
	case scopes.BoundBody:
		field := reflect.ValueOf(r.in).Elem().FieldByIndex(workspaceField(r.end.in))
		if field.String() == "" {
			return "", "", fault.InvalidFields([]fault.Field{{Path: "workspace_id", Rule: "is required"}})
		}
		return s.existing(ctx, r, field.String())
	case scopes.BoundEntity:
		r.call.Did(r.route.Entity, r.call.params["id"])
		workspace, err = s.Directory.WorkspaceOf(ctx, r.route.Entity, r.call.params["id"])
		if fault.Is(err, fault.NotFound) {
			err = errAbsent(r.route.Entity)
		}
		return workspace, r.route.Entity, err
	}
	return "", "", nil
}

// existing returns the workspace that a request names if it can be the caller's.
// Who is bound to named workspaces is bound to ones that exist; who may be
// everywhere is asked whether there is such a one.
func (s *Server) existing(ctx context.Context, r *request, id string) (workspace, kind string, err error) {
	if !scopes.ValidID(id) {
		return "", "", errAbsent("workspace")
	}
	if !r.call.Caller.Everywhere {
		return id, "workspace", nil
	}
	w, err := s.Workspaces.Get(ctx, id)
	if fault.Is(err, fault.NotFound) {
		err = errAbsent("workspace")
	}
	return w.ID, "workspace", err
}

// bindBody refuses ids in the body of things outside the call's workspace.
func (s *Server) bindBody(ctx context.Context, r *request) error {
	v := reflect.ValueOf(r.in).Elem()
	for _, id := range r.end.ids {
		value := v.FieldByIndex(id.field).String()
		if value == "" {
			continue // the handler says whether it is required
		}
		if !scopes.ValidID(value) {
			return errAbsent(id.kind)
		}
		workspace, err := s.Directory.WorkspaceOf(ctx, id.kind, value)
		if fault.Is(err, fault.NotFound) || err == nil && workspace != r.call.Workspace {
			return errAbsent(id.kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
