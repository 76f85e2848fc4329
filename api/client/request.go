package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ambit/internal/fault"
	"ambit/scopes"
)

// verbs are the methods that a client has. There is no DELETE.
var verbs = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch}

// Stream is a body that is sent as it is read, such as an upload.
type Stream struct {
	ContentType string
	Reader      io.Reader
}

// route returns the row that this client may call.
func (cl *Client) route(id scopes.RouteID) (scopes.Route, error) {
	route, ok := scopes.ByID(id)
	switch {
	case !ok:
		return route, misuse("no route %q", id)
	case !cl.may(id):
		return route, misuse("route %s is not among those that this client may call", id)
	case !slices.Contains(verbs, route.Method):
		return route, misuse("route %s: a client has no %s", id, route.Method)
	}
	return route, nil
}

// misuse is a bug of whoever holds the client: the caller learns only that it happened.
func misuse(format string, args ...any) error { return fault.From(fmt.Errorf(format, args...)) }

func (cl *Client) request(ctx context.Context, route scopes.Route, params map[string]string, query url.Values, body any) (*http.Request, error) {
	path, err := fill(route, params)
	if err != nil {
		return nil, err
	}
	content, kind, err := encode(body)
	if err != nil {
		return nil, err
	}
	to := *cl.base
	to.Path += path
	to.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, route.Method, to.String(), content)
	if err != nil {
		return nil, misuse("making a request of %s: %w", route.ID, err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	cl.caller.sign(req.Header)
	return req, nil
}

// fill puts the params into the route's path. What stands in a path is checked
// here, so that no id becomes another path.
func fill(route scopes.Route, params map[string]string) (string, error) {
	path := route.Path
	var wrong []fault.Field
	for _, name := range route.Params() {
		if !scopes.ValidID(params[name]) {
			wrong = append(wrong, fault.Field{Path: name, Rule: "must have 1 to 128 letters, digits, dashes or underscores"})
		}
		path = strings.Replace(path, "{"+name+"}", params[name], 1)
	}
	if len(params) != len(route.Params()) {
		return "", misuse("route %s takes %d params, not %d", route.ID, len(route.Params()), len(params))
	}
	return path, fault.InvalidFields(wrong)
}

// encode returns the body and its media type.
func encode(body any) (io.Reader, string, error) {
	if body == nil {
		return nil, "", nil
	}
	if s, ok := body.(Stream); ok {
		return s.Reader, s.ContentType, nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, "", misuse("marshalling a request: %w", err)
	}
	return bytes.NewReader(raw), "application/json", nil
}

// sign says who calls.
func (c Caller) sign(h http.Header) {
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	if c.Bearer != "" {
		h.Set("Authorization", "Bearer "+c.Bearer)
	}
	set(HeaderTool, c.Tool)
	set(HeaderHost, c.Host)
	set(HeaderTrace, c.Trace)
	set(HeaderKey, c.Key)
	if c.Key != "" && c.Derived {
		h.Set(HeaderKeyKind, "derived")
	}
	h.Set("Accept", "application/json")
}
