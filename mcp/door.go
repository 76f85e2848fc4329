package mcp

import (
	"fmt"
	"io"
	"math"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"ambit/internal/fault"
)

// maxMessage is the most bytes of one message, in a body or on a line.
const maxMessage = 1 << 20

// door lets requests in that are fit to be looked at. Whatever it refuses has
// no effect, and is answered with a problem document.
type door struct {
	hosts   []string // host, or host:port
	origins []string
}

func newDoor(hosts, origins []string) (door, error) {
	if len(hosts) == 0 {
		return door{}, fmt.Errorf("the hosted MCP server needs the hosts that it is reached under")
	}
	d := door{}
	for _, h := range hosts {
		d.hosts = append(d.hosts, strings.ToLower(h))
	}
	for _, o := range origins {
		if scheme, host, ok := strings.Cut(o, "://"); !ok || scheme == "" || host == "" || strings.ContainsAny(host, "/*") {
			return door{}, fmt.Errorf("%q is no browser origin such as https://ambit.example", o)
		}
		d.origins = append(d.origins, strings.ToLower(o))
	}
	return d, nil
}

// admit checks host, origin, method, size and credential, in this order.
func (d door) admit(r *http.Request) (who caller, body []byte, err error) {
	if !d.servesHost(r.Host) {
		return caller{}, nil, fault.New(fault.OriginForbidden, "This server is not reached under that host name.").
			WithFix("Use an address that the server was configured with.")
	}
	if !d.servesOrigin(r) {
		return caller{}, nil, fault.New(fault.OriginForbidden, "Pages of that origin may not call tools.")
	}
	if r.Method != http.MethodPost {
		return caller{}, nil, fault.New(fault.MethodNotAllowed, "MCP is served to POST: there are no sessions and no streams to open.")
	}
	if body, err = readBody(r); err != nil {
		return caller{}, nil, err
	}
	if who, err = bearer(r.Header["Authorization"]); err != nil {
		return caller{}, nil, err
	}
	return who, body, jsonOnly(r.Header["Content-Type"])
}

func (d door) servesHost(host string) bool {
	host = strings.ToLower(host)
	if slices.Contains(d.hosts, host) {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return false
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false
	}
	return slices.Contains(d.hosts, name) || slices.Contains(d.hosts, "["+name+"]")
}

// servesOrigin reports whether the page that calls, if one does, may: one of a
// listed origin, and one of the server's own, whose host was checked before.
func (d door) servesOrigin(r *http.Request) bool {
	origins := r.Header["Origin"]
	if len(origins) != 1 {
		return len(origins) == 0
	}
	origin := strings.ToLower(origins[0])
	own := strings.ToLower(r.Host)
	return slices.Contains(d.origins, origin) || origin == "http://"+own || origin == "https://"+own
}

func readBody(r *http.Request) ([]byte, error) {
	tooLarge := fault.New(fault.TooLarge, "A message may have at most %d MiB.", maxMessage>>20)
	if r.ContentLength > maxMessage {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	if err != nil {
		return nil, fault.New(fault.Malformed, "The body cannot be read.").Because(err)
	}
	if len(body) > maxMessage {
		return nil, tooLarge
	}
	return body, nil
}

// bearer returns who the one Authorization header names.
func bearer(headers []string) (caller, error) {
	if len(headers) != 1 {
		return callerOf("")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return callerOf("")
	}
	return callerOf(token)
}

func jsonOnly(headers []string) error {
	const want = "application/json"
	if len(headers) == 1 && headers[0] == want {
		return nil
	}
	if len(headers) == 1 {
		if kind, _, err := mime.ParseMediaType(headers[0]); err == nil && kind == want {
			return nil
		}
	}
	return fault.New(fault.UnsupportedMediaType, "A message must be application/json.")
}

// turnAway answers a request that is not let in.
func turnAway(w http.ResponseWriter, err error) {
	f := fault.From(err)
	status, doc := fault.Problem(f, "")
	h := w.Header()
	h.Set("Content-Type", fault.ContentType)
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="ambit"`)
	case http.StatusMethodNotAllowed:
		h.Set("Allow", http.MethodPost)
	}
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	w.WriteHeader(status)
	w.Write(doc)
}
