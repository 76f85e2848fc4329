package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// syntax returns how many bytes of raw are JSON or the beginning of it, and what
// is wrong after them: "" if raw as a whole is JSON.
func syntax(raw []byte) (good int, wrong string) {
	if json.Valid(raw) {
		return len(raw), ""
	}
	var first json.RawMessage
	err := json.NewDecoder(bytes.NewReader(raw)).Decode(&first)
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
		return int(bad.Offset) - 1, fmt.Sprintf("is not JSON at byte %d", bad.Offset)
	}
	if err == nil {
		return len(raw), "has data after the JSON value"
	}
	return len(raw), "ends in the middle of the JSON value"
}

// walker walks once over JSON, or the beginning of it, and looks at the keys.
// That what it walks over is JSON is known: it checks no syntax, and finds out
// where in the value the text ends too soon.
type walker struct {
	raw   []byte
	pos   int    // of the next byte
	wrong string // with what follows raw
}

// escapedNUL is in every string of JSON that has a NUL character, and in some
// that have a backslash.
var escapedNUL = []byte(`\u0000`)

// value walks over the value that stands at a place.
func (w *walker) value(at *place, depth int) error {
	if depth > MaxDepth {
		return malformed(at.String(), fmt.Sprintf("is nested deeper than %d", MaxDepth))
	}
	switch w.next() {
	case '{':
		return w.object(at, depth)
	case '[':
		return w.array(at, depth)
	case '"':
		literal := w.text()
		if literal == nil {
			return w.endsAt(at)
		}
		if bytes.Contains(literal, escapedNUL) && strings.IndexByte(meaning(literal), 0) >= 0 {
			return malformed(at.String(), "has a NUL character, which no text that is kept can have")
		}
	default:
		w.word()
		if w.pos == len(w.raw) && at != nil { // inside of something, more must follow
			return w.endsAt(at)
		}
	}
	return nil
}

func (w *walker) object(at *place, depth int) error {
	w.pos++
	member, seen := &place{in: at}, map[string]bool{}
	for !w.take('}') {
		if len(seen) > 0 && !w.take(',') {
			return w.endsAt(at)
		}
		if err := w.key(member, seen); err != nil {
			return err
		}
		w.take(':')
		if err := w.value(member, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// key walks over a key, which must not be among those seen.
func (w *walker) key(member *place, seen map[string]bool) error {
	w.next()
	literal := w.text()
	if literal == nil {
		return w.endsAt(member.in)
	}
	member.key = meaning(literal)
	if strings.IndexByte(member.key, 0) >= 0 {
		return malformed(member.in.String(), "has a key with a NUL character")
	}
	folded := foldKey(member.key)
	if seen[folded] {
		return malformed(member.String(), "is there twice, or differs from another key in case only")
	}
	seen[folded] = true
	return nil
}

func (w *walker) array(at *place, depth int) error {
	w.pos++
	for item := (&place{in: at, item: true}); !w.take(']'); item.index++ {
		if item.index > 0 && !w.take(',') {
			return w.endsAt(at)
		}
		if err := w.value(item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// text walks over a string and returns it with its quotes; nil if it has no end.
func (w *walker) text() []byte {
	start := w.pos
	for w.pos++; w.pos < len(w.raw); w.pos++ {
		switch w.raw[w.pos] {
		case '"':
			w.pos++
			return w.raw[start:w.pos]
		case '\\':
			w.pos++ // what follows may be a quote
		}
	}
	w.pos = len(w.raw)
	return nil
}

// word walks over a number, or over true, false or null.
func (w *walker) word() {
	for w.pos < len(w.raw) && strings.IndexByte(",]} \t\r\n", w.raw[w.pos]) < 0 {
		w.pos++
	}
}

// take walks over white space and, if it comes next, c.
func (w *walker) take(c byte) bool {
	found := w.next() == c
	if found {
		w.pos++
	}
	return found
}

// next walks over white space and returns the byte that follows, 0 at the end.
func (w *walker) next() byte {
	for ; w.pos < len(w.raw); w.pos++ {
		switch c := w.raw[w.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (w *walker) endsAt(at *place) error { return malformed(at.String(), w.wrong) }

// meaning returns what a string's literal means.
func meaning(literal []byte) (s string) {
	if bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1])
	}
	json.Unmarshal(literal, &s) // it is JSON
	return s
}

// foldKey maps keys that a case-insensitive decoder takes for one to one text.
// Upper before lower also folds the runes with two lower forms, such as ſ and K.
func foldKey(key string) string {
	for i := range len(key) {
		if key[i] >= utf8.RuneSelf {
			return strings.ToLower(strings.ToUpper(key))
		}
	}
	return strings.ToLower(key)
}
