package tokens

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ambit/internal/fault"
	"ambit/scopes"
)

// What a token has if nobody says otherwise, and how far one may go.
const (
	DefaultConcurrent = 3
	DefaultDaily      = 50
	DefaultExpiry     = 30 * 24 * time.Hour
	DefaultMaxAge     = 365 * 24 * time.Hour

	maxConcurrent = 100
	maxDaily      = 10_000
	minExpiry     = time.Minute
	maxName       = 100 // characters
	maxWorkspaces = 1_000
)

// MintRequest asks for a token. What is nil takes its default.
type MintRequest struct {
	Name          string
	Scope         scopes.Scope
	Workspaces    []string       // ids, at least one
	ActsFor       string         // a person's id or email; "" is the oldest admin
	MaxConcurrent *int           // runs at the same time, 1 to 100
	MaxDaily      *int           // runs a day (UTC), 1 to 10,000
	Expires       *time.Duration // from now, 1 minute to the service's MaxAge
}

// Mint makes a token for the principal by. The secret is the whole token: this
// is the only time that anybody sees it.
// Faults: invalid, with every field that is wrong; unavailable.
func (s *Service) Mint(ctx context.Context, in MintRequest, by string) (t Token, secret string, err error) {
	in.Name = strings.TrimSpace(in.Name)
	actsFor, wrong, err := s.check(ctx, in)
	if err != nil {
		return Token{}, "", err
	}
	if err := fault.InvalidFields(wrong); err != nil {
		return Token{}, "", err
	}
	id, secret := newSecret()
	now := s.Now()
	t = Token{
		ID: id, Name: in.Name, Hash: hash(secret), Scope: in.Scope, Workspaces: unique(in.Workspaces), ActsFor: actsFor,
		MaxConcurrent: or(in.MaxConcurrent, DefaultConcurrent), MaxDaily: or(in.MaxDaily, DefaultDaily),
		CreatedAt: now, CreatedBy: by, ExpiresAt: now.Add(or(in.Expires, min(DefaultExpiry, s.maxAge()))),
	}
	if err := s.Store.InsertToken(ctx, t); err != nil {
		return Token{}, "", err
	}
	return t, secret, nil
}

// check returns the person whom the token acts for, and every field that is wrong.
func (s *Service) check(ctx context.Context, in MintRequest) (actsFor string, wrong []fault.Field, err error) {
	wrong = s.checkValues(in)
	missing, err := s.checkWorkspaces(ctx, in.Workspaces)
	if err != nil {
		return "", nil, err
	}
	wrong = append(wrong, missing...)
	actsFor, err = s.ActsFor(ctx, in.ActsFor)
	if fault.Is(err, fault.NotFound) {
		wrong, err = append(wrong, fault.Field{Path: "acts_for", Rule: "must be the id or the email of an enabled person"}), nil
	}
	return actsFor, wrong, err
}

func (s *Service) checkValues(in MintRequest) (wrong []fault.Field) {
	need := func(ok bool, path, rule string, valid ...string) {
		if !ok {
			wrong = append(wrong, fault.Field{Path: path, Rule: rule, Valid: valid})
		}
	}
	expires := or(in.Expires, minExpiry)
	need(in.Name != "" && utf8.RuneCountInString(in.Name) <= maxName && !strings.ContainsFunc(in.Name, unseen), "name",
		"must have 1 to 100 printable characters")
	need(scopes.ParseScope(in.Scope.String()) != scopes.NoScope, "scope", "must be a scope",
		scopes.Read.String(), scopes.Compute.String(), scopes.Builder.String())
	need(between(in.MaxConcurrent, 1, maxConcurrent), "max_concurrent", "must be from 1 to 100")
	need(between(in.MaxDaily, 1, maxDaily), "max_daily", "must be from 1 to 10,000")
	need(expires >= minExpiry && expires <= s.maxAge(), "expires",
		fmt.Sprintf("must be from 1 minute to %g days", s.maxAge().Hours()/24))
	return wrong
}

// checkWorkspaces names the workspaces that do not exist by their place in the list.
func (s *Service) checkWorkspaces(ctx context.Context, ids []string) (wrong []fault.Field, err error) {
	if len(ids) == 0 || len(ids) > maxWorkspaces {
		return []fault.Field{{Path: "workspace_ids", Rule: "must name 1 to 1,000 workspaces"}}, nil
	}
	missing, err := s.MissingWorkspaces(ctx, ids)
	for i, id := range ids {
		if slices.Contains(missing, id) {
			wrong = append(wrong, fault.Field{Path: fmt.Sprintf("workspace_ids[%d]", i), Rule: "must be the id of a workspace"})
		}
	}
	return wrong, err
}

// unseen reports whether a character of a name would not be seen, or would
// change how others are seen.
func unseen(r rune) bool { return !unicode.IsPrint(r) }

func (s *Service) maxAge() time.Duration {
	if s.MaxAge > 0 {
		return s.MaxAge
	}
	return DefaultMaxAge
}

// or returns what p points to, or the default.
func or[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// between reports whether p is left out or from low to high.
func between(p *int, low, high int) bool { return p == nil || *p >= low && *p <= high }

// unique returns the ids in order, each once.
func unique(ids []string) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
