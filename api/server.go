// Package api serves the route table over HTTP.
//
// Every request goes through one ordered function, admit; nothing else decides
// whether a handler runs. Routing, authorization and the OpenAPI document are
// derived from scopes.Routes and from the handlers' types.
package api

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"ambit/audit"
	"ambit/brief"
	"ambit/datasets"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/idempotency"
	"ambit/internal/limits"
	"ambit/models"
	"ambit/people"
	"ambit/plans"
	"ambit/runs"
	"ambit/scopes"
	"ambit/tokens"
	"ambit/workspaces"
)

// Directory finds the workspace that a thing belongs to.
type Directory interface {
	// WorkspaceOf fails with not_found if there is no such thing.
	WorkspaceOf(ctx context.Context, kind, id string) (string, error)
	Ping(ctx context.Context) error
}

// Config is what a Server needs. Every field is required but those that say so.
type Config struct {
	Routes []scopes.Route // the table to serve: scopes.Routes

	Tokens       *tokens.Service
	People       *people.Service
	Workspaces   *workspaces.Service
	Datasets     *datasets.Service
	Plans        *plans.Service
	Runs         *runs.Service
	Models       *models.Service
	Brief        *brief.Service
	Audit        audit.Store
	AuditKey     ed25519.PublicKey // that the head of the audit log is signed with
	Replays      idempotency.Store
	Directory    Directory
	Limiter      limits.Limiter
	Health       func(ctx context.Context) any // the inside, for people
	Degraded     func() bool                   // optional: works, with less than it was given
	MCP          http.Handler                  // optional: the hosted MCP mount
	ToolContract any                           // what the MCP tools may call, for GET /api/contract
	Version      Version
	Secure       bool // served over TLS: cookies are bound to the host
	Now          clock.Clock
	Log          *slog.Logger
}

// Version says what is running.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Server serves the API.
type Server struct {
	Config
	engine    *gin.Engine
	endpoints map[scopes.RouteID]endpoint
	unknown   unknownCallers
	waiting   crowd
	origins   *http.CrossOriginProtection
	pepper    []byte // see seasoned
	openapi   []byte
	done      context.Context // ends streams when the server closes
	close     context.CancelFunc
}

// New returns a Server. It fails if the table is not valid, or if its served
// rows and the handlers do not match one to one.
func New(cfg Config) (*Server, error) {
	s := &Server{Config: cfg, origins: http.NewCrossOriginProtection(), pepper: make([]byte, sha256.Size)}
	rand.Read(s.pepper) // never fails: the runtime ends the process instead
	s.done, s.close = context.WithCancel(context.Background())
	if err := scopes.Check(cfg.Routes); err != nil {
		return nil, err
	}
	s.endpoints = s.handlers()
	if err := match(cfg.Routes, s.endpoints); err != nil {
		return nil, err
	}
	var err error
	if s.openapi, err = document(cfg.Routes, s.endpoints, cfg.Version.Version); err != nil {
		return nil, err
	}
	s.mount()
	return s, nil
}

// Close ends the streams that are open.
func (s *Server) Close() { s.close() }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// match reports rows without a handler and handlers without a row.
func match(routes []scopes.Route, endpoints map[scopes.RouteID]endpoint) error {
	served := map[scopes.RouteID]bool{}
	var errs []error
	for _, r := range routes {
		_, ok := endpoints[r.ID]
		switch {
		case r.Planned && ok:
			errs = append(errs, fmt.Errorf("route %s is planned and has a handler", r.ID))
		case !r.Planned && !ok:
			errs = append(errs, fmt.Errorf("route %s has no handler", r.ID))
		}
		served[r.ID] = !r.Planned
		if e := endpoints[r.ID]; ok {
			errs = append(errs, e.check(r))
		}
	}
	for id := range endpoints {
		if !served[id] {
			errs = append(errs, fmt.Errorf("handler %s has no served route", id))
		}
	}
	return errors.Join(errs...)
}

func (s *Server) mount() {
	gin.SetMode(gin.ReleaseMode)
	s.engine = gin.New()
	s.engine.RedirectTrailingSlash = false
	s.engine.RedirectFixedPath = false
	s.engine.UseRawPath = true // an encoded slash in a parameter must not reach another route
	s.engine.UnescapePathValues = false
	s.engine.HandleMethodNotAllowed = true
	s.engine.ContextWithFallback = true
	s.engine.Use(func(c *gin.Context) { c.Header("X-Content-Type-Options", "nosniff") }) // what callers write is never a page
	absent := fault.New(fault.NotFound, "There is no such route.").WithFix("GET /api/openapi.json lists the routes.")
	for _, r := range s.Routes {
		if r.Planned { // not even where another method of its path is served
			s.engine.Handle(r.Method, ginPath(r.Path), s.refuse(r, absent))
			continue
		}
		serve := s.serve(r, s.endpoints[r.ID])
		s.engine.Handle(r.Method, ginPath(r.Path), serve)
		if r.Method == http.MethodGet && !r.Stream {
			s.engine.Handle(http.MethodHead, ginPath(r.Path), serve)
		}
	}
	s.engine.NoRoute(s.refuse(scopes.Route{ID: "no_route"}, absent))
	s.engine.NoMethod(s.refuse(scopes.Route{ID: "no_method"},
		fault.New(fault.MethodNotAllowed, "This route does not take this method.").WithFix("The Allow header says which it takes.")))
}

// ginPath turns {name} into gin's :name.
func ginPath(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// refuse answers what no served row matches. Who asks changes nothing about the
// answer; of the API's own paths it goes on record, like every refusal.
func (s *Server) refuse(route scopes.Route, err error) gin.HandlerFunc {
	return func(c *gin.Context) {
		r := &request{c: c, id: requestID(c), route: route, call: &Call{Route: route, params: paramsOf(c)}}
		defer s.logLine(r, time.Now())
		if strings.HasPrefix(c.Request.URL.Path, "/api/") {
			s.auditRefusal(c.Request.Context(), r, err)
		}
		s.writeProblem(c, err, r.id)
	}
}
