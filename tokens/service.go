package tokens

import (
	"context"
	"crypto/subtle"
	"log/slog"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/limits"
	"ambit/internal/page"
	"ambit/scopes"
)

const (
	touchEvery   = time.Minute // how exact "last used" is
	touchTimeout = time.Second // how long a request waits for it to be written
)

// Service mints, verifies and revokes tokens. All fields but MaxAge are needed.
type Service struct {
	Store Store
	Now   clock.Clock
	Log   *slog.Logger

	// ActsFor returns the id of the enabled person whom ref names by id or
	// email; "" names the oldest admin. It fails with not_found.
	ActsFor func(ctx context.Context, ref string) (id string, err error)
	// MissingWorkspaces returns those of ids that name no workspace.
	MissingWorkspaces func(ctx context.Context, ids []string) ([]string, error)

	MaxAge time.Duration // the longest expiry; 0 is DefaultMaxAge

	touched limits.Gate
}

// Verify proves a bearer credential: the token alone, without "Bearer". What is
// malformed costs no look-up.
// Faults: unauthenticated, in the same words whatever is wrong; unavailable if
// the store cannot answer, since what is not known to be valid is not let in.
func (s *Service) Verify(ctx context.Context, bearer string) (scopes.Caller, Token, error) {
	id, ok := parse(bearer)
	if !ok {
		return scopes.Caller{}, Token{}, refusal()
	}
	t, err := s.Store.Token(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return scopes.Caller{}, Token{}, refusal()
	}
	if err != nil {
		return scopes.Caller{}, Token{}, unavailable(err)
	}
	now := s.Now()
	if subtle.ConstantTimeCompare([]byte(hash(bearer)), []byte(t.Hash)) != 1 || !t.liveAt(now) {
		return scopes.Caller{}, Token{}, refusal()
	}
	s.touch(ctx, t, now)
	return t.caller(), t, nil
}

// liveAt reports whether the token is neither revoked nor expired.
func (t Token) liveAt(now clock.Time) bool { return t.RevokedAt == 0 && now < t.ExpiresAt }

func (t Token) caller() scopes.Caller {
	return scopes.Caller{Kind: scopes.Token, ID: t.ID, Scope: t.Scope, Workspaces: t.Workspaces, ActsFor: t.ActsFor}
}

// touch notes the use, at most once a minute. It never fails the request, and
// a client that hangs up does not undo it.
func (s *Service) touch(ctx context.Context, t Token, now clock.Time) {
	if now.Sub(t.LastUsedAt) < touchEvery || !s.touched.Pass(t.ID, now, touchEvery) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), touchTimeout)
	defer cancel()
	if err := s.Store.TouchToken(ctx, t.ID, now); err != nil {
		s.Log.WarnContext(ctx, "last use of a token was not written", "token", t.ID, "err", err)
	}
}

// Revoke ends a token, now and for good; again changes nothing.
// Faults: not_found.
func (s *Service) Revoke(ctx context.Context, id string) (Token, error) {
	if _, err := s.Store.Token(ctx, id); err != nil {
		return Token{}, err
	}
	if err := s.Store.RevokeToken(ctx, id, s.Now()); err != nil {
		return Token{}, err
	}
	return s.Store.Token(ctx, id)
}

// RevokeActing revokes every token that acts for a person, in the caller's
// transaction: nobody answers for what it does any more. It returns how many.
func (s *Service) RevokeActing(ctx context.Context, person string) (revoked int, err error) {
	now := s.Now()
	for at := (page.Page{Limit: page.MaxLimit}); ; {
		found, err := s.Store.Tokens(ctx, at)
		if err != nil {
			return revoked, err
		}
		for _, t := range found[:min(len(found), at.Limit)] {
			if t.ActsFor != person || !t.liveAt(now) {
				continue
			}
			if err := s.Store.RevokeToken(ctx, t.ID, now); err != nil {
				return revoked, err
			}
			revoked++
		}
		if len(found) <= at.Limit {
			return revoked, nil
		}
		last := found[at.Limit-1]
		at.After = page.Cursor{At: last.CreatedAt, ID: last.ID}
	}
}

// Get returns a token. Faults: not_found.
func (s *Service) Get(ctx context.Context, id string) (Token, error) { return s.Store.Token(ctx, id) }

// List returns the newest tokens first, revoked and expired ones too.
func (s *Service) List(ctx context.Context, p page.Page) (page.List[View], error) {
	found, err := s.Store.Tokens(ctx, p)
	if err != nil {
		return page.List[View]{}, err
	}
	views := make([]View, len(found))
	for i, t := range found {
		views[i] = t.View()
	}
	return page.Cut(views, p.Limit, func(v View) page.Cursor { return page.Cursor{At: v.CreatedAt, ID: v.ID} }), nil
}

func refusal() error {
	return fault.New(fault.Unauthenticated, "The token is not valid: it is unknown, expired or revoked.").
		WithFix("Ask an admin for a new token, and send it as \"Authorization: Bearer amb_…\".")
}

func unavailable(err error) error {
	return fault.New(fault.Unavailable, "Tokens cannot be checked at the moment.").
		WithFix("Try again in a moment.").Because(err)
}
