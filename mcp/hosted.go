package mcp

import (
	"context"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ambit/internal/fault"
	"ambit/internal/ids"
)

// Hosted serves MCP at POST /mcp to many callers, each with its own token.
// Nothing about a caller is kept between requests but what its token may do,
// for a minute.
type Hosted struct {
	*core
	door door
	http *server.StreamableHTTPServer
}

// NewHosted returns the handler. It refuses to start on tools that are not fit
// to be served, or without hosts that it is reached under.
func NewHosted(cfg Config) (*Hosted, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	d, err := newDoor(cfg.Hosts, cfg.Origins)
	if err != nil {
		return nil, err
	}
	return &Hosted{core: s, door: d, http: server.NewStreamableHTTPServer(s.mcp,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),
		server.WithDisableLocalhostProtection(true), // the door has a list of its own
		server.WithStreamableHTTPLogger(s.log),
	)}, nil
}

// ServeHTTP answers one message.
func (h *Hosted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	who, body, err := h.door.admit(r)
	if err != nil {
		turnAway(w, err)
		return
	}
	e, perr := openEnvelope(body)
	if perr == nil {
		perr = e.headers(r.Header)
	}
	switch {
	case perr != nil:
		writeJSON(w, statusOf(e, perr.code), e.failure(perr))
	case e.id == nil:
		h.notice(who, e)
		w.WriteHeader(http.StatusAccepted)
	default:
		h.serve(w, r, who, e)
	}
}

// notice takes a notification. Only cancelling means something here.
func (h *Hosted) notice(who caller, e envelope) {
	if e.method == string(mcpgo.MethodNotificationCancelled) {
		h.flying.cancel(who.digest, e.params.RequestID)
	}
}

// serve answers a request.
func (h *Hosted) serve(w http.ResponseWriter, r *http.Request, who caller, e envelope) {
	ctx, end, ok := h.flying.begin(r.Context(), who.digest, e.id, 0)
	if !ok {
		turnAway(w, fault.New(fault.Unavailable, "The server is shutting down.").WithFix("Try again in a moment."))
		return
	}
	defer end()
	defer h.recoverInto(ctx, w, e)
	rq := &request{envelope: e, host: hostOf(e, r.UserAgent())}
	if rq.params.Meta.Trace == "" {
		rq.params.Meta.Trace = r.Header.Get("Traceparent")
	}
	var err error
	if rq.caller, err = h.callers.identify(ctx, who, rq.host); err != nil {
		turnAway(w, err)
		return
	}
	h.dispatch(ctx, w, r, rq)
}

// hostOf returns the program that a request says it comes from.
func hostOf(e envelope, userAgent string) string {
	for _, p := range []program{e.params.Meta.Client, e.params.ClientInfo} {
		if c := p.claim(); c != "" {
			return c
		}
	}
	return claim(userAgent)
}

func (h *Hosted) dispatch(ctx context.Context, w http.ResponseWriter, r *http.Request, rq *request) {
	if rq.settled(r.Header) {
		answer, perr, ok := h.early(ctx, rq)
		if ok && perr != nil {
			writeJSON(w, statusOf(rq.envelope, perr.code), rq.failure(perr))
			return
		}
		if ok {
			writeJSON(w, http.StatusOK, answer)
			return
		}
		if rq.quiet() {
			h.answerWhole(ctx, w, rq)
			return
		}
	}
	out := newStream(w)
	rq.notify = func(ctx context.Context, progress map[string]any) {
		err := out.after(ctx, func() error { return h.mcp.SendNotificationToClient(ctx, "notifications/progress", progress) })
		if err != nil {
			h.log.DebugContext(ctx, "a progress message was not sent", "error", err)
		}
	}
	h.http.Handle(out, &server.HTTPRequest{
		Method: r.Method, URL: r.URL, Header: forLibrary(r.Header), Body: rq.raw, Context: withRequest(ctx, rq),
	})
}

// answerWhole answers a request that is settled and quiet. The library's HTTP
// server has nothing to add to it: no stream to open, no header to refuse.
func (h *Hosted) answerWhole(ctx context.Context, w http.ResponseWriter, rq *request) {
	answer, err := h.handle(ctx, rq, rq.bare())
	switch {
	case ctx.Err() != nil: // who cancelled a request does not wait for its answer
	case err != nil:
		turnAway(w, err)
	default:
		writeJSON(w, http.StatusOK, answer)
	}
}

// forLibrary returns the headers without credentials, and without the session
// ids that this server does not have.
func forLibrary(h http.Header) http.Header {
	out := h.Clone()
	for _, name := range []string{"Authorization", "Cookie", mcpgo.HeaderSessionID} {
		out.Del(name)
	}
	return out
}

// settled reports whether nothing about the message's protocol is left for the
// library to refuse.
func (e envelope) settled(h http.Header) bool {
	header := h.Get(mcpgo.HeaderProtocolVersion)
	if !e.modern() && !mcpgo.IsModernProtocol(header) {
		return header == "" || mcpgo.IsValidProtocolVersion(header)
	}
	version := e.params.Meta.Version
	return header == version && mcpgo.IsValidProtocolVersion(version) && h.Get(mcpgo.HeaderLastEventID) == "" &&
		len(e.params.Meta.Capabilities) > 0 && e.params.Meta.Capabilities[0] == '{' &&
		h.Get(mcpgo.HeaderMethod) != "" && (e.params.Name == "" || h.Get(mcpgo.HeaderName) != "")
}

// statusOf returns the HTTP status of an error of the protocol.
func statusOf(e envelope, code int) int {
	switch {
	case code == mcpgo.METHOD_NOT_FOUND && e.modern():
		return http.StatusNotFound
	case code == mcpgo.METHOD_NOT_FOUND, code == mcpgo.INVALID_PARAMS && !e.modern():
		return http.StatusOK
	}
	return http.StatusBadRequest
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// recoverInto keeps a panic, which would be a bug, to its own request.
func (h *Hosted) recoverInto(ctx context.Context, w http.ResponseWriter, e envelope) {
	p := recover()
	if p == nil {
		return
	}
	id := ids.New("err")
	h.log.ErrorContext(ctx, "a request panicked", "method", e.method, "error_id", id, "panic", p, "stack", string(debug.Stack()))
	writeJSON(w, http.StatusInternalServerError, e.failure(refuse(mcpgo.INTERNAL_ERROR, "Ambit failed to do this; report the error id %s.", id)))
}

// endWithin is how long requests that were told to end may take to.
const endWithin = 5 * time.Second

// Shutdown lets requests under way finish until ctx ends, then ends them. New
// ones are answered 503.
func (h *Hosted) Shutdown(ctx context.Context) error { return h.flying.close(ctx, endWithin) }
