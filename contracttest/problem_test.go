package contracttest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// problem is a problem document.
type problem struct {
	Type, Title, Code, Detail, Fix string
	Status                         int
	Request                        string `json:"request_id"`
	Fields                         []struct {
		Path, Rule string
		Valid      []string
	}
}

// problem reads a refusal, and checks what every one owes its caller: what was
// wrong, what to do next, the request's id, and nothing of the inside.
func (a answer) problem(t testing.TB, what string) problem {
	t.Helper()
	var p problem
	if err := json.Unmarshal(a.body, &p); err != nil {
		t.Errorf("%s: got %d %s, want a problem document", what, a.status, a.body)
		return p
	}
	switch {
	case a.header.Get("Content-Type") != "application/problem+json":
		t.Errorf("%s: Content-Type %q", what, a.header.Get("Content-Type"))
	case p.Type == "" || p.Title == "" || p.Detail == "" || p.Fix == "" || p.Request != a.header.Get("X-Request-Id"):
		t.Errorf("%s: something is missing in %s", what, a.body)
	case p.Status != a.status:
		t.Errorf("%s: the status in the document is %d, on the wire %d", what, p.Status, a.status)
	case len(a.body) > 2048:
		t.Errorf("%s: a problem of %d bytes, want at most 2,048", what, len(a.body))
	}
	for _, inside := range []string{"/tmp/", "/usr/", "goroutine", ".go:", "SQLSTATE", "sqlite", "strconv", "json:", "runtime error"} {
		if strings.Contains(string(a.body), inside) {
			t.Errorf("%s: %q shows the inside: %s", what, inside, a.body)
		}
	}
	return p
}

// names checks that a refusal names the place that is wrong.
func (a answer) names(t testing.TB, what string, status int, code, place string) {
	t.Helper()
	p := a.problem(t, what)
	if a.status != status || p.Code != code {
		t.Errorf("%s: got %d %s, want %d %s: %s", what, a.status, p.Code, status, code, a.body)
		return
	}
	var places []string
	for _, f := range p.Fields {
		places = append(places, f.Path)
		if f.Rule == "" {
			t.Errorf("%s: no rule for %s", what, f.Path)
		}
	}
	if place != "" && !slices.Contains(places, place) {
		t.Errorf("%s: got the places %q, want %q among them: %s", what, places, place, a.body)
	}
}
