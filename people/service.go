package people

import (
	"context"
	"log/slog"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/limits"
)

// Service signs people in and keeps who they are. All fields are needed.
//
// Hashing a password takes a good part of a second, and nothing slow runs
// inside a transaction. So what needs a hash has two halves: the method checks
// and hashes, and returns a [Commit] that writes. Methods without one are fast,
// and run whole in the caller's transaction.
type Service struct {
	Store   Store
	Now     clock.Clock
	Log     *slog.Logger
	Hasher  *Hasher
	Limiter limits.Limiter // of failed attempts

	// MissingWorkspaces returns those of ids that name no workspace.
	MissingWorkspaces func(ctx context.Context, ids []string) ([]string, error)

	touched limits.Gate
}

// Commit is the fast half of a change: it writes, in the caller's transaction.
// It looks again at what the slow half relied on.
type Commit[T any] func(ctx context.Context) (T, error)

// unchanged returns the person as it is now, if it is enabled and has the
// password that was checked a moment ago.
func (s *Service) unchanged(ctx context.Context, seen Person) (Person, error) {
	now, err := s.Store.Person(ctx, seen.ID)
	if err != nil {
		return Person{}, err
	}
	if now.DisabledAt != 0 || now.PasswordHash != seen.PasswordHash {
		return Person{}, fault.New(fault.Conflict, "This account has just been changed.").WithFix("Sign in again.")
	}
	return now, nil
}
