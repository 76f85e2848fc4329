package idempotency

import (
	"net/url"
	"testing"
)

func base() Request {
	return Request{
		Method: "POST", Route: "plan_create", Path: map[string]string{"ws": "ws_1"},
		Query: url.Values{"a": {"1"}, "b": {"2"}}, Body: []byte(`{"a":1,"b":[1,2],"c":{"x":"é","y":null}}`),
	}
}

// The value is written down: records that a release has kept must still be
// found by the next one.
func TestFingerprintIsPinned(t *testing.T) {
	const want = "c0bcc903fc92305c5891af52bbe2baba5c8fa3c4c1fe48d717b033801f9f911e"
	if got := base().Fingerprint(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFingerprint(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Request)
		same   bool
	}{
		{"nothing", func(*Request) {}, true},
		{"order of members, white space and escapes", func(r *Request) {
			r.Body = []byte(" {\n\"c\": {\"y\":null, \"x\":\"\\u00e9\"}, \"b\":[1, 2],\"a\":1 }\n")
		}, true},
		{"order of the query", func(r *Request) { r.Query, _ = url.ParseQuery("b=2&a=1") }, true},
		{"method", func(r *Request) { r.Method = "PUT" }, false},
		{"route", func(r *Request) { r.Route = "plan_launch" }, false},
		{"path value", func(r *Request) { r.Path = map[string]string{"ws": "ws_2"} }, false},
		{"path name", func(r *Request) { r.Path = map[string]string{"id": "ws_1"} }, false},
		{"path name and value joined otherwise", func(r *Request) { r.Path = map[string]string{"w": "sws_1"} }, false},
		{"no path", func(r *Request) { r.Path = nil }, false},
		{"query value", func(r *Request) { r.Query = url.Values{"a": {"1"}, "b": {"3"}} }, false},
		{"query value twice", func(r *Request) { r.Query = url.Values{"a": {"1", "1"}, "b": {"2"}} }, false},
		{"value", func(r *Request) { r.Body = []byte(`{"a":2,"b":[1,2],"c":{"x":"é","y":null}}`) }, false},
		{"order of a list", func(r *Request) { r.Body = []byte(`{"a":1,"b":[2,1],"c":{"x":"é","y":null}}`) }, false},
		{"text for a number", func(r *Request) { r.Body = []byte(`{"a":"1","b":[1,2],"c":{"x":"é","y":null}}`) }, false},
		{"null left out", func(r *Request) { r.Body = []byte(`{"a":1,"b":[1,2],"c":{"x":"é"}}`) }, false},
		{"trailing data", func(r *Request) { r.Body = append(r.Body, " 1"...) }, false},
		{"no body", func(r *Request) { r.Body = nil }, false},
	}
	want := base().Fingerprint()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := base()
			tt.change(&r)
			if got := r.Fingerprint() == want; got != tt.same {
				t.Errorf("same fingerprint: got %v, want %v", got, tt.same)
			}
		})
	}
}

func TestFingerprintTellsLookalikesApart(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"integers beyond 2^53", `{"n":9007199254740993}`, `{"n":9007199254740992}`},
		{"JSON and bytes of another kind", `{"n":1}`, "n,1\n"},
		{"bytes that are not UTF-8", "\xff", "\xfe"},
		{"white space of what is not JSON", "a b", "a  b"},
		{"null and nothing", "null", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := Request{Body: []byte(tt.a)}, Request{Body: []byte(tt.b)}
			if a.Fingerprint() == b.Fingerprint() {
				t.Errorf("%q and %q have the same fingerprint", tt.a, tt.b)
			}
		})
	}
}
