package api

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"ambit/evaluation"
	"ambit/internal/page"
	"ambit/models"
)

func (s *Server) registerModel(ctx context.Context, call *Call, in models.RegisterRequest) (models.Model, error) {
	m, err := s.Models.Register(ctx, call.Workspace, call.Param("id"), in, call.Caller.Principal())
	call.Did("model", m.ID)
	return m, err
}

func (s *Server) listModels(ctx context.Context, call *Call, in listing) (page.List[models.Model], error) {
	p, err := page.Parse(in.Limit, in.Cursor)
	if err != nil {
		return page.List[models.Model]{}, err
	}
	return s.Models.List(ctx, call.Workspace, p)
}

func (s *Server) getModel(ctx context.Context, call *Call, _ none) (models.Model, error) {
	return s.Models.Store.Model(ctx, call.Workspace, call.Param("id"))
}

func (s *Server) evaluation(ctx context.Context, call *Call, _ none) (evaluation.Evaluation, error) {
	raw, err := s.Models.Evaluation(ctx, call.Workspace, call.Param("id"))
	if err != nil {
		return evaluation.Evaluation{}, err
	}
	var e evaluation.Evaluation
	err = json.Unmarshal(raw, &e)
	return e, err
}

type scoreRequest struct {
	Rows []map[string]any `json:"rows" doc:"1 to 100 rows, each {column: value}."`
}

type scored struct {
	ModelID     string              `json:"model_id"`
	Status      models.Status       `json:"status"`
	Predictions []models.Prediction `json:"predictions"` // in the order of the rows
	Caveat      string              `json:"caveat"`
}

const scoreCaveat = "What the model answers, not a causal effect."

func (s *Server) score(ctx context.Context, call *Call, in scoreRequest) (scored, error) {
	m, err := s.Models.Store.Model(ctx, call.Workspace, call.Param("id"))
	if err != nil {
		return scored{}, err
	}
	p, err := s.Models.Score(ctx, call.Workspace, m.ID, in.Rows)
	return scored{ModelID: m.ID, Status: m.Status, Predictions: p, Caveat: scoreCaveat}, err
}

func (s *Server) promote(ctx context.Context, call *Call, in models.Confirm) (models.Model, error) {
	call.detail = reason(in.Reason)
	return s.Models.Promote(ctx, call.Workspace, call.Param("id"), in, call.Caller.Principal())
}

func (s *Server) deleteModel(ctx context.Context, call *Call, in models.Confirm) (none, error) {
	call.detail = reason(in.Reason)
	return none{}, s.Models.Delete(ctx, call.Workspace, call.Param("id"), in)
}

// maxReason bounds a person's reason in the audit log, in characters.
const maxReason = 500

// reason is what a person says of an act, for the audit log: in any language,
// without what would not be seen or would change how the rest is seen.
func reason(s string) string {
	seen := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s))
	return "reason: " + string(seen[:min(len(seen), maxReason)])
}
