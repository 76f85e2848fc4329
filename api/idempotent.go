package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ambit/internal/fault"
	"ambit/internal/idempotency"
	"ambit/scopes"
)

// derivedFor is how long a key that the MCP layer derived stands for the same
// call: JSON-RPC ids start again with each client process.
const derivedFor = 10 * time.Minute

// secretive is an answer with a secret that must not be kept.
type secretive interface {
	// withoutSecret returns the answer that a replay gets.
	withoutSecret() any
}

// keptOf is what is kept of an answer, for replays.
func (s *Server) keptOf(r *request, out any, answer idempotency.Reply) (idempotency.Reply, error) {
	if secret, ok := out.(secretive); ok {
		return s.replyOf(r, secret.withoutSecret())
	}
	return answer, nil
}

// checkKey reads the Idempotency-Key and fingerprints the request.
func (s *Server) checkKey(_ context.Context, r *request) error {
	if !r.route.Mutates() || r.call.Caller.Kind == scopes.Nobody {
		return nil
	}
	value, err := idempotency.ParseKey(r.c.Request.Header.Values("Idempotency-Key"))
	if err != nil {
		return err
	}
	if value == "" {
		if r.call.Caller.Kind == scopes.Token && r.route.NeedsKey() {
			return fault.New(fault.Malformed, "This route needs an Idempotency-Key from a token.").
				WithFix("Send a header \"Idempotency-Key\" with 1 to 255 visible ASCII characters; repeat the same one only to repeat the same request.")
		}
		return nil
	}
	if r.route.Upload && r.call.Caller.Kind == scopes.Token {
		return fault.New(fault.HumanOnly, "Uploads are a person's.")
	}
	print := idempotency.Request{
		Method: r.c.Request.Method, Route: string(r.route.ID), Path: r.call.params, Query: r.c.Request.URL.Query(), Body: r.body,
	}.Fingerprint()
	if r.end.secret {
		print = s.seasoned(print)
	}
	r.derived = r.c.GetHeader("X-Ambit-Key") == "derived"
	r.key = idempotency.Key{Principal: r.call.Caller.Principal(), Value: value, Fingerprint: print}
	return nil
}

// seasoned returns what is kept of the fingerprint of a body with a secret in
// it. Passwords could be tried on a plain digest, so it is made under a key that
// this process alone has and takes with it: after that the request does not
// replay, and says that its key was used.
func (s *Server) seasoned(print string) string {
	mac := hmac.New(sha256.New, s.pepper)
	mac.Write([]byte(print))
	return hex.EncodeToString(mac.Sum(nil))
}

// withDigest makes what was uploaded part of the fingerprint.
func withDigest(k idempotency.Key, d discarder) idempotency.Key {
	if k.Value == "" {
		return k
	}
	sum := sha256.Sum256([]byte(k.Fingerprint + " " + d.digest()))
	k.Fingerprint = hex.EncodeToString(sum[:])
	return k
}

// nextKey returns the key after k in the row k, k.2, k.3 …
func nextKey(k string) string {
	base, n, ok := strings.Cut(k, ".")
	if i, err := strconv.Atoi(n); ok && err == nil && i >= 2 {
		return base + "." + strconv.Itoa(i+1)
	}
	return k + ".2"
}

// writeReply answers an admitted request.
func (s *Server) writeReply(r *request) {
	if r.end.stream != nil {
		return // it has answered by itself
	}
	h := r.c.Writer.Header()
	for name, value := range r.reply.Headers {
		h.Set(name, value)
	}
	if r.key.Value != "" {
		h.Set("Idempotency-Key", r.key.Value)
	}
	if r.replayed {
		h.Set("Idempotency-Replayed", "true")
	}
	h.Set("Cache-Control", "no-store")
	if r.reply.Status == http.StatusNoContent {
		r.c.Status(http.StatusNoContent)
		return
	}
	r.c.Data(r.reply.Status, "application/json", r.reply.Body)
}
