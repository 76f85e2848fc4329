package scopes

import (
	"fmt"
	"slices"
	"strings"
)

// ByID returns the route named id, and whether there is one.
func ByID(id RouteID) (Route, bool) {
	for i := range Routes {
		if Routes[i].ID == id {
			return Routes[i], true
		}
	}
	return Route{}, false
}

// Params returns the names of the path's parameters, in order.
func (r Route) Params() []string {
	var names []string
	for _, seg := range strings.Split(r.Path, "/") {
		if strings.HasPrefix(seg, "{") {
			names = append(names, strings.Trim(seg, "{}"))
		}
	}
	return names
}

// ValidID reports whether s may stand in a path as an id: 1 to 128 ASCII
// letters, digits, dashes and underscores.
func ValidID(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

// Check returns what is wrong with a table of routes, or nil. A server does not
// start on a table that fails it.
func Check(routes []Route) error {
	ids, places := map[RouteID]bool{}, map[string]bool{}
	for _, r := range routes {
		if err := r.check(); err != nil {
			return err
		}
		place := r.Method + " " + r.Path
		if ids[r.ID] || places[place] {
			return fmt.Errorf("route %s (%s) is there twice", r.ID, place)
		}
		ids[r.ID], places[place] = true, true
	}
	return nil
}

func (r Route) check() error {
	params := r.Params()
	switch {
	case r.ID == "" || r.Method == "" || !strings.HasPrefix(r.Path, "/"):
		return fmt.Errorf("route %q is incomplete", r.ID)
	case r.Bound == BoundUnset:
		return fmt.Errorf("route %s does not say where its workspace is found", r.ID)
	case (r.Bound == BoundPath) != slices.Contains(params, "ws"):
		return fmt.Errorf("route %s: a {ws} in the path and the binding must agree", r.ID)
	case (r.Bound == BoundEntity) != (r.Entity != ""):
		return fmt.Errorf("route %s: an entity and the binding must agree", r.ID)
	case r.Bound == BoundEntity && !slices.Contains(params, "id"):
		return fmt.Errorf("route %s: no {id} in the path", r.ID)
	case (r.Class == ClassPerson) != (r.Role != NoRole):
		return fmt.Errorf("route %s: person rows, and no others, name a role", r.ID)
	case r.Class == ClassRead && r.Method != "GET" && r.ID != AuditRefusals:
		return fmt.Errorf("route %s: a read is a GET", r.ID)
	case r.Budgeted && !r.NeedsKey():
		return fmt.Errorf("route %s: a budgeted route needs an Idempotency-Key", r.ID)
	case r.Method == "DELETE" && r.Class != ClassPerson:
		return fmt.Errorf("route %s: deleting is a person's", r.ID)
	}
	return nil
}
