package strictjson_test

import (
	"encoding/json"
	"maps"
	"testing"

	"ambit/internal/strictjson"
)

func TestMembersOf(t *testing.T) {
	raw := ` { "a" : [1, {"b": "]}"}] ,"c\u0041":"x, \" }", "d":-1.5e3,"e" : {"f":{}},"g":null } `
	want := []struct{ key, value string }{
		{"a", `[1, {"b": "]}"}]`}, {"cA", `"x, \" }"`}, {"d", `-1.5e3`}, {"e", `{"f":{}}`}, {"g", `null`},
	}
	got, ok := strictjson.MembersOf([]byte(raw))
	if !ok || len(got) != len(want) {
		t.Fatalf("MembersOf = %d members, %v; want %d", len(got), ok, len(want))
	}
	for i, w := range want {
		if got[i].Key != w.key || string(got[i].Value) != w.value {
			t.Errorf("member %d = %s: %s, want %s: %s", i, got[i].Key, got[i].Value, w.key, w.value)
		}
		if v := got.Get(w.key); string(v) != w.value {
			t.Errorf("Get(%q) = %s, want %s", w.key, v, w.value)
		}
	}
	if v := got.Get("A"); v != nil {
		t.Errorf("Get of a key in another case = %s, want none", v)
	}
}

func TestMembersOfNoObject(t *testing.T) {
	for _, raw := range []string{`[{"a":1}]`, `"{"`, `1`, `null`} {
		if got, ok := strictjson.MembersOf([]byte(raw)); ok {
			t.Errorf("MembersOf(%s) = %v, want no object", raw, got)
		}
	}
	if got, ok := strictjson.MembersOf([]byte(`{ }`)); !ok || len(got) != 0 {
		t.Errorf("MembersOf({ }) = %v, %v; want an object without members", got, ok)
	}
}

// FuzzMembersOf compares it with the library's map, of what Check lets pass.
func FuzzMembersOf(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want map[string]json.RawMessage
		if strictjson.Check(raw) != nil || json.Unmarshal(raw, &want) != nil || want == nil {
			return
		}
		members, _ := strictjson.MembersOf(raw)
		got := map[string]json.RawMessage{}
		for _, m := range members {
			got[m.Key] = m.Value
		}
		if len(members) != len(want) || !maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("MembersOf(%q) = %s, want %s", raw, got, want)
		}
	})
}
