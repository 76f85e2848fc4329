package strictjson_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/internal/strictjson"
)

type request struct {
	Name  string            `json:"name"`
	Count int               `json:"count"`
	Split *struct{ K int }  `json:"split"`
	Rows  []struct{ A int } `json:"rows"`
	Free  map[string]any    `json:"free"`
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name, body string
		code       fault.Code
		place      string
	}{
		{"plain", `{"name":"a","count":2}`, "", ""},
		{"nested", `{"split":{"K":5},"rows":[{"A":1}],"free":{"any":[1,{"x":null}]}}`, "", ""},
		{"duplicate key", `{"name":"a","name":"b"}`, fault.Malformed, "name"},
		{"duplicate key in a free map", `{"free":{"x":1,"x":2}}`, fault.Malformed, "free.x"},
		{"case variant of a key", `{"name":"a","Name":"b"}`, fault.Malformed, "Name"},
		{"long s folds to s", `{"rows":[],"row\u017f":[]}`, fault.Malformed, "row?"},
		{"kelvin sign folds to k", `{"free":{"k":1,"\u212a":2}}`, fault.Malformed, "free.?"},
		{"wrong case alone", `{"Name":"a"}`, fault.Malformed, "Name"},
		{"wrong case beside a number that no float64 holds", `{"NAME":"a","free":{"x":1e999}}`, fault.Malformed, "NAME"},
		{"a number that no float64 holds", `{"free":{"x":1e999}}`, "", ""},
		{"duplicate key far inside", `{"free":{"x":[0,[{"y":1,"y":2}]]}}`, fault.Malformed, "free.x[1][0].y"},
		{"unknown key", `{"nmae":"a"}`, fault.Malformed, "nmae"},
		{"unknown key inside", `{"split":{"K":5,"seed":1}}`, fault.Malformed, "split.seed"},
		{"unknown key in a list", `{"rows":[{"A":1},{"B":1}]}`, fault.Malformed, "rows[].B"},
		{"NUL in a text", `{"free":{"x":[1,"a\u0000b"]}}`, fault.Malformed, "free.x[1]"},
		{"a backslash before u0000", `{"name":"a\\u0000"}`, "", ""},
		{"NUL in a key", `{"na\u0000me":"a"}`, fault.Malformed, "body"},
		{"trailing data", `{"name":"a"}{}`, fault.Malformed, "body"},
		{"trailing comma", `{"rows":[{"A":1},]}`, fault.Malformed, "rows[1]"},
		{"cut short", `{"name":"a"`, fault.Malformed, "body"},
		{"empty", ``, fault.Malformed, "body"},
		{"bad UTF-8", "{\"name\":\"\xff\"}", fault.Malformed, "body"},
		{"a list of 10,000 lists", strings.Repeat("[", 10000), fault.Malformed, ""},
		{"string for number", `{"count":"2"}`, fault.Invalid, "count"},
		{"fraction for whole number", `{"count":2.5}`, fault.Invalid, "count"},
		{"number for string", `{"name":1}`, fault.Invalid, "name"},
		{"list for the body", `[]`, fault.Invalid, "body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in request
			err := strictjson.Decode([]byte(tt.body), &in)
			if got := fault.CodeOf(err); got != tt.code {
				t.Fatalf("Decode(%.60s) = %v, want code %q", tt.body, err, tt.code)
			}
			if tt.place != "" && fault.From(err).Fields[0].Path != tt.place {
				t.Errorf("Decode(%.60s) names %q, want %q", tt.body, fault.From(err).Fields[0].Path, tt.place)
			}
		})
	}
}

func TestUnknownKeyListsTheFields(t *testing.T) {
	var in struct {
		Name string `json:"name"`
		Goal string `json:"goal"`
	}
	f := fault.From(strictjson.Decode([]byte(`{"title":"x"}`), &in))
	if got, want := strings.Join(f.Fields[0].Valid, ","), "goal,name"; got != want {
		t.Errorf("valid fields = %q, want %q", got, want)
	}
}

func TestAFaultRepeatsNoValue(t *testing.T) {
	var in request
	err := strictjson.Decode([]byte(`{"count":"secret-value"}`), &in)
	if strings.Contains(err.Error(), "secret-value") {
		t.Errorf("the fault repeats the caller's value: %v", err)
	}
}

// What is said of where a value stands must not cost more than the body itself:
// here the place of each of 20,000 values is 100,000 bytes long.
func TestPlacesAreNotCopiedForEveryValue(t *testing.T) {
	key := strings.Repeat("k", 100_000)
	for name, body := range map[string]string{
		"items":   `{"` + key + `":[0` + strings.Repeat(",0", 20_000) + `]}`,
		"members": `{"` + key + `":{` + manyMembers(20_000) + `}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := strictjson.Check([]byte(body)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(64<<20); got > most {
			t.Errorf("%s: checking %d bytes allocated %d, want at most %d", name, len(body), got, most)
		}
	}
}

// manyMembers returns the members of an object, each key another.
func manyMembers(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = `"` + strconv.Itoa(i) + `":0`
	}
	return strings.Join(members, ",")
}
