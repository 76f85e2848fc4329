// Package strictjson decodes JSON once, and only JSON that means one thing.
//
// It refuses what decoders disagree on: duplicate keys, keys that differ in case
// only, unknown keys, NUL in a key or a text, trailing data, invalid UTF-8, deep nesting.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"

	"ambit/internal/fault"
)

// MaxDepth is the deepest nesting of arrays and objects that is read.
const MaxDepth = 64

// Decode reads raw into the value that into points to.
// Faults: malformed (cannot be read, is ambiguous, or has an unknown key),
// invalid (a field has the wrong type); each names the place.
func Decode(raw []byte, into any) error {
	if err := Check(raw); err != nil {
		return err
	}
	if unknown := unknownKeys(raw, reflect.TypeOf(into)); len(unknown) > 0 {
		f := fault.New(fault.Malformed, "%s is not a field here.", unknown[0].Path)
		f.Fields = unknown
		return f.WithFix("Send only the fields that are listed as valid, in their exact case.")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return typeFault(err)
	}
	return nil
}

// Check reports whether raw is one unambiguous JSON value.
// Fault: malformed, with the place.
func Check(raw []byte) error {
	if !utf8.Valid(raw) {
		return malformed("", "is not valid UTF-8")
	}
	good, wrong := syntax(raw)
	w := walker{raw: raw[:good], wrong: wrong}
	if err := w.value(nil, 0); err != nil {
		return err
	}
	if wrong != "" {
		return malformed("", wrong)
	}
	return nil
}

// typeFault says which field has a wrong type, without repeating its value.
func typeFault(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		place := wrong.Field
		if place == "" {
			place = "body"
		}
		return fault.InvalidFields([]fault.Field{{Path: place, Rule: "must be " + typeName(wrong.Type)}})
	}
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return f
	}
	return fault.InvalidFields([]fault.Field{{Path: "body", Rule: "has a value that its field does not take"}})
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Int32:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	}
	return "an object"
}

func malformed(path, what string) error {
	place := path
	if place == "" {
		place = "body"
	}
	f := fault.New(fault.Malformed, "The JSON cannot be read: %s %s.", show(place), what)
	f.Fields = []fault.Field{{Path: show(place), Rule: what}}
	return f.WithFix("Send one JSON value in UTF-8, each key once.")
}
