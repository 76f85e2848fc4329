package mcp

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"ambit/api/client"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/scopes"
)

const (
	knownFor   = time.Minute // how long the API's word on a token is kept
	maxCallers = 4096        // tokens that are remembered
)

// ownTool is what the host calls itself where it calls for itself.
const ownTool = "mcp"

// caller is who sent a request, as the API says.
type caller struct {
	token  string
	digest string       // SHA-256 of the token, hex: what the caller is known by here
	scope  scopes.Scope // NoScope: no tool
	err    error        // why the caller may do nothing
}

// tokenShaped reports whether a text looks like a token. Whether it holds is the
// API's to say.
func tokenShaped(t string) bool {
	return len(t) == 66 && t[:4] == "amb_" && t[16] == '_' && base62(t[4:16]) && base62(t[17:])
}

func base62(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			return false
		}
	}
	return true
}

// callerOf names the holder of a token, without a scope.
// Fault: unauthenticated if it is no token.
func callerOf(token string) (caller, error) {
	if !tokenShaped(token) {
		return caller{}, fault.New(fault.Unauthenticated, "This needs a token.").
			WithFix("Send one as \"Authorization: Bearer amb_…\"; an admin mints them.")
	}
	sum := sha256.Sum256([]byte(token))
	return caller{token: token, digest: hex.EncodeToString(sum[:])}, nil
}

// callers remembers what the API said of tokens, the last ones used.
type callers struct {
	api *client.Client
	now clock.Clock
	log *slog.Logger

	mu    sync.Mutex
	known map[string]*list.Element // of *sighting, by digest
	order *list.List               // last used in front
}

type sighting struct {
	digest string
	scope  scopes.Scope
	until  clock.Time
}

func newCallers(api *client.Client, now clock.Clock, log *slog.Logger) *callers {
	return &callers{api: api.Only(scopes.AuthMe), now: now, log: log, known: map[string]*list.Element{}, order: list.New()}
}

// identify completes a caller with its scope. If the API cannot say, it is
// read: what it may not read, the API will refuse.
// Faults: those of the API's auth_me that are not its own failures.
func (c *callers) identify(ctx context.Context, who caller, host string) (caller, error) {
	if scope, ok := c.recall(who.digest); ok {
		who.scope = scope
		return who, nil
	}
	a, err := c.api.As(client.Caller{Bearer: who.token, Tool: ownTool, Host: host}).Call(ctx, scopes.AuthMe, nil, nil, nil)
	if err != nil {
		if fault.CodeOf(err).Status() >= 500 {
			c.log.WarnContext(ctx, "the API did not say what a token may do: only read tools are offered", "error", err)
			who.scope = scopes.Read
			return who, nil
		}
		return who, err
	}
	var me struct {
		Kind  string `json:"kind"`
		Scope string `json:"scope"`
	}
	if json.Unmarshal(a.Body, &me) != nil || me.Kind != scopes.Token.String() || scopes.ParseScope(me.Scope) == scopes.NoScope {
		return who, fault.New(fault.Unauthenticated, "Only a token calls tools.").WithFix("Ask an admin to mint one.")
	}
	who.scope = scopes.ParseScope(me.Scope)
	c.remember(who)
	return who, nil
}

func (c *callers) recall(digest string) (scopes.Scope, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[digest]
	if !ok || e.Value.(*sighting).until <= c.now() {
		return scopes.NoScope, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*sighting).scope, true
}

func (c *callers) remember(who caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(who.digest)
	c.known[who.digest] = c.order.PushFront(&sighting{who.digest, who.scope, c.now().Add(knownFor)})
	if c.order.Len() > maxCallers {
		c.drop(c.order.Back().Value.(*sighting).digest)
	}
}

// forget drops what is known of a caller whose token was refused.
func (c *callers) forget(who caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(who.digest)
}

func (c *callers) drop(digest string) {
	if e, ok := c.known[digest]; ok {
		c.order.Remove(e)
		delete(c.known, digest)
	}
}
