// Package people keeps persons, their roles and their sessions.
package people

import (
	"context"

	"ambit/internal/clock"
	"ambit/internal/page"
	"ambit/scopes"
)

// Person is somebody who signs in.
type Person struct {
	ID           string
	Email        string // lower case, unique
	Name         string
	Role         scopes.Role
	Workspaces   []string // memberships; admins belong to all
	PasswordHash string   // argon2id in PHC form; empty: no password yet
	CreatedAt    clock.Time
	DisabledAt   clock.Time
}

// Session is a signed-in browser.
type Session struct {
	ID         string
	Hash       string // SHA-256 of the cookie's value, hex
	Person     string
	CreatedAt  clock.Time
	LastSeenAt clock.Time
	SteppedUp  clock.Time // when the person last confirmed who they are
	Agent      string     // the browser, as it calls itself
	Address    string
}

// Link is a one-time link: it makes the first admin, or signs a person in.
type Link struct {
	Hash      string // SHA-256 of the link's secret, hex
	Person    string // empty: it makes the first admin
	ExpiresAt clock.Time
	UsedAt    clock.Time
}

// Store keeps persons, sessions and links.
type Store interface {
	// InsertPerson fails with conflict if the email is taken.
	InsertPerson(ctx context.Context, p Person) error
	// Person and PersonByEmail fail with not_found if there is none.
	Person(ctx context.Context, id string) (Person, error)
	PersonByEmail(ctx context.Context, email string) (Person, error)
	// People reads one more than the page's limit, where there are more.
	People(ctx context.Context, p page.Page) ([]Person, error)
	UpdatePerson(ctx context.Context, p Person) error
	CountPeople(ctx context.Context) (int, error)
	// LockPeople keeps other transactions from adding or changing people until
	// this one ends: "the first person" and "the last admin" are then decided
	// once. A store with one writer has nothing to do.
	LockPeople(ctx context.Context) error
	// OldestAdmin returns the enabled admin who was there first; it fails with
	// not_found if there is none.
	OldestAdmin(ctx context.Context) (Person, error)

	InsertSession(ctx context.Context, s Session) error
	// SessionByHash fails with not_found if there is none.
	SessionByHash(ctx context.Context, hash string) (Session, error)
	// Sessions returns those of a person, expired ones too, newest first.
	Sessions(ctx context.Context, person string) ([]Session, error)
	TouchSession(ctx context.Context, id string, seen clock.Time) error
	StepUpSession(ctx context.Context, id string, at clock.Time) error
	// DeleteSession removes a session of the person; none is no error.
	DeleteSession(ctx context.Context, person, id string) error
	// DeleteSessions removes all sessions of the person but one; except "" spares none.
	DeleteSessions(ctx context.Context, person, except string) error

	InsertLink(ctx context.Context, l Link) error
	// UseLink marks the link used and returns it; a link that is absent, used
	// or expired fails with not_found.
	UseLink(ctx context.Context, hash string, now clock.Time) (Link, error)
}
