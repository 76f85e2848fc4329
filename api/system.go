package api

import (
	"context"
	"encoding/json"

	"ambit/internal/fault"
)

type status struct {
	Status   string `json:"status"`
	Degraded bool   `json:"degraded,omitempty"`
}

// healthz says that the process answers, and nothing of the inside.
func (s *Server) healthz(context.Context, *Call, none) (status, error) {
	return status{Status: "ok"}, nil
}

// readyz says whether requests would be served.
func (s *Server) readyz(ctx context.Context, _ *Call, _ none) (status, error) {
	if err := s.Directory.Ping(ctx); err != nil {
		return status{}, fault.New(fault.Unavailable, "The database does not answer.").Because(err)
	}
	return status{Status: "ready", Degraded: s.Degraded != nil && s.Degraded()}, nil
}

func (s *Server) version(context.Context, *Call, none) (Version, error) { return s.Version, nil }

func (s *Server) openAPI(context.Context, *Call, none) (json.RawMessage, error) {
	return s.openapi, nil
}

func (s *Server) health(ctx context.Context, _ *Call, _ none) (any, error) { return s.Health(ctx), nil }

// contractRow is a route as its callers see it.
type contractRow struct {
	Route  string `json:"route"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Class  string `json:"class"`
	Role   string `json:"role,omitempty"`
	Bound  string `json:"bound"`
	Key    bool   `json:"key_required"`
	Budget bool   `json:"takes_a_run"`
}

type contract struct {
	Routes []contractRow `json:"routes"`
	Tools  any           `json:"tools"`
}

// contract shows what is in force: the served routes, and the tools over them.
func (s *Server) contract(context.Context, *Call, none) (contract, error) {
	out := contract{Tools: s.ToolContract}
	for _, r := range s.Routes {
		if r.Planned {
			continue
		}
		out.Routes = append(out.Routes, contractRow{
			Route: string(r.ID), Method: r.Method, Path: r.Path, Class: r.Class.String(), Role: r.Role.String(),
			Bound: r.Bound.String(), Key: r.NeedsKey(), Budget: r.Budgeted,
		})
	}
	return out, nil
}
