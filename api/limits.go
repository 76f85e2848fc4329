package api

import (
	"context"

	"ambit/internal/fault"
)

const (
	maxBody   = 1 << 20 // bytes of a JSON body
	maxHeader = 64      // header lines
)

// checkLimits bounds what a request may be before anything of it is believed.
func (s *Server) checkLimits(_ context.Context, r *request) error {
	req := r.c.Request
	if len(req.Header) > maxHeader {
		return fault.New(fault.Malformed, "The request has more than %d header fields.", maxHeader)
	}
	if req.ContentLength > maxBody && !r.route.Upload {
		return tooLarge()
	}
	return nil
}

func tooLarge() error {
	return fault.New(fault.TooLarge, "The body is over %d bytes.", maxBody).WithFix("Send less in one request.")
}

// checkOrigin refuses what another site makes a browser send.
func (s *Server) checkOrigin(_ context.Context, r *request) error {
	if err := s.origins.Check(r.c.Request); err != nil {
		return fault.New(fault.OriginForbidden, "The request comes from another site.").
			WithFix("Send it from Ambit's own pages, or from a client that is no browser.").Because(err)
	}
	return nil
}
