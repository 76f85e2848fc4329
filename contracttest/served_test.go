package contracttest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ambit/mcp"
)

// What the server tells of itself is the law of its served rows, and the
// contract of its tools.
func testServedContract(t *testing.T, w *world) {
	var served struct {
		Routes []struct {
			Method, Path, Class, Role, Bound string
			Key                              bool `json:"key_required"`
			Run                              bool `json:"takes_a_run"`
		}
		Tools []mcp.ContractRow
	}
	w.send(w.callers["read"].credential, "GET", "/api/contract", nil).read(t, 200, &served)
	var told, want []lawRow
	for _, r := range served.Routes {
		told = append(told, lawRow{method: r.Method, path: r.Path, class: r.Class, role: r.Role, bound: r.Bound, key: r.Key, run: r.Run})
	}
	for _, r := range lawOfServed(t) {
		r.cli, r.session, r.stepUp = false, false, false // the page does not tell
		want = append(want, r)
	}
	for _, d := range differences(want, told) {
		t.Error("GET /api/contract: " + d)
	}
	if !reflect.DeepEqual(served.Tools, mcp.Contract(mcp.Tools)) {
		t.Errorf("GET /api/contract tells other tools than there are: %v", served.Tools)
	}
}

func lawOfServed(t testing.TB) []lawRow {
	t.Helper()
	rows, _ := served(t)
	return rows
}

// OpenAPI has the served rows, each with the credential that it asks for, and no others.
func testOpenAPI(t *testing.T, w *world) {
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]json.RawMessage
	}
	w.send(credential{}, "GET", "/api/openapi.json", nil).read(t, 200, &doc)
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("OpenAPI %q, want 3.1", doc.OpenAPI)
	}
	var told, want []string
	for path, methods := range doc.Paths {
		for method := range methods {
			if method != "parameters" {
				told = append(told, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, r := range lawOfServed(t) {
		if r.class != "own" { // the mounts speak another protocol
			want = append(want, r.place())
		}
	}
	slices.Sort(told)
	slices.Sort(want)
	if !slices.Equal(told, want) {
		t.Errorf("OpenAPI has %s too many, and %s too few", without(strings.Join(told, "\n"), strings.Join(want, "\n")), without(strings.Join(want, "\n"), strings.Join(told, "\n")))
	}
}
