package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"maps"
	"net/url"
	"slices"
	"unicode/utf8"
)

// Request is what makes two requests the same.
type Request struct {
	Method string
	Route  string            // id of the route
	Path   map[string]string // the values of its path parameters
	Query  url.Values
	Body   []byte
}

// Fingerprint returns the SHA-256 of the request in canonical form, hex. The
// order of members and the white space of a JSON body do not count, nor does
// the order of names in the query; the text of a number does. A body that is
// not JSON counts byte by byte.
//
// It trusts that a JSON body has no member twice: a strict decoder comes first.
func (r Request) Fingerprint() string {
	h := sha256.New()
	for _, part := range []string{r.Method, r.Route} {
		add(h, []byte(part))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Path)) {
		add(h, []byte(name))
		add(h, []byte(r.Path[name]))
	}
	add(h, []byte(r.Query.Encode()))
	if canonical, ok := canonicalJSON(r.Body); ok {
		add(h, []byte("json"))
		add(h, canonical)
	} else {
		add(h, []byte("bytes"))
		add(h, r.Body)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// add writes the length before the bytes, so that no two lists of parts are
// written alike.
func add(h hash.Hash, part []byte) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(part)))
	h.Write(n[:])
	h.Write(part)
}

// canonicalJSON sorts the members of every object and drops white space.
func canonicalJSON(body []byte) ([]byte, bool) {
	if !utf8.Valid(body) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber() // a float64 would make large numbers equal that are not
	var value any
	if dec.Decode(&value) != nil {
		return nil, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, false
	}
	out, err := json.Marshal(value)
	return out, err == nil
}
