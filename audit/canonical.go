package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// canonical returns the JSON of e without its hash, as RFC 8785 writes it.
func canonical(e Entry) []byte {
	raw, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("an audit record is not JSON: %v", err)) // it holds texts, numbers and booleans only
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var members map[string]any
	if err := dec.Decode(&members); err != nil {
		panic(fmt.Sprintf("an audit record is not JSON: %v", err))
	}
	delete(members, "hash")
	return appendMembers(nil, members)
}

// appendMembers writes a flat object. The names are ASCII, so that the order
// of bytes is the order of UTF-16 units that the RFC asks for; the numbers are
// integers below 2^53, which it writes as they are.
func appendMembers(b []byte, members map[string]any) []byte {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		switch v := members[name].(type) {
		case string:
			b = appendText(b, v)
		case nil:
			b = append(b, "null"...)
		default:
			b = fmt.Append(b, v)
		}
	}
	return append(b, '}')
}

// escapes are the short escapes of JSON.
var escapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

// appendText writes a text with the escapes that JSON demands and no others;
// encoding/json escapes more (<, >, &, U+2028, U+2029).
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		short, ok := escapes[r]
		switch {
		case ok:
			b = append(b, short...)
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}
