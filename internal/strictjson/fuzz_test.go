package strictjson_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"ambit/internal/strictjson"
)

var seeds = []string{
	`{"name":"a","rows":[{"A":1}]}`, ` [ 1 , -0.5e+3 , true , null , "x" ] `, `{"a":{"b":[{}, []]}}`, `12`, `nul`, `"`, `"\u12"`, `-`, `01`, `1.`, `1e`,
	`{"a":1,}`, `{,}`, `{"a" 1}`, `{"a":}`, `{"a":1 "b":2}`, `[1,]`, `[,1]`, `[1 2]`, `[1}`, `{"a":1]`, `{1:2}`, `{"a":1}x`, `{"a":"\\"}`, `{"a\"b":1,"a\u0022B":2}`,
	`{"k":1,"\u212a":2}`, `{"k":1,"K":2}`, `{"a":{"x":1},"b":{"x":1}}`, `[{"x":1},{"x":1}]`, `{"":1,"":2}`, `{"\ud800":1,"\ud801":2}`, `{"\u0000":1}`, `["\u0000", "\\u0000"]`,
	"\"\x01\"", "{\"\xff\":1}", strings.Repeat("[", 65) + strings.Repeat("]", 65), strings.Repeat("[", 66) + strings.Repeat("]", 66),
}

// FuzzCheck compares Check with a reader of the library's tokens.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		want := utf8.Valid(raw) && json.Valid(raw) && clear(dec, 0)
		if err := strictjson.Check(raw); (err == nil) != want {
			t.Errorf("Check(%q) = %v, want fit: %v", raw, err, want)
		}
	})
}

// dotted makes one letter of the i's with and without a dot, which are each
// other's cases in some languages. The library keeps them apart; Check does not.
var dotted = strings.NewReplacer("İ", "i", "ı", "i")

// clear reports whether a value has no two keys that differ in case only, no
// NUL in a key or a text, and no more than 64 levels in it. The value is valid JSON.
func clear(dec *json.Decoder, depth int) bool {
	tok, err := dec.Token()
	if err == io.EOF || depth > 64 {
		return false
	}
	if s, ok := tok.(string); ok && strings.ContainsRune(s, 0) {
		return false
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return true
	}
	var keys []string
	for dec.More() {
		if delim == '{' {
			key, _ := dec.Token()
			keys = append(keys, key.(string))
		}
		if !clear(dec, depth+1) {
			return false
		}
	}
	_, err = dec.Token()
	for i, k := range keys {
		for _, earlier := range keys[:i] {
			if strings.EqualFold(dotted.Replace(k), dotted.Replace(earlier)) {
				return false
			}
		}
		if strings.ContainsRune(k, 0) {
			return false
		}
	}
	return err == nil
}

func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in request
		strictjson.Decode(raw, &in) // must not panic
	})
}

func BenchmarkCheck(b *testing.B) {
	message := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}},"name":"query","arguments":{"workspace_id":"ws_1","sql":"SELECT 1"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := strictjson.Check(message); err != nil {
			b.Fatal(err)
		}
	}
}
