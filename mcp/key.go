package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"

	"ambit/api/client"
)

// callKey is the idempotency key of a builder call; zero for other calls.
type callKey struct {
	value   string
	derived bool // made from the request; the caller gave none
}

// keyOf returns the key that the caller gave, or one made of the tool, the
// arguments and the request's id: the same request sent again replays, a new
// one acts.
func keyOf(t Tool, rq *request) callKey {
	if !t.keyed() {
		return callKey{}
	}
	args, given := canonicalArguments(rq.params.Arguments)
	if given != "" {
		return callKey{value: given}
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(t.Name), args, rq.id} {
		h.Write(part)
		h.Write([]byte{0}) // none of the parts has one
	}
	return callKey{value: "mcp-" + hex.EncodeToString(h.Sum(nil)), derived: true}
}

// canonicalArguments writes equal arguments alike: keys in order, no spaces,
// numbers as they were sent. It also returns the key that they give.
func canonicalArguments(raw json.RawMessage) (canonical []byte, key string) {
	args := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if len(raw) > 0 && dec.Decode(&args) != nil {
		return raw, ""
	}
	key, _ = args["idempotency_key"].(string)
	canonical, _ = json.Marshal(args) // it was unmarshalled
	return canonical, key
}

// inForce returns the key under which the API did the call, and whether it
// replayed an earlier answer.
func (k callKey) inForce(a client.Answer) (key string, replayed bool) {
	key = k.value
	if h := a.Header.Get(client.HeaderKey); h != "" {
		key = h
	}
	return key, a.Header.Get(client.HeaderReplayed) == "true"
}

var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// trace returns the trace that the request is part of, if it names one.
func trace(rq *request) string {
	if t := rq.params.Meta.Trace; traceparent.MatchString(t) {
		return t
	}
	return ""
}
