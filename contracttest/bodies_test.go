package contracttest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// bodyOf is a route's body, field by field, and what may be wrong with each.
type bodyOf struct {
	place  string
	caller string
	good   map[string]string // values as JSON
	needed []string
	wrong  []wrongField
}

// wrongField is a value that a field does not take, and the place that the
// refusal names. An empty place is the field itself.
type wrongField struct{ field, value, place string }

func text(n int) string { return `"` + strings.Repeat("a", n) + `"` }

// mistyped are values that no field of the kind takes.
var mistyped = map[string][]string{
	"string": {`7`, `1.5`, `true`, `[]`, `{}`, `["a"]`},
	"number": {`"7"`, `true`, `[]`, `{}`, `1e400`},
	"list":   {`7`, `"a"`, `true`, `{}`},
	"object": {`7`, `"a"`, `true`, `[]`},
}

func wrongOf(kind string, fields ...string) (out []wrongField) {
	for _, f := range fields {
		for _, v := range mistyped[kind] {
			out = append(out, wrongField{field: f, value: v})
		}
	}
	return out
}

var bodiesOf = []bodyOf{
	{
		place: "POST /api/query", caller: "read", needed: []string{"workspace_id", "sql"},
		good: map[string]string{"workspace_id": `"{ws}"`, "sql": `"SELECT 1 AS n"`, "limit": `5`},
		wrong: slices.Concat(wrongOf("string", "workspace_id", "sql"), wrongOf("number", "limit"), []wrongField{
			{"limit", `-1`, ""}, {"limit", `10001`, ""}, {"limit", `1.5`, ""},
		}),
	},
	{
		place: "POST /api/workspaces/{ws}/plans", caller: "builder", needed: []string{"dataset_id", "target"},
		good: map[string]string{
			"dataset_id": `"{dataset}"`, "target": `"class"`, "positive": `"yes"`, "task": `"binary"`, "metric": `"auc"`, "ignore": `["noise"]`,
			"split": `{"k":2,"seed":1,"holdout":0}`, "families": `["linear"]`, "budget": `{"time_s":30,"threads":1}`, "seed": `1`,
			"expires_in_s": `3600`, "note": `"n"`, "hypothesis": `"h"`,
		},
		wrong: slices.Concat(
			wrongOf("string", "dataset_id", "target", "positive", "task", "metric", "note", "hypothesis"),
			wrongOf("number", "seed", "expires_in_s"), wrongOf("list", "ignore", "families"), wrongOf("object", "split", "budget"),
			[]wrongField{
				{"target", `"no such column"`, ""}, {"target", `"CLASS"`, ""}, {"positive", `"perhaps"`, ""}, {"task", `"poetry"`, ""}, {"task", `"regression"`, ""},
				{"metric", `"luck"`, ""}, {"metric", `"rmse"`, ""}, {"ignore", `["no such column"]`, "ignore[0]"}, {"ignore", `[7]`, ""},
				{"ignore", `["size","colour","noise"]`, "ignore"},
				{"split", `{"k":1}`, "split.k"}, {"split", `{"k":21}`, "split.k"}, {"split", `{"k":"2"}`, "split.k"}, {"split", `{"k":2.5}`, "split.k"},
				{"split", `{"holdout":-0.1}`, "split.holdout"}, {"split", `{"holdout":0.51}`, "split.holdout"}, {"split", `{"seed":"x"}`, "split.seed"}, {"split", `{"seed":1e30}`, "split.seed"},
				{"families", `["oak"]`, "families[0]"}, {"families", `[7]`, ""}, {"budget", `{"time_s":4}`, "budget.time_s"}, {"budget", `{"time_s":86401}`, "budget.time_s"},
				{"budget", `{"threads":17}`, "budget.threads"}, {"budget", `{"threads":-1}`, "budget.threads"}, {"seed", `1.5`, ""}, {"seed", `9223372036854775808`, ""},
				{"expires_in_s", `-1`, ""}, {"expires_in_s", `2592001`, ""}, {"note", text(2049), ""}, {"hypothesis", text(2049), ""},
			}),
	},
	{
		place: "POST /api/plans/{id}/launch", caller: "builder",
		good:  map[string]string{"hash": `"not-its-hash"`},
		wrong: wrongOf("string", "hash"),
	},
	{
		place: "POST /api/runs/{id}/models", caller: "builder", needed: []string{"trial_id", "name"},
		good: map[string]string{"trial_id": `"{trial}"`, "name": `"first"`}, // a name that is taken
		wrong: slices.Concat(wrongOf("string", "trial_id", "name"), []wrongField{
			{"name", text(101), ""}, {"name", `"two\nlines"`, ""}, {"name", `" first"`, ""}, {"name", `"../first"`, ""},
		}),
	},
	{
		place: "POST /api/models/{id}/score", caller: "compute", needed: []string{"rows"},
		good: map[string]string{"rows": `[{"size":3,"colour":"red","noise":1}]`},
		wrong: slices.Concat(wrongOf("list", "rows"), []wrongField{
			{"rows", `[]`, ""}, {"rows", `[7]`, "rows"}, {"rows", `["a"]`, "rows"}, {"rows", `[[3]]`, "rows"},
			{"rows", `[{"size":{}}]`, "rows[0].size"}, {"rows", `[{"size":3},{"size":[1]}]`, "rows[1].size"}, {"rows", `[{"size":"three"}]`, "rows[0].size"},
			{"rows", `[{"shape":3}]`, "rows[0].shape"}, {"rows", `[` + strings.Repeat(`{"size":3},`, 100) + `{"size":3}]`, ""},
		}),
	},
}

