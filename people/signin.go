package people

import (
	"context"

	"ambit/internal/fault"
)

// SignIn is a session that has just begun. The cookie's value is shown this once.
type SignIn struct {
	Session Session
	Cookie  string
	Person  Person
}

// Meta is what a session remembers of the browser.
type Meta struct {
	Agent   string // as it calls itself; untrusted
	Address string // IP address of the client
}

// Login checks an email and a password; its commit begins a session. Having
// just given a password, the person counts as stepped up.
// Faults: unauthenticated, in the same words and at the same cost for a wrong
// password and an account that is unknown, disabled or without a password;
// rate_limited; unavailable.
func (s *Service) Login(ctx context.Context, email, password string, m Meta) (Commit[SignIn], error) {
	forgive, err := s.attempt(ctx, accountKey(email), addressKey(m.Address))
	if err != nil {
		return nil, err
	}
	p, ok, err := s.match(ctx, email, password)
	if err != nil {
		forgive()
		return nil, err
	}
	if !ok {
		return nil, wrongCredentials()
	}
	forgive()
	return func(ctx context.Context) (SignIn, error) {
		p, err := s.unchanged(ctx, p)
		if err != nil {
			return SignIn{}, err
		}
		return s.begin(ctx, p, m, true)
	}, nil
}

// match returns the enabled person with that email and password, and whether
// there is one.
func (s *Service) match(ctx context.Context, email, password string) (Person, bool, error) {
	p, err := s.Store.PersonByEmail(ctx, normalEmail(email))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Person{}, false, unavailable(err)
	}
	ok, err := s.Hasher.Matches(ctx, p.PasswordHash, password)
	return p, ok && p.DisabledAt == 0, err
}

func wrongCredentials() error {
	return fault.New(fault.Unauthenticated, "The email or the password is wrong.").
		WithFix("Try again; an admin can make you a one-time sign-in link.")
}

func unavailable(err error) error {
	return fault.New(fault.Unavailable, "Sign-ins cannot be checked at the moment.").
		WithFix("Try again in a moment.").Because(err)
}
