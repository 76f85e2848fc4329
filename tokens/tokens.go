// Package tokens mints, verifies and revokes the bearer tokens that agents
// hold, and keeps their run budgets.
package tokens

import (
	"context"

	"ambit/internal/clock"
	"ambit/internal/page"
	"ambit/scopes"
)

// Token is what Ambit knows of a token. The secret is not part of it.
type Token struct {
	ID            string
	Name          string
	Hash          string // SHA-256 of the whole token, hex
	Scope         scopes.Scope
	Workspaces    []string
	ActsFor       string // person id
	MaxConcurrent int    // runs at the same time
	MaxDaily      int    // runs a day, UTC
	CreatedAt     clock.Time
	CreatedBy     string // principal
	ExpiresAt     clock.Time
	RevokedAt     clock.Time
	LastUsedAt    clock.Time
}

// Usage is what a token has spent.
type Usage struct {
	Concurrent int // runs queued or running
	Today      int // runs made since the start of the day, UTC
}

// Store keeps tokens.
type Store interface {
	InsertToken(ctx context.Context, t Token) error
	// Token fails with not_found if there is none.
	Token(ctx context.Context, id string) (Token, error)
	// Tokens reads one more than the page's limit, where there are more.
	Tokens(ctx context.Context, p page.Page) ([]Token, error)
	// RevokeToken sets the moment once; a later call changes nothing.
	RevokeToken(ctx context.Context, id string, at clock.Time) error
	TouchToken(ctx context.Context, id string, at clock.Time) error
	// LockUsage locks the token until the transaction ends and counts its runs.
	LockUsage(ctx context.Context, id string, day clock.Time) (Token, Usage, error)
	// Usage counts without locking.
	Usage(ctx context.Context, id string, day clock.Time) (Usage, error)
}
