// Package scopes declares every route of the API and decides who may call it.
//
// [Routes] is the only list of routes there is: routing, authorization, OpenAPI,
// the docs and the contract test are derived from it. The zero value of each
// field denies: a row that forgets to say is closed to tokens.
package scopes

// Scope is what a token may do. The zero value may do nothing.
type Scope uint8

// Token scopes; each includes the ones before it.
const (
	NoScope Scope = iota
	Read
	Compute
	Builder
)

var scopeNames = map[Scope]string{Read: "read", Compute: "compute", Builder: "builder"}

func (s Scope) String() string { return scopeNames[s] }

// ParseScope returns the scope of a name, or NoScope.
func ParseScope(name string) Scope {
	for s, n := range scopeNames {
		if n == name {
			return s
		}
	}
	return NoScope
}

// Role is what a person may do. The zero value may do nothing.
type Role uint8

// Roles; each includes the ones before it.
const (
	NoRole Role = iota
	Viewer
	Operator
	Admin
)

var roleNames = map[Role]string{Viewer: "viewer", Operator: "operator", Admin: "admin"}

func (r Role) String() string { return roleNames[r] }

// ParseRole returns the role of a name, or NoRole.
func ParseRole(name string) Role {
	for r, n := range roleNames {
		if n == name {
			return r
		}
	}
	return NoRole
}

// Class is what a route asks of its caller. The zero value admits no token.
type Class uint8

// Route classes.
const (
	ClassPerson   Class = iota // people with the row's role; no token of any scope
	ClassPublic                // anybody
	ClassRead                  // GET; any caller
	ClassReadPost              // POST that only reads; any caller
	ClassCompute               // compute and builder tokens, people
	ClassBuilder               // builder tokens with an Idempotency-Key, people
	ClassOwn                   // the MCP mounts: their host authenticates, then acts through the other rows
)

var classNames = map[Class]string{
	ClassPerson: "person", ClassPublic: "public", ClassRead: "read", ClassReadPost: "readpost",
	ClassCompute: "compute", ClassBuilder: "builder", ClassOwn: "own",
}

func (c Class) String() string { return classNames[c] }

// asks is the least scope that a class admits, and the least role.
var asks = map[Class]struct {
	scope Scope
	role  Role
}{
	ClassRead:     {Read, Viewer},
	ClassReadPost: {Read, Viewer},
	ClassCompute:  {Compute, Operator},
	ClassBuilder:  {Builder, Operator},
}

// Bound says where the workspace of a call is found.
type Bound uint8

// Bindings. The zero value is invalid, so that no row leaves it out by mistake.
const (
	BoundUnset  Bound = iota
	BoundPath         // the path parameter {ws}
	BoundEntity       // the workspace of the thing that the path names
	BoundBody         // the body's workspace_id
	BoundAll          // the answer is filtered to the caller's workspaces
	BoundNone         // the call touches no workspace
)

var boundNames = map[Bound]string{BoundPath: "path", BoundEntity: "entity", BoundBody: "body", BoundAll: "all", BoundNone: "none"}

func (b Bound) String() string { return boundNames[b] }

// RouteID names a route in code, logs, OpenAPI and tool definitions.
type RouteID string

// Route is one row of the table.
type Route struct {
	ID       RouteID
	Method   string
	Path     string // {name} marks a parameter
	Class    Class
	Role     Role // person rows: the least role
	Bound    Bound
	Entity   string // BoundEntity: the kind of the thing that {id} names
	Budgeted bool   // takes a run from the token's budget
	Trains   bool   // leads to training: agents may not in stages review and production
	StepUp   bool   // asks for a fresh confirmation of who the person is
	CLI      bool   // open to the host's operator, besides GETs
	Session  bool   // open to an agent session of the workspace
	Upload   bool   // the body is a stream with its own limit, not JSON
	Stream   bool   // the answer is a stream of events
	Planned  bool   // in the design, not served yet
}

// Mutates reports whether a call changes something, and so runs in a
// transaction with its audit record. What anybody may post is signing in and out.
func (r Route) Mutates() bool {
	switch r.Class {
	case ClassBuilder, ClassPerson, ClassPublic:
		return r.Method != "GET"
	}
	return false
}

// NeedsKey reports whether a token's call must carry an Idempotency-Key.
func (r Route) NeedsKey() bool { return r.Class == ClassBuilder && r.Method != "GET" }

// Audited reports whether a successful call of a token leaves an audit record.
// Reads leave a log line.
func (r Route) Audited() bool { return r.Mutates() || r.Class == ClassCompute }
