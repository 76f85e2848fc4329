package people

import (
	"context"
	"strings"
	"time"

	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/scopes"
)

const (
	setupFor  = 30 * time.Minute
	signInFor = 15 * time.Minute
)

// SetupLink makes the secret of a one-time link, good for 30 minutes, that
// makes the first admin.
// Faults: conflict if there are people already.
func (s *Service) SetupLink(ctx context.Context) (secret string, err error) {
	if err := s.needNobody(ctx); err != nil {
		return "", err
	}
	return s.newLink(ctx, "", setupFor)
}

// SignInLink makes the secret of a one-time link, good for 15 minutes, that
// signs the person in.
// Faults: not_found if there is no such person, or it is disabled.
func (s *Service) SignInLink(ctx context.Context, person string) (secret string, err error) {
	p, err := s.Store.Person(ctx, person)
	if err != nil {
		return "", err
	}
	if p.DisabledAt != 0 {
		return "", fault.New(fault.NotFound, "The person is disabled.").WithFix("Enable the person first.")
	}
	return s.newLink(ctx, p.ID, signInFor)
}

func (s *Service) newLink(ctx context.Context, person string, life time.Duration) (secret string, err error) {
	secret = newSecret()
	return secret, s.Store.InsertLink(ctx, Link{Hash: hash(secret), Person: person, ExpiresAt: s.Now().Add(life)})
}

// SetupRequest describes the first admin.
type SetupRequest struct {
	Email    string
	Name     string // "" takes the email
	Password string
}

// Setup checks what the first admin is to be; its commit uses the link, makes
// the admin and begins a session, all or nothing.
// Faults: conflict if there are people already; unauthenticated for a link that
// is unknown, used or expired; invalid; rate_limited; unavailable.
func (s *Service) Setup(ctx context.Context, secret string, in SetupRequest, m Meta) (Commit[SignIn], error) {
	if err := s.needNobody(ctx); err != nil {
		return nil, err
	}
	if !wellFormed(secret) {
		return nil, badLink()
	}
	// Anybody may ask, and each hash is dear: it is counted like a wrong password.
	if _, err := s.attempt(ctx, addressKey(m.Address)); err != nil {
		return nil, err
	}
	admin, err := s.draft(ctx, AddRequest{Email: in.Email, Name: in.Name, Role: scopes.Admin, Password: in.Password}, true)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (SignIn, error) { return s.makeFirst(ctx, secret, admin, m) }, nil
}

func (s *Service) makeFirst(ctx context.Context, secret string, admin Person, m Meta) (SignIn, error) {
	if err := s.Store.LockPeople(ctx); err != nil {
		return SignIn{}, err
	}
	if err := s.needNobody(ctx); err != nil {
		return SignIn{}, err
	}
	if link, err := s.useLink(ctx, secret); err != nil || link.Person != "" {
		return SignIn{}, orBadLink(err)
	}
	if err := s.Store.InsertPerson(ctx, admin); err != nil {
		return SignIn{}, err
	}
	return s.begin(ctx, admin, m, true)
}

// needNobody fails with conflict if there are people.
func (s *Service) needNobody(ctx context.Context) error {
	n, err := s.Store.CountPeople(ctx)
	if err == nil && n > 0 {
		err = fault.New(fault.Conflict, "Ambit is set up already.").WithFix("Sign in, or ask an admin for a one-time sign-in link.")
	}
	return err
}

// UseLink signs in the person whom a sign-in link was made for, in the caller's
// transaction. A link proves no password: the person is not stepped up. A
// person without a password sets one first ([Service.ChangePassword]).
// Attempts are not counted: 256 random bits leave nothing to guess.
// Faults: unauthenticated for a link that is unknown, used or expired, or whose
// person is disabled.
func (s *Service) UseLink(ctx context.Context, secret string, m Meta) (SignIn, error) {
	link, err := s.useLink(ctx, secret)
	if err != nil || link.Person == "" {
		return SignIn{}, orBadLink(err)
	}
	p, err := s.Store.Person(ctx, link.Person)
	if fault.Is(err, fault.NotFound) || err == nil && p.DisabledAt != 0 {
		return SignIn{}, badLink()
	}
	if err != nil {
		return SignIn{}, err
	}
	return s.begin(ctx, p, m, false)
}

func (s *Service) useLink(ctx context.Context, secret string) (Link, error) {
	if !wellFormed(secret) {
		return Link{}, badLink()
	}
	link, err := s.Store.UseLink(ctx, hash(secret), s.Now())
	if fault.Is(err, fault.NotFound) {
		err = badLink()
	}
	return link, err
}

// orBadLink returns err, or that the link is of the wrong kind.
func orBadLink(err error) error {
	if err != nil {
		return err
	}
	return badLink()
}

func badLink() error {
	return fault.New(fault.Unauthenticated, "The link is unknown, was used already, or has expired.").
		WithFix("Ask for a new link: \"ambit person link\" makes one.")
}

// A secret is 43 random base62 characters, 256 bits: a cookie's value or a link's.
const secretLen = 43

func newSecret() string { return ids.Random(secretLen) }

// wellFormed reports whether s may be a secret of ours; others cost no look-up.
func wellFormed(s string) bool {
	return len(s) == secretLen && !strings.ContainsFunc(s, func(r rune) bool {
		return !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
	})
}
