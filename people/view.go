package people

import "ambit/internal/clock"

// View is a person as it is shown: without the password's hash.
type View struct {
	ID          string     `json:"id"`
	Email       string     `json:"email"`
	Name        string     `json:"name"`
	Role        string     `json:"role"`
	Workspaces  []string   `json:"workspace_ids"` // an admin belongs to all, whatever is here
	HasPassword bool       `json:"has_password"`
	CreatedAt   clock.Time `json:"created_at"`
	DisabledAt  clock.Time `json:"disabled_at"` // null: enabled
}

// View returns what may be shown of the person.
func (p Person) View() View {
	workspaces := p.Workspaces
	if workspaces == nil {
		workspaces = []string{}
	}
	return View{
		ID: p.ID, Email: p.Email, Name: p.Name, Role: p.Role.String(), Workspaces: workspaces,
		HasPassword: p.PasswordHash != "", CreatedAt: p.CreatedAt, DisabledAt: p.DisabledAt,
	}
}

// SessionView is a session as its person sees it: without the cookie's hash.
type SessionView struct {
	ID         string     `json:"id"`
	CreatedAt  clock.Time `json:"created_at"`
	LastSeenAt clock.Time `json:"last_seen_at"` // exact to a minute
	ExpiresAt  clock.Time `json:"expires_at"`   // if it is used until then
	Agent      string     `json:"agent"`        // the browser, as it calls itself
	Address    string     `json:"address"`
	Current    bool       `json:"current"` // the one that asks
}

// View returns what may be shown of the session; current is the id of the one that asks.
func (s Session) View(current string) SessionView {
	return SessionView{
		ID: s.ID, CreatedAt: s.CreatedAt, LastSeenAt: s.LastSeenAt, ExpiresAt: s.endsAt(),
		Agent: s.Agent, Address: s.Address, Current: s.ID == current,
	}
}
