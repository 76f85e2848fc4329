package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"ambit/internal/fault"
	"ambit/people"
	"ambit/scopes"
	"ambit/tokens"
)

// Call is a call that was admitted: who makes it, and in which workspace.
type Call struct {
	Caller    scopes.Caller
	Route     scopes.Route
	Workspace string // "" where the route touches none
	Tool      string // claimed
	Host      string // claimed
	Address   string // of the peer
	Agent     string // User-Agent, cut

	token   tokens.Token   // of a token's call
	person  people.Person  // of a person's call
	session people.Session // of a person's call

	params    map[string]string
	entity    string                                           // for the audit record
	detail    string                                           // for the audit record
	headers   map[string]string                                // of the answer
	again     func(ctx context.Context) (scopes.Caller, error) // authenticates again
	lastEvent string                                           // Last-Event-ID
	checked   time.Time                                        // when the credential was last seen to hold
	cookie    string                                           // of a session, not yet proved
}

// Param returns a value of the path.
func (c *Call) Param(name string) string { return c.params[name] }

// Did names the thing that the call was about, for the audit record.
func (c *Call) Did(kind, id string) { c.entity = kind + ":" + id }

// header sets a header of the answer.
func (c *Call) header(name, value string) {
	if c.headers == nil {
		c.headers = map[string]string{}
	}
	c.headers[name] = value
}

// endpoint is a handler and the types that it reads and writes.
type endpoint struct {
	status  int
	in, out reflect.Type
	ids     []bodyID // ids in the body that must be of the call's workspace
	secret  bool     // the body has a password or a one-time secret in it

	// prepare is the slow part, before the transaction; effect is the rest, and
	// runs inside it where the route changes something. Both are set but for streams.
	prepare func(ctx context.Context, call *Call, in any) (any, error)
	effect  func(ctx context.Context, call *Call, in, prepared any) (any, error)

	// stream writes the answer itself.
	stream func(ctx context.Context, call *Call, in any, w http.ResponseWriter) error
	raw    http.Handler // an own mount, which authenticates and answers by itself
}

// discarder is a prepared value that must not be left behind when the effect fails.
type discarder interface {
	digest() string
	discard(ctx context.Context)
}

// none is the input or output of a route that has none.
type none struct{}

// handle makes an endpoint of a function that does nothing slow.
func handle[In, Out any](status int, f func(ctx context.Context, call *Call, in In) (Out, error)) endpoint {
	return slow(status,
		func(context.Context, *Call, In) (none, error) { return none{}, nil },
		func(ctx context.Context, call *Call, in In, _ none) (Out, error) { return f(ctx, call, in) })
}

// slow makes an endpoint of two functions: what takes time, and the effect.
func slow[In, P, Out any](
	status int,
	prepare func(ctx context.Context, call *Call, in In) (P, error),
	effect func(ctx context.Context, call *Call, in In, prepared P) (Out, error),
) endpoint {
	return endpoint{
		status: status, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		ids: bodyIDs(reflect.TypeFor[In]()), secret: hasSecret(reflect.TypeFor[In]()),
		prepare: func(ctx context.Context, call *Call, in any) (any, error) {
			return prepare(ctx, call, *in.(*In))
		},
		effect: func(ctx context.Context, call *Call, in, prepared any) (any, error) {
			return effect(ctx, call, *in.(*In), prepared.(P))
		},
	}
}

// stream makes an endpoint of a function that writes its answer piece by piece.
func stream[In any](f func(ctx context.Context, call *Call, in In, w http.ResponseWriter) error) endpoint {
	return endpoint{
		status: http.StatusOK, in: reflect.TypeFor[In](), out: reflect.TypeFor[none](),
		stream: func(ctx context.Context, call *Call, in any, w http.ResponseWriter) error {
			return f(ctx, call, *in.(*In), w)
		},
	}
}

// check reports an endpoint that does not fit its row.
func (e endpoint) check(r scopes.Route) error {
	if (e.raw != nil) != (r.Class == scopes.ClassOwn) {
		return fmt.Errorf("route %s: own mounts, and no others, answer by themselves", r.ID)
	}
	if e.raw != nil {
		return nil
	}
	if r.Bound == scopes.BoundBody && workspaceField(e.in) == nil {
		return fmt.Errorf("route %s is bound by its body, which has no workspace_id", r.ID)
	}
	if e.stream != nil && r.Mutates() {
		return fmt.Errorf("route %s changes something and cannot stream", r.ID)
	}
	return nil
}

// bodyID is a field that holds an id of another thing.
type bodyID struct {
	field []int
	name  string
	kind  string
}

// bodyIDs finds the fields tagged entity:"kind".
func bodyIDs(t reflect.Type) []bodyID {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []bodyID
	for _, f := range reflect.VisibleFields(t) {
		if kind := f.Tag.Get("entity"); kind != "" {
			out = append(out, bodyID{field: f.Index, name: jsonName(f), kind: kind})
		}
	}
	return out
}

// hasSecret reports whether a field is tagged secret:"true".
func hasSecret(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("secret") == "true" {
			return true
		}
	}
	return false
}

// workspaceField returns where the body's workspace_id is, or nil.
func workspaceField(t reflect.Type) []int {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if jsonName(f) == "workspace_id" && f.Type.Kind() == reflect.String {
			return f.Index
		}
	}
	return nil
}

// errBodyID is what an id of a foreign workspace and one that does not exist get alike.
func errAbsent(kind string) error {
	return fault.New(fault.NotFound, "There is no such %s.", kind).WithFix("Take ids from the list of resources.")
}
