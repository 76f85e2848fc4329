// Package client calls the routes of the table over HTTP: get, post, put and
// patch. It has no delete, so nothing that is built on it can delete.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ambit/scopes"
)

// MaxAnswer is the most bytes of an answer that are read.
const MaxAnswer = 8 << 20

// Headers that a client says things with.
const (
	HeaderTool     = "X-Ambit-Tool" // a claim: which tool calls
	HeaderHost     = "X-Ambit-Host" // a claim: which program the tool runs in
	HeaderKey      = "Idempotency-Key"
	HeaderKeyKind  = "X-Ambit-Key" // "derived": the key was made from the request, not given
	HeaderReplayed = "Idempotency-Replayed"
	HeaderTrace    = "Traceparent"
)

// Caller is on whose behalf a client calls, and what it says of itself. Empty
// fields are not sent.
type Caller struct {
	Bearer     string // a token
	Tool, Host string // claims; printable ASCII
	Trace      string // W3C traceparent
	Key        string // idempotency key
	Derived    bool   // the key was made from the request
}

// Client calls routes for one caller. The zero Client calls none.
type Client struct {
	base   *url.URL
	http   *http.Client
	caller Caller
	narrow bool
	only   []scopes.RouteID // what may be called, if narrow
}

// New returns a client of the server at base, such as "https://ambit.example",
// without a caller. A nil transport is the default one.
func New(base string, transport http.RoundTripper) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("the address of the server must be like https://ambit.example")
	}
	return &Client{base: u, http: &http.Client{
		Transport: transport,
		// A redirect would carry the credential to where it points.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// As returns a client that calls for c.
func (cl *Client) As(c Caller) *Client {
	out := *cl
	out.caller = c
	return &out
}

// Only returns a client that can call these routes and no others. It never
// widens: of a client that was narrowed before, what both allow remains.
func (cl *Client) Only(ids ...scopes.RouteID) *Client {
	out := *cl
	out.only = slices.DeleteFunc(slices.Clone(ids), func(id scopes.RouteID) bool { return !cl.may(id) })
	out.narrow = true
	return &out
}

func (cl *Client) may(id scopes.RouteID) bool {
	return cl.http != nil && (!cl.narrow || slices.Contains(cl.only, id))
}

// Answer is what a route answered.
type Answer struct {
	Status int
	Header http.Header
	Body   json.RawMessage // valid JSON, or empty
}

// Call calls a route. Params fill its path; body is marshalled unless it is nil,
// or sent as it is if it is a [Stream].
//
// Every error is a *fault.Fault: the API's own, or invalid (an id that cannot
// stand in a path), unavailable (no answer, or none of the API's), timeout (ctx
// ended first), too_large (an answer over [MaxAnswer] bytes), internal (a route
// that this client may not call). With the API's own comes the Answer's status
// and header too.
func (cl *Client) Call(ctx context.Context, id scopes.RouteID, params map[string]string, query url.Values, body any) (Answer, error) {
	route, err := cl.route(id)
	if err != nil {
		return Answer{}, err
	}
	req, err := cl.request(ctx, route, params, query, body)
	if err != nil {
		return Answer{}, err
	}
	resp, err := cl.http.Do(req)
	if err != nil {
		return Answer{}, lost(ctx, err)
	}
	defer resp.Body.Close()
	return read(ctx, resp)
}