// json writes a body with one field in place of another's value.
func (b bodyOf) json(change map[string]string) string {
	all := maps.Clone(b.good)
	maps.Copy(all, change)
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", name, all[name]))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// ask sends a body to its route.
func (w *world) ask(t testing.TB, b bodyOf, body string, change ...func(*http.Request)) answer {
	t.Helper()
	method, path, _ := strings.Cut(b.place, " ")
	row := lawRow{method: method, path: path}
	change = append([]func(*http.Request){withKey(fresh())}, change...)
	return w.send(w.callers[b.caller].credential, method, w.fill(t, path, row), w.fill(t, body, row), change...)
}

// Every field missing, mistyped, out of bounds, unknown, twice, in another case:
// a typed refusal that names it, and nothing happens.
func testFields(t *testing.T, w *world) {
	for _, b := range bodiesOf {
		t.Run(b.place, func(t *testing.T) {
			w.unchanged(t, func() { b.try(t, w) })
		})
	}
}

func (b bodyOf) try(t *testing.T, w *world) {
	for _, name := range b.needed {
		w.ask(t, b, b.json(map[string]string{name: ""})).names(t, "without "+name, 422, "invalid", name)
		w.ask(t, b, b.json(map[string]string{name: `null`})).names(t, "null as "+name, 422, "invalid", name)
	}
	for _, x := range b.wrong {
		place := x.place
		if place == "" {
			place = x.field
		}
		w.ask(t, b, b.json(map[string]string{x.field: x.value})).names(t, fmt.Sprintf("%s: %.60s", x.field, x.value), 422, "invalid", place)
	}
	w.ask(t, b, b.json(map[string]string{"unknown": `1`})).names(t, "an unknown field", 400, "malformed", "unknown")
	for _, name := range slices.Sorted(maps.Keys(b.good)) {
		other := strings.ToUpper(name[:1]) + name[1:]
		w.ask(t, b, b.json(map[string]string{other: b.good[name]})).names(t, other+" beside "+name, 400, "malformed", name)
		w.ask(t, b, b.json(map[string]string{name: "", other: b.good[name]})).names(t, other+" for "+name, 400, "malformed", other)
	}
	for name, value := range b.good {
		twice := strings.TrimSuffix(b.json(nil), "}") + fmt.Sprintf(",%q:%s}", name, value)
		w.ask(t, b, twice).names(t, name+" twice", 400, "malformed", name)
	}
	for _, whole := range []string{`7`, `"a"`, `[]`, `true`, `[{}]`} {
		w.ask(t, b, whole).names(t, "the body "+whole, 422, "invalid", "body")
	}
}

// unreadable are bodies that are no one JSON value.
var unreadable = []struct{ name, body string }{
	{"no JSON", `sql=SELECT 1`},
	{"half of it", `{"workspace_id":"x","sql":"SELECT`},
	{"white space", " \n "},
	{"a second value", `{"workspace_id":"{ws}","sql":"SELECT 1"}{}`},
	{"data after it", `{"workspace_id":"{ws}","sql":"SELECT 1"} x`},
	{"trailing comma", `{"workspace_id":"{ws}","sql":"SELECT 1",}`},
	{"single quotes", `{'workspace_id':'{ws}'}`},
	{"a comment", `{"workspace_id":"{ws}",/* */"sql":"SELECT 1"}`},
	{"NaN", `{"workspace_id":"{ws}","sql":"SELECT 1","limit":NaN}`},
	{"a number with a leading zero", `{"workspace_id":"{ws}","sql":"SELECT 1","limit":01}`},
	{"a byte order mark", "\ufeff" + `{"workspace_id":"{ws}","sql":"SELECT 1"}`},
	{"bytes that are no UTF-8", "{\"workspace_id\":\"{ws}\",\"sql\":\"SELECT '\xff'\"}"},
	{"UTF-16", "{\x00\"\x00s\x00q\x00l\x00\"\x00}\x00"},
	{"a key with NUL", `{"workspace_id":"{ws}","sql":"SELECT 1","limit\u0000":1}`},
	{"one key twice, escaped", `{"workspace_id":"{ws}","sql":"SELECT 1","s\u0071l":"SELECT 2"}`},
	{"one key twice, folded", `{"workspace_id":"{ws}","sql":"SELECT 1","\u017fql":"SELECT 2"}`},
	{"nested too deep", `{"workspace_id":"{ws}","sql":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`},
	{"nested very deep", strings.Repeat(`{"a":`, 100_000)},
}

func testUnreadableBodies(t *testing.T, w *world) {
	b := bodiesOf[0]
	for _, tt := range unreadable {
		w.ask(t, b, tt.body).names(t, tt.name, 400, "malformed", "")
	}
}

// Bodies are JSON by their own word, whole, and at most 1 MiB.
func testMediaTypes(t *testing.T, w *world) {
	b := bodiesOf[0]
	tests := []struct {
		name, header string
		values       []string
		status       int
		code         string
	}{
		{"JSON", "Content-Type", []string{"application/json"}, 200, ""},
		{"JSON with a parameter", "Content-Type", []string{"application/json; charset=utf-8"}, 200, ""},
		{"JSON in another case", "Content-Type", []string{"Application/JSON"}, 200, ""},
		{"nothing", "Content-Type", nil, 415, "unsupported_media_type"},
		{"text", "Content-Type", []string{"text/plain"}, 415, "unsupported_media_type"},
		{"a form", "Content-Type", []string{"application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
		{"a multipart form", "Content-Type", []string{"multipart/form-data; boundary=x"}, 415, "unsupported_media_type"},
		{"another kind of JSON", "Content-Type", []string{"application/merge-patch+json"}, 415, "unsupported_media_type"},
		{"two kinds in one", "Content-Type", []string{"text/plain, application/json"}, 415, "unsupported_media_type"},
		{"two kinds", "Content-Type", []string{"application/json", "text/plain"}, 415, "unsupported_media_type"},
		{"a broken kind", "Content-Type", []string{"application/json; charset"}, 415, "unsupported_media_type"},
		{"compressed", "Content-Encoding", []string{"gzip"}, 415, "unsupported_media_type"},
		{"not compressed", "Content-Encoding", []string{"identity"}, 200, ""},
	}
	for _, tt := range tests {
		a := w.ask(t, b, b.json(nil), func(r *http.Request) {
			r.Header.Del(tt.header)
			for _, v := range tt.values {
				r.Header.Add(tt.header, v)
			}
		})
		a.is(t, tt.name, tt.status, tt.code)
	}
	w.send(cli, "POST", "/api/workspaces/"+w.a+"/datasets", `{"name":"x"}`).is(t, "JSON as an upload", 415, "unsupported_media_type")
}

func testSizes(t *testing.T, w *world) {
	b := bodiesOf[0]
	of := func(n int) string {
		body := w.fill(t, b.json(nil), lawRow{})
		return body + strings.Repeat(" ", n-len(body))
	}
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	w.ask(t, b, of(1<<20)).is(t, "1 MiB", 200, "")
	w.ask(t, b, of(1<<20+1)).is(t, "1 MiB and a byte", 413, "too_large")
	w.ask(t, b, of(1<<20), chunked).is(t, "1 MiB of unknown length", 200, "")
	w.ask(t, b, of(1<<20+1), chunked).is(t, "1 MiB and a byte of unknown length", 413, "too_large")
	w.ask(t, b, b.json(map[string]string{"sql": text(32<<10 + 1)})).is(t, "long SQL", 422, "too_long")
	many := func(n int) func(*http.Request) {
		return func(r *http.Request) {
			for i := range n {
				r.Header.Set(fmt.Sprintf("X-Filler-%d", i), "a")
			}
		}
	}
	w.ask(t, b, b.json(nil), many(50)).is(t, "50 more headers", 200, "")
	w.ask(t, b, b.json(nil), many(70)).is(t, "70 more headers", 400, "malformed")
}
