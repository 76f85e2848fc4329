package api

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"

	"ambit/internal/fault"
	"ambit/internal/limits"
	"ambit/scopes"
)

// operatorKey marks requests that came over the operator's socket.
type operatorKey struct{}

// Operator returns the API as the host's operator sees it. It must be served on
// the operator's socket only: whoever reaches it is the caller "cli".
func (s *Server) Operator() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), operatorKey{}, true)))
	})
}

// authenticate finds out who calls. A route that anybody may call is not
// asked; a credential that does not hold is refused everywhere else.
func (s *Server) authenticate(ctx context.Context, r *request) error {
	claims(r)
	r.call.cookie = s.cookieOf(r.c.Request)
	if r.route.Class == scopes.ClassPublic {
		return s.checkStrangers(ctx, r)
	}
	r.call.checked = time.Now()
	r.call.again = func(ctx context.Context) (scopes.Caller, error) {
		now := Call{Route: r.route}
		err := s.identify(ctx, r.c.Request, &now)
		return now.Caller, err
	}
	return s.identify(ctx, r.c.Request, r.call)
}

// strangersRate bounds what is posted from one address without a credential:
// each has a transaction of its own.
var strangersRate = limits.Rate{Burst: 300, Per: time.Minute}

func (s *Server) checkStrangers(ctx context.Context, r *request) error {
	if !r.route.Mutates() {
		return nil
	}
	ok, after := s.Limiter.Allow(ctx, "strangers:"+limits.Network(r.call.Address), strangersRate)
	if ok {
		return nil
	}
	f := fault.New(fault.RateLimited, "Too many requests to sign in or out come from this address.").WithFix("Wait, then try again.")
	f.RetryAfter = after
	return f
}

// claims keeps what the request says of its tool and host. They decide nothing.
func claims(r *request) {
	r.call.Tool = claim(r.c.GetHeader("X-Ambit-Tool"))
	r.call.Host = claim(r.c.GetHeader("X-Ambit-Host"))
	r.call.lastEvent = r.c.GetHeader("Last-Event-ID")
	r.call.Agent = claim(r.c.Request.UserAgent())
	r.call.Address, _, _ = net.SplitHostPort(r.c.Request.RemoteAddr)
}

// claim cleans a text that a caller says of itself, at most 128 bytes.
func claim(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	return clean[:min(len(clean), 128)]
}

// identify sets the caller of a call from the request's one credential. The
// operator's socket is one by itself, for a request that brings no other.
func (s *Server) identify(ctx context.Context, req *http.Request, call *Call) error {
	bearers, cookies := req.Header.Values("Authorization"), req.CookiesNamed(s.cookieName())
	switch {
	case len(bearers)+len(cookies) > 1:
		return fault.New(fault.Malformed, "The request carries more than one credential.").WithFix("Send either one token or one session's cookie.")
	case len(bearers) == 1:
		return s.identifyToken(ctx, bearers[0], call)
	case len(cookies) == 1:
		return s.identifyPerson(ctx, cookies[0].Value, call)
	case req.Context().Value(operatorKey{}) != nil:
		call.Caller = scopes.Caller{Kind: scopes.CLI, Everywhere: true}
		return nil
	}
	return unauthenticated()
}

func unauthenticated() error {
	return fault.New(fault.Unauthenticated, "This needs a valid credential.").
		WithFix("Send a token as \"Authorization: Bearer amb_…\", or sign in.")
}

func (s *Server) identifyToken(ctx context.Context, header string, call *Call) (err error) {
	scheme, secret, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return unauthenticated()
	}
	call.Caller, call.token, err = s.Tokens.Verify(ctx, secret)
	return err
}

func (s *Server) identifyPerson(ctx context.Context, cookie string, call *Call) (err error) {
	call.Caller, call.person, call.session, err = s.People.VerifySession(ctx, cookie)
	return err
}

// cookieName is bound to the host where the transport is TLS.
func (s *Server) cookieName() string {
	if s.Secure {
		return "__Host-ambit"
	}
	return "ambit_session"
}

func (s *Server) cookieOf(req *http.Request) string {
	c, err := req.Cookie(s.cookieName())
	if err != nil {
		return ""
	}
	return c.Value
}
