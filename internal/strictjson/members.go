package strictjson

import "encoding/json"

// Members are the members of an object, in its order, each value as it was written.
type Members []struct {
	Key   string
	Value json.RawMessage
}

// Get returns the value of a key; nil if it is not there.
func (m Members) Get(key string) json.RawMessage {
	for i := range m {
		if m[i].Key == key {
			return m[i].Value
		}
	}
	return nil
}

// MembersOf returns the members of an object in which [Check] found nothing
// wrong. Their values are parts of raw. Ok is false if raw is no object.
func MembersOf(raw []byte) (m Members, ok bool) {
	w := walker{raw: raw}
	if !w.take('{') {
		return nil, false
	}
	for w.next() == '"' {
		key := meaning(w.text())
		w.take(':')
		w.next()
		start := w.pos
		w.skip()
		m = append(m, struct {
			Key   string
			Value json.RawMessage
		}{key, raw[start:w.pos]})
		w.take(',')
	}
	return m, true
}

// skip walks over a value without looking at its keys.
func (w *walker) skip() {
	for depth := 0; w.pos < len(w.raw); {
		switch w.next() {
		case '{', '[':
			depth++
			w.pos++
		case '}', ']':
			depth--
			w.pos++
		case ',', ':':
			w.pos++
		case '"':
			w.text()
		default:
			w.word()
		}
		if depth == 0 {
			return
		}
	}
}
