package people

import (
	"context"

	"ambit/internal/fault"
)

// ChangePassword checks the present password and the new one; its commit sets
// the new one and ends the person's other sessions. A person who has no
// password yet came by a sign-in link, and sets the first one in that session:
// present is then not looked at.
// Faults: invalid (current_password, new_password); conflict if the account
// changed meanwhile; rate_limited; unavailable.
func (s *Service) ChangePassword(ctx context.Context, session Session, present, next string) (Commit[Person], error) {
	p, err := s.Store.Person(ctx, session.Person)
	if err != nil {
		return nil, err
	}
	var w wrong
	w.password("new_password", next, p.Email)
	if err := fault.InvalidFields(w); err != nil {
		return nil, err
	}
	if p.PasswordHash != "" {
		if err := s.confirm(ctx, session, p, "current_password", present); err != nil {
			return nil, err
		}
	}
	hashed, err := s.Hasher.Hash(ctx, next)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (Person, error) { return s.setPassword(ctx, p, hashed, session.ID) }, nil
}

func (s *Service) setPassword(ctx context.Context, seen Person, hashed, keep string) (Person, error) {
	if err := s.Store.LockPeople(ctx); err != nil {
		return Person{}, err
	}
	p, err := s.unchanged(ctx, seen)
	if err != nil {
		return Person{}, err
	}
	p.PasswordHash = hashed
	if err := s.Store.UpdatePerson(ctx, p); err != nil {
		return Person{}, err
	}
	return p, s.Store.DeleteSessions(ctx, p.ID, keep)
}

// confirm checks the password of a person who is signed in. A stolen session
// gets no more guesses than a stranger.
func (s *Service) confirm(ctx context.Context, session Session, p Person, field, password string) error {
	forgive, err := s.attempt(ctx, accountKey(p.Email), addressKey(session.Address))
	if err != nil {
		return err
	}
	ok, err := s.Hasher.Matches(ctx, p.PasswordHash, password)
	if err == nil && !ok {
		return fault.InvalidFields([]fault.Field{{Path: field, Rule: "must be your present password"}})
	}
	forgive()
	return err
}
