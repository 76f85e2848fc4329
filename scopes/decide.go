package scopes

import (
	"slices"

	"ambit/internal/fault"
)

// Kind is the kind of a caller. The zero value is nobody.
type Kind uint8

// Kinds of caller.
const (
	Nobody       Kind = iota
	Token             // an agent's bearer token
	Person            // a person's session
	CLI               // the host's operator
	AgentSession      // a person's agent session, for gates only
)

var kindNames = map[Kind]string{Token: "token", Person: "person", CLI: "cli", AgentSession: "agent_session"}

func (k Kind) String() string { return kindNames[k] }

// Caller is who calls, as proved by a credential. The zero value may do nothing.
type Caller struct {
	Kind       Kind
	ID         string
	Scope      Scope    // of a token
	Role       Role     // of a person
	Workspaces []string // the bounds; none means none
	Everywhere bool     // an admin or the host's operator: every workspace
	ActsFor    string   // the person whom a token acts for
	SteppedUp  bool     // a person who has just confirmed who they are
}

// Principal names the caller in records: "token:<id>", "person:<id>", "cli".
func (c Caller) Principal() string {
	if c.Kind == Nobody {
		return "nobody"
	}
	if c.ID == "" {
		return c.Kind.String()
	}
	return c.Kind.String() + ":" + c.ID
}

// In reports whether the workspace is inside the caller's bounds.
func (c Caller) In(workspace string) bool {
	return workspace != "" && (c.Everywhere || slices.Contains(c.Workspaces, workspace))
}

// Decide says whether the caller may call the route at all: nil, or the fault to
// answer. It does not look at workspaces, which [Caller.In] bounds.
func Decide(r Route, c Caller) error {
	if r.Class == ClassPublic || r.Class == ClassOwn {
		return nil
	}
	switch c.Kind {
	case Token:
		return decideToken(r, c)
	case Person:
		return decidePerson(r, c)
	case CLI:
		return decideCLI(r)
	case AgentSession:
		if r.Session {
			return nil
		}
		return fault.New(fault.ScopeForbidden, "An agent session answers gates and does nothing else.")
	}
	return fault.New(fault.Unauthenticated, "This needs a valid credential.").
		WithFix("Send a token as \"Authorization: Bearer amb_…\", or sign in.")
}

func decideToken(r Route, c Caller) error {
	ask, ok := asks[r.Class]
	if !ok {
		return humanOnly(r)
	}
	if c.Scope == NoScope || c.Scope < ask.scope {
		return fault.New(fault.ScopeForbidden, "This needs a token of scope %s; yours is %s.", ask.scope, c.Scope).
			WithFix("Ask an admin for a %s token.", ask.scope).With("needed", ask.scope.String())
	}
	return nil
}

// humanOnly names what an agent may do in place of a person's act, where there is such a thing.
func humanOnly(r Route) error {
	f := fault.New(fault.HumanOnly, "No token of any scope may do this: it is a person's, in the UI.")
	if r.ID == ModelPromote {
		return f.WithFix("Tell the person which model to promote and why; they decide in the UI.").With("instead", "promotion proposal")
	}
	return f.WithFix("Ask a person with the role %s to do it in the UI.", r.Role)
}

func decidePerson(r Route, c Caller) error {
	need := r.Role
	if ask, ok := asks[r.Class]; ok {
		need = ask.role
	}
	if need == NoRole || c.Role < need {
		return fault.New(fault.RoleForbidden, "This needs the role %s; yours is %s.", need, c.Role).
			WithFix("Ask an admin to do it or to raise your role.").With("needed", need.String())
	}
	if r.StepUp && !c.SteppedUp {
		return fault.New(fault.StepUpRequired, "This needs you to confirm who you are again.").
			WithFix("POST your password to /api/auth/step-up, then send this again within 5 minutes.")
	}
	return nil
}

// decideCLI opens GETs and the rows that say so; what a person must decide stays a person's.
func decideCLI(r Route) error {
	if r.CLI || r.Method == "GET" {
		return nil
	}
	return fault.New(fault.SessionRequired, "The host's operator may not do this: it is a person's, signed in to the UI.").
		WithFix("Sign in to the UI; \"ambit person link\" makes a one-time sign-in link.")
}
