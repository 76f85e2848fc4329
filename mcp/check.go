package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"ambit/internal/fault"
	"ambit/scopes"
)

// check returns every argument in raw that breaks a rule. Unknown arguments and
// wrong types were found before.
func check(all []argument, raw json.RawMessage) []fault.Field {
	var given map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&given) != nil {
		return []fault.Field{{Path: "arguments", Rule: "must be an object"}}
	}
	action, _ := given["action"].(string)
	if i := slices.IndexFunc(all, func(a argument) bool { return a.name == "action" }); i >= 0 {
		if wrong := checkFields(all[i:i+1], given, "", action); len(wrong) > 0 {
			return wrong // what else must hold depends on it
		}
	}
	return checkFields(all, given, "", action)
}

func checkFields(all []argument, given map[string]any, prefix, action string) []fault.Field {
	var wrong []fault.Field
	for _, a := range all {
		v, there := given[a.name]
		path := prefix + a.name
		switch {
		case there && a.only != "" && a.only != action:
			wrong = append(wrong, fault.Field{Path: path, Rule: fmt.Sprintf("is not an argument of action %q", action), Valid: namesFor(all, action)})
		case !there && a.required && (a.only == "" || a.only == action):
			wrong = append(wrong, fault.Field{Path: path, Rule: "is required", Valid: a.enum})
		case there:
			wrong = append(wrong, a.check(v, path)...)
		}
	}
	return wrong
}

func namesFor(all []argument, action string) []string {
	var names []string
	for _, a := range all {
		if a.only == "" || a.only == action {
			names = append(names, a.name)
		}
	}
	return names
}

// check returns what is wrong with a value.
func (a argument) check(v any, path string) []fault.Field {
	if v == nil {
		return []fault.Field{{Path: path, Rule: "must not be null: leave it out"}}
	}
	if rule := a.broken(v); rule != "" {
		return []fault.Field{{Path: path, Rule: rule, Valid: a.enum}}
	}
	var wrong []fault.Field
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			wrong = append(wrong, a.item.check(item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case map[string]any:
		wrong = checkFields(a.fields, v, path+".", "")
	}
	return wrong[:min(len(wrong), maxWrong)]
}

// maxWrong is the most faults of one argument that are listed.
const maxWrong = 10

// broken returns the rule that a value breaks, or "".
func (a argument) broken(v any) string {
	switch v := v.(type) {
	case string:
		return a.brokenText(v)
	case []any:
		if !a.holds(float64(len(v))) {
			return "must have " + a.bounds("items")
		}
	case json.Number:
		if n, err := v.Float64(); err != nil || !a.holds(n) {
			return "must be " + a.bounds("")
		}
	}
	return ""
}

func (a argument) brokenText(s string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case a.enum != nil:
		if !slices.Contains(a.enum, s) {
			return "is not one of the valid values"
		}
	case a.id && !scopes.ValidID(s):
		return "must be an id: 1 to 128 letters, digits, dashes or underscores"
	case a.ascii && !visibleASCII(s):
		return "must have visible ASCII characters only"
	case a.required && n == 0:
		return "must not be empty"
	case !a.holds(float64(n)):
		return "must have " + a.bounds("characters")
	}
	return ""
}

// holds reports whether a number is inside the bounds.
func (a argument) holds(n float64) bool {
	return (a.min == nil || n >= *a.min) && (a.max == nil || n <= *a.max)
}

// bounds says from what to what, such as "1 to 20 items".
func (a argument) bounds(of string) string {
	text := ""
	switch {
	case a.min != nil && a.max != nil:
		text = plain(*a.min) + " to " + plain(*a.max)
	case a.max != nil:
		text = "at most " + plain(*a.max)
	case a.min != nil:
		text = "at least " + plain(*a.min)
	}
	if of != "" {
		text += " " + of
	}
	return text
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func visibleASCII(s string) bool {
	for _, r := range s {
		if r < '!' || r > '~' {
			return false
		}
	}
	return s != ""
}
