package strictjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"strings"

	"ambit/internal/fault"
)

// unknownKeys returns the keys of raw that the type has no field for, the exact
// case included, with the fields that it has.
func unknownKeys(raw []byte, t reflect.Type) []fault.Field {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // a number that no float64 holds must not hide the keys beside it
	if dec.Decode(&v) != nil {
		return nil // the decoder that follows says what is wrong
	}
	return unknownIn(v, t, "")
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func unknownIn(v any, t reflect.Type, path string) []fault.Field {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		return unknownInObject(v, t, path)
	case []any:
		if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
			return nil
		}
		for _, item := range v {
			if wrong := unknownIn(item, t.Elem(), path+"[]"); wrong != nil {
				return wrong
			}
		}
	}
	return nil
}

func unknownInObject(v map[string]any, t reflect.Type, path string) []fault.Field {
	var wrong []fault.Field
	if t.Kind() == reflect.Map {
		for key, item := range v {
			wrong = append(wrong, unknownIn(item, t.Elem(), join(path, key))...)
		}
		return wrong
	}
	if t.Kind() != reflect.Struct || len(v) == 0 {
		return nil
	}
	fields := fieldsOf(t)
	var valid []string
	for key, item := range v {
		field, ok := fields[key]
		if !ok {
			if valid == nil {
				valid = names(fields)
			}
			wrong = append(wrong, fault.Field{Path: show(join(path, key)), Rule: "is not a field here", Valid: valid})
			continue
		}
		wrong = append(wrong, unknownIn(item, field, join(path, key))...)
	}
	sort.Slice(wrong, func(i, j int) bool { return wrong[i].Path < wrong[j].Path })
	return wrong
}

// fieldsOf returns the JSON names of a struct's fields and their types.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || (f.Anonymous && name == "") {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out[name] = f.Type
	}
	return out
}

func names(fields map[string]reflect.Type) []string {
	out := make([]string, 0, len(fields))
	for name := range fields {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
