package api

import (
	"context"
	"strconv"
	"strings"
	"time"

	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/scopes"
	"ambit/tokens"
)

type mintRequest struct {
	Name          string   `json:"name" doc:"What it is for."`
	Scope         string   `json:"scope" enum:"read,compute,builder"`
	Workspaces    []string `json:"workspace_ids" doc:"At least one."`
	ActsFor       string   `json:"acts_for,omitempty" doc:"A person's id or email; default the oldest admin."`
	MaxConcurrent *int     `json:"max_concurrent,omitempty" doc:"Runs at the same time; default 3."`
	MaxDaily      *int     `json:"max_daily,omitempty" doc:"Runs a day, UTC; default 50."`
	Expires       string   `json:"expires,omitempty" doc:"From now, such as 12h or 30d; default 30d."`
}

// minted is the only answer that carries a token's secret.
type minted struct {
	tokens.View
	Token      *string `json:"token"` // shown once: a replay does not know it
	SecretLost bool    `json:"secret_lost,omitempty"`
}

func (m minted) withoutSecret() any { return minted{View: m.View, SecretLost: true} }

func (s *Server) mintToken(ctx context.Context, call *Call, in mintRequest) (minted, error) {
	expires, err := parseExpiry(in.Expires)
	if err != nil {
		return minted{}, err
	}
	t, secret, err := s.Tokens.Mint(ctx, tokens.MintRequest{
		Name: in.Name, Scope: scopes.ParseScope(in.Scope), Workspaces: in.Workspaces, ActsFor: in.ActsFor,
		MaxConcurrent: in.MaxConcurrent, MaxDaily: in.MaxDaily, Expires: expires,
	}, call.Caller.Principal())
	call.Did("token", t.ID)
	return minted{View: t.View(), Token: &secret}, err
}

// parseExpiry reads 30d beside what Go calls a duration; empty is nil.
func parseExpiry(s string) (*time.Duration, error) {
	if s == "" {
		return nil, nil
	}
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, perr := strconv.Atoi(days)
		d, err = time.Duration(n)*24*time.Hour, perr
		if n > 36500 {
			d = 36500 * 24 * time.Hour
		}
	}
	if err != nil {
		return nil, fault.InvalidFields([]fault.Field{{Path: "expires", Rule: "must be a duration such as 12h or 30d"}})
	}
	return &d, nil
}

func (s *Server) listTokens(ctx context.Context, _ *Call, in listing) (page.List[tokens.View], error) {
	p, err := page.Parse(in.Limit, in.Cursor)
	if err != nil {
		return page.List[tokens.View]{}, err
	}
	return s.Tokens.List(ctx, p)
}

func (s *Server) revokeToken(ctx context.Context, call *Call, _ none) (tokens.View, error) {
	call.Did("token", call.Param("id"))
	t, err := s.Tokens.Revoke(ctx, call.Param("id"))
	return t.View(), err
}
