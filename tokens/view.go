package tokens

import "ambit/internal/clock"

// View is a token as it is shown: without its hash.
type View struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Scope         string     `json:"scope"`
	Workspaces    []string   `json:"workspace_ids"`
	ActsFor       string     `json:"acts_for"`       // person id
	MaxConcurrent int        `json:"max_concurrent"` // runs at the same time
	MaxDaily      int        `json:"max_daily"`      // runs a day, UTC
	CreatedAt     clock.Time `json:"created_at"`
	CreatedBy     string     `json:"created_by"` // principal
	ExpiresAt     clock.Time `json:"expires_at"`
	RevokedAt     clock.Time `json:"revoked_at"`   // null: not revoked
	LastUsedAt    clock.Time `json:"last_used_at"` // null: never; exact to a minute
}

// View returns what may be shown of the token.
func (t Token) View() View {
	workspaces := t.Workspaces
	if workspaces == nil {
		workspaces = []string{}
	}
	return View{
		ID: t.ID, Name: t.Name, Scope: t.Scope.String(), Workspaces: workspaces, ActsFor: t.ActsFor,
		MaxConcurrent: t.MaxConcurrent, MaxDaily: t.MaxDaily, CreatedAt: t.CreatedAt, CreatedBy: t.CreatedBy,
		ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt, LastUsedAt: t.LastUsedAt,
	}
}
