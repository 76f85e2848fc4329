package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"ambit/audit"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/limits"
	"ambit/scopes"
)

type auditRequest struct {
	Principal string `query:"principal"`
	Workspace string `query:"workspace_id"`
	Route     string `query:"route"`
	Tool      string `query:"tool"`
	Outcome   string `query:"outcome"`
	Entity    string `query:"entity"`
	From      string `query:"from" doc:"RFC 3339."`
	To        string `query:"to" doc:"RFC 3339."`
	Before    int64  `query:"before" doc:"Records before this seq; default the newest."`
	Limit     int    `query:"limit" doc:"1 to 1,000; default 100."`
}

type auditPage struct {
	Items      []audit.Entry `json:"items"` // newest first
	NextBefore int64         `json:"next_before,omitempty"`
}

// listAudit shows records of the caller's workspaces; who may see every
// workspace sees what belongs to none too.
func (s *Server) listAudit(ctx context.Context, call *Call, in auditRequest) (auditPage, error) {
	f, err := in.filter(call.Caller)
	if err != nil {
		return auditPage{}, err
	}
	items, err := s.Audit.Entries(ctx, f)
	out := auditPage{Items: items}
	if items == nil {
		out.Items = []audit.Entry{}
	}
	if len(items) == f.Limit {
		out.NextBefore = items[len(items)-1].Seq
	}
	return out, err
}

func (in auditRequest) filter(c scopes.Caller) (audit.Filter, error) {
	f := audit.Filter{
		Principal: in.Principal, Route: in.Route, Tool: in.Tool, Outcome: in.Outcome, Entity: in.Entity,
		After: in.Before, Limit: in.Limit,
	}
	if f.Limit == 0 {
		f.Limit = 100
	}
	var wrong []fault.Field
	if f.Limit < 1 || f.Limit > 1000 {
		wrong = append(wrong, fault.Field{Path: "query.limit", Rule: "must be from 1 to 1,000"})
	}
	for _, t := range []struct {
		name, value string
		into        *clock.Time
	}{{"from", in.From, &f.From}, {"to", in.To, &f.To}} {
		if t.value == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, t.value)
		if err != nil {
			wrong = append(wrong, fault.Field{Path: "query." + t.name, Rule: "must be a time in RFC 3339"})
		}
		*t.into = clock.Of(at)
	}
	f.Workspaces = auditBounds(c, in.Workspace)
	return f, fault.InvalidFields(wrong)
}

// auditBounds returns the workspaces to show; nil shows all.
func auditBounds(c scopes.Caller, asked string) []string {
	switch {
	case asked != "" && c.In(asked):
		return []string{asked}
	case asked != "":
		return []string{}
	case c.Everywhere:
		return nil
	}
	return slices.Concat([]string{}, c.Workspaces)
}

// exportAudit streams every record as JSON Lines with OCSF's field names.
func (s *Server) exportAudit(ctx context.Context, _ *Call, _ none, w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Content-Disposition", `attachment; filename="audit.jsonl"`)
	enc := json.NewEncoder(w)
	return s.Audit.Walk(ctx, func(e audit.Entry) error { return enc.Encode(audit.OCSF(e)) })
}

type verification struct {
	Intact  bool   `json:"intact"`
	Records int64  `json:"records"`
	Head    string `json:"head_hash"`
	Problem string `json:"problem,omitempty"` // names the first bad record
}

// verifyAudit walks the chain, before the transaction that records that it was asked.
func (s *Server) verifyAudit(ctx context.Context, _ *Call, _ none) (verification, error) {
	head, err := audit.Check(ctx, s.Audit, s.AuditKey)
	out := verification{Intact: err == nil, Records: head.Seq, Head: head.Hash}
	if bad := (*audit.BadRecord)(nil); errors.As(err, &bad) {
		out.Problem, err = bad.Error(), nil
	}
	return out, err
}

func (s *Server) verified(_ context.Context, _ *Call, _ none, v verification) (verification, error) {
	return v, nil
}

// refusalReport is what the MCP layer refused, told with the caller's own token.
type refusalReport struct {
	Tool string `json:"tool" doc:"The tool that was called, at most 128 bytes."`
	Code string `json:"code" doc:"Why it was refused: one of the codes of problems."`
}

// refusalRate bounds how many reports one caller may add to the audit log.
var refusalRate = limits.Rate{Burst: 60, Per: time.Minute}

func (s *Server) reportRefusal(ctx context.Context, call *Call, in refusalReport) (none, error) {
	var wrong []fault.Field
	if in.Tool == "" || len(in.Tool) > 128 || in.Tool != claim(in.Tool) {
		wrong = append(wrong, fault.Field{Path: "tool", Rule: "must have 1 to 128 printable ASCII characters"})
	}
	if _, ok := fault.Codes()[fault.Code(in.Code)]; !ok {
		wrong = append(wrong, fault.Field{Path: "code", Rule: "must be a code of a problem"})
	}
	if err := fault.InvalidFields(wrong); err != nil {
		return none{}, err
	}
	ok, after := s.Limiter.Allow(ctx, "refusals:"+call.Caller.Principal(), refusalRate)
	if !ok {
		f := fault.New(fault.RateLimited, "Too many refusals were reported.")
		f.RetryAfter = after
		return none{}, f
	}
	e := audit.Entry{
		At: s.Now(), Principal: call.Caller.Principal(), ActsFor: call.Caller.ActsFor, Tool: in.Tool, Host: call.Host,
		Route: string(call.Route.ID), Outcome: in.Code, Detail: fmt.Sprintf("refused by the MCP layer: tool %s", in.Tool),
	}
	return none{}, s.Audit.Append(context.WithoutCancel(ctx), e)
}
