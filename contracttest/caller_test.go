package contracttest

import (
	"fmt"
	"slices"
	"strings"

	"ambit/internal/ids"
)

// kind is what a caller is. The zero value is nobody.
type kind string

const (
	kindToken  kind = "token"
	kindPerson kind = "person"
	kindHost   kind = "cli"
)

// caller is somebody who calls, and what the law knows of them.
type caller struct {
	kind    kind
	scope   string // of a token
	role    string // of a person
	dead    bool   // the credential expired or was revoked
	cold    bool   // has not stepped up
	foreign bool   // bound to another workspace than the one that is asked for
	credential
}

// verdict is what the law says of a call: let through, or refused so.
type verdict struct {
	status int // 0: let through
	code   string
}

var through = verdict{}

func (v verdict) String() string {
	if v == through {
		return "let through"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", v.status, v.code))
}

// Ranks of scopes and roles: each includes the ones before it.
var (
	scopeRanks = []string{"read", "compute", "builder"}
	roleRanks  = []string{"viewer", "operator", "admin"}
)

func rank(ranks []string, name string) int { return slices.Index(ranks, name) }

// leastScope is the least scope of a token that a class admits; of a class that
// is not here, none is enough.
var leastScope = map[string]string{"read": "read", "readpost": "read", "compute": "compute", "builder": "builder"}

// leastRole is the least role of a person that a class admits; person rows say it themselves.
var leastRole = map[string]string{"read": "viewer", "readpost": "viewer", "compute": "operator", "builder": "operator"}

// verdict says what the law has to say of a call. It is written from the words
// of the law, and asks nothing of the code that decides.
func (r lawRow) verdict(c caller) verdict {
	switch {
	case r.class == "public":
		return through
	case c.kind == "" || c.dead:
		return verdict{401, "unauthenticated"}
	case r.class == "own": // its host knows tokens only
		if c.kind == kindToken {
			return through
		}
		return verdict{401, "unauthenticated"}
	case c.kind == kindToken:
		return r.forToken(c)
	case c.kind == kindPerson:
		return r.forPerson(c)
	case c.kind == kindHost && (r.cli || r.method == "GET"):
		return through
	}
	return verdict{403, "session_required"}
}

func (r lawRow) forToken(c caller) verdict {
	least, ok := leastScope[r.class]
	switch {
	case !ok:
		return verdict{403, "human_only"}
	case rank(scopeRanks, c.scope) < rank(scopeRanks, least):
		return verdict{403, "scope_forbidden"}
	}
	return r.inside(c)
}

func (r lawRow) forPerson(c caller) verdict {
	least := r.role
	if r.class != "person" {
		least = leastRole[r.class]
	}
	switch {
	case rank(roleRanks, c.role) < rank(roleRanks, least):
		return verdict{403, "role_forbidden"}
	case r.stepUp && c.cold:
		return verdict{403, "step_up_required"}
	}
	return r.inside(c)
}

// inside refuses callers of another workspace where the call is in one.
func (r lawRow) inside(c caller) verdict {
	if c.foreign && r.inWorkspace() {
		return verdict{404, "not_found"}
	}
	return through
}

func (r lawRow) inWorkspace() bool {
	return slices.Contains([]string{"path", "entity", "body"}, r.bound)
}

// kept reports whether an answer is what the verdict says. Being let through is
// any answer of the handler's own: no 401, no 403, no failure, and where the
// call names something, not that it is absent.
func (v verdict) kept(r lawRow, a answer) bool {
	if v != through {
		return a.status == v.status && a.code() == v.code
	}
	absent := a.status == 404 && r.inWorkspace()
	return a.err == nil && !absent && a.status != 401 && a.status != 403 && a.status != 405 && a.status < 500
}

// fresh returns an Idempotency-Key that nobody has used.
func fresh() string { return ids.New("key") }
