package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/scopes"
)

const (
	maxIdle      = 12 * time.Hour
	maxLife      = 7 * 24 * time.Hour
	freshFor     = 5 * time.Minute // how long a step-up counts
	touchEvery   = time.Minute     // how exact "last seen" is
	touchTimeout = time.Second     // how long a request waits for it to be written

	maxAgent   = 256 // bytes
	maxAddress = 64  // bytes
)

// begin makes a session of the person, and clears away its expired ones.
func (s *Service) begin(ctx context.Context, p Person, m Meta, steppedUp bool) (SignIn, error) {
	now, cookie := s.Now(), newSecret()
	session := Session{
		ID: ids.New("ses"), Hash: hash(cookie), Person: p.ID, CreatedAt: now, LastSeenAt: now,
		Agent: cut(m.Agent, maxAgent), Address: cut(m.Address, maxAddress),
	}
	if steppedUp {
		session.SteppedUp = now
	}
	if err := s.clearExpired(ctx, p.ID, now); err != nil {
		return SignIn{}, err
	}
	if err := s.Store.InsertSession(ctx, session); err != nil {
		return SignIn{}, err
	}
	return SignIn{Session: session, Cookie: cookie, Person: p}, nil
}

func (s *Service) clearExpired(ctx context.Context, person string, now clock.Time) error {
	all, err := s.Store.Sessions(ctx, person)
	for _, session := range all {
		if err == nil && !session.liveAt(now) {
			err = s.Store.DeleteSession(ctx, person, session.ID)
		}
	}
	return err
}

// VerifySession proves a session cookie. A session ends after 12 hours without
// use and after 7 days in any case.
// Faults: unauthenticated, in the same words whatever is wrong; unavailable if
// the store cannot answer.
func (s *Service) VerifySession(ctx context.Context, cookie string) (scopes.Caller, Person, Session, error) {
	if !wellFormed(cookie) {
		return scopes.Caller{}, Person{}, Session{}, signedOut()
	}
	now := s.Now()
	session, err := s.Store.SessionByHash(ctx, hash(cookie))
	if err == nil && !session.liveAt(now) {
		err = signedOut()
	}
	var p Person
	if err == nil {
		p, err = s.Store.Person(ctx, session.Person)
	}
	if err == nil && p.DisabledAt != 0 {
		err = signedOut()
	}
	if err != nil {
		return scopes.Caller{}, Person{}, Session{}, refusal(err)
	}
	s.touch(ctx, &session, now)
	return caller(p, session, now), p, session, nil
}

// refusal makes of any error one that lets nobody in and tells nothing.
func refusal(err error) error {
	switch fault.CodeOf(err) {
	case fault.Unauthenticated:
		return err
	case fault.NotFound:
		return signedOut()
	}
	return unavailable(err)
}

func signedOut() error {
	return fault.New(fault.Unauthenticated, "You are not signed in, or your session has ended.").WithFix("Sign in.")
}

func caller(p Person, s Session, now clock.Time) scopes.Caller {
	return scopes.Caller{
		Kind: scopes.Person, ID: p.ID, Role: p.Role, Workspaces: p.Workspaces,
		Everywhere: p.Role == scopes.Admin,
		SteppedUp:  s.SteppedUp != 0 && now.Sub(s.SteppedUp) < freshFor,
	}
}

func (s Session) liveAt(now clock.Time) bool {
	return now.Sub(s.LastSeenAt) < maxIdle && now < s.endsAt()
}

func (s Session) endsAt() clock.Time { return s.CreatedAt.Add(maxLife) }

// touch notes the use, at most once a minute. It never fails the request, and
// a client that hangs up does not undo it.
func (s *Service) touch(ctx context.Context, session *Session, now clock.Time) {
	if now.Sub(session.LastSeenAt) < touchEvery || !s.touched.Pass(session.ID, now, touchEvery) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), touchTimeout)
	defer cancel()
	if err := s.Store.TouchSession(ctx, session.ID, now); err != nil {
		s.Log.WarnContext(ctx, "last use of a session was not written", "session", session.ID, "err", err)
		return
	}
	session.LastSeenAt = now
}

// StepUp checks the password of the session's person; its commit makes the
// session stepped up for 5 minutes.
// Faults: invalid (password); conflict if the person has no password yet;
// rate_limited; unavailable.
func (s *Service) StepUp(ctx context.Context, session Session, password string) (Commit[clock.Time], error) {
	p, err := s.Store.Person(ctx, session.Person)
	if err != nil {
		return nil, err
	}
	if p.PasswordHash == "" {
		return nil, fault.New(fault.Conflict, "You have no password yet, so there is nothing to confirm with.").
			WithFix("POST a new password to /api/auth/password first, then confirm with it.").With("reason", "no_password")
	}
	if err := s.confirm(ctx, session, p, "password", password); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (until clock.Time, err error) {
		now := s.Now()
		return now.Add(freshFor), s.Store.StepUpSession(ctx, session.ID, now)
	}, nil
}

// Logout ends the session. One that is gone is no error.
func (s *Service) Logout(ctx context.Context, session Session) error {
	return s.Store.DeleteSession(ctx, session.Person, session.ID)
}

// Sessions returns the person's sessions that have not ended, newest first.
func (s *Service) Sessions(ctx context.Context, person string) ([]Session, error) {
	all, err := s.Store.Sessions(ctx, person)
	now := s.Now()
	return slices.DeleteFunc(all, func(session Session) bool { return !session.liveAt(now) }), err
}

// RevokeSession ends a session of the person. Another's, or none, is no error.
func (s *Service) RevokeSession(ctx context.Context, person, id string) error {
	return s.Store.DeleteSession(ctx, person, id)
}

// hash is what is stored in a secret's place: SHA-256, hex.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// cut makes s valid text of at most n bytes.
func cut(s string, n int) string {
	return strings.ToValidUTF8(s[:min(len(s), n)], "")
}
