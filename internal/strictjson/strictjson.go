// Package strictjson decodes JSON once, and only JSON that means one thing.
//
// It refuses what decoders disagree on: duplicate keys, keys that differ in case
// only, unknown keys, NUL in a key, trailing data, invalid UTF-8, deep nesting.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
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
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := value(dec, nil, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return malformed("", "has data after the JSON value")
	}
	if !json.Valid(raw) { // the token reader lets some bad punctuation pass
		return malformed("", "is not JSON")
	}
	return nil
}

// value reads one value and checks the keys in it.
func value(dec *json.Decoder, at *place, depth int) error {
	if depth > MaxDepth {
		return malformed(at.String(), fmt.Sprintf("is nested deeper than %d", MaxDepth))
	}
	tok, err := dec.Token()
	if err != nil {
		return syntaxFault(err, at)
	}
	switch tok {
	case json.Delim('{'):
		return object(dec, at, depth)
	case json.Delim('['):
		return array(dec, at, depth)
	}
	return nil
}

func object(dec *json.Decoder, at *place, depth int) error {
	seen := map[string]bool{}
	member := &place{in: at}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return syntaxFault(err, at)
		}
		key, ok := tok.(string)
		if !ok {
			return malformed(at.String(), "has a key that is no string")
		}
		member.key = key
		if err := checkKey(member, seen); err != nil {
			return err
		}
		if err := value(dec, member, depth+1); err != nil {
			return err
		}
	}
	return closing(dec, at)
}

func checkKey(member *place, seen map[string]bool) error {
	if strings.ContainsRune(member.key, 0) {
		return malformed(member.in.String(), "has a key with a NUL character")
	}
	folded := foldKey(member.key)
	if seen[folded] {
		return malformed(member.String(), "is there twice, or differs from another key in case only")
	}
	seen[folded] = true
	return nil
}

// foldKey maps keys that a case-insensitive decoder takes for one to one text.
// Upper before lower also folds the runes with two lower forms, such as ſ and K.
func foldKey(key string) string { return strings.ToLower(strings.ToUpper(key)) }

func array(dec *json.Decoder, at *place, depth int) error {
	item := &place{in: at, item: true}
	for ; dec.More(); item.index++ {
		if err := value(dec, item, depth+1); err != nil {
			return err
		}
	}
	return closing(dec, at)
}

func closing(dec *json.Decoder, at *place) error {
	if _, err := dec.Token(); err != nil {
		return syntaxFault(err, at)
	}
	return nil
}

func syntaxFault(err error, at *place) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return malformed(at.String(), fmt.Sprintf("is not JSON at byte %d", syntax.Offset))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return malformed(at.String(), "ends in the middle of the JSON value")
	}
	return malformed(at.String(), "is not JSON")
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
