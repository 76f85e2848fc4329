package mcp

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// argument is one argument of a tool, as the tags of a struct field declare it.
// Its schema and its check are both made from it, so that they cannot differ.
//
//	json:"name,omitempty"            its name
//	doc:"What it is."                for the model
//	enum:"a,b"                       the valid values, of a string or of an array's items
//	rule:"required,id,min=1,max=20"  what must hold; min and max bound a number, a
//	                                 string's characters, an array's items; id and
//	                                 ascii say what a string is made of
//	only:"create"                    the action that it belongs to
type argument struct {
	name     string
	kind     string // a type of JSON Schema
	doc      string
	enum     []string
	required bool
	id       bool // may stand in a path
	ascii    bool // visible ASCII
	min, max *float64
	only     string
	item     *argument  // of an array
	fields   []argument // of an object; nil takes any
}

// argumentsOf describes the fields of a struct. The argument "action" takes the
// names of the actions as its valid values.
func argumentsOf(t reflect.Type, actions []Action) ([]argument, error) {
	all, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range actions {
		names = append(names, a.Name)
	}
	at := slices.IndexFunc(all, func(a argument) bool { return a.name == "action" })
	if (at >= 0) != (len(actions) > 0) {
		return nil, fmt.Errorf("an argument \"action\" and actions go together")
	}
	if at >= 0 {
		all[at].enum, all[at].required = names, true
	}
	for _, a := range all {
		if a.only != "" && !slices.Contains(names, a.only) {
			return nil, fmt.Errorf("argument %s is of an unknown action %q", a.name, a.only)
		}
	}
	return all, nil
}

func fieldsOf(t reflect.Type) ([]argument, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	all := []argument{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue // its fields follow
		}
		a, err := argumentOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", f.Name, err)
		}
		if a.name, _, _ = strings.Cut(f.Tag.Get("json"), ","); a.name == "" || !f.IsExported() {
			return nil, fmt.Errorf("argument %s has no name", f.Name)
		}
		if err := a.tags(f.Tag); err != nil {
			return nil, fmt.Errorf("argument %s: %w", a.name, err)
		}
		all = append(all, a)
	}
	return all, nil
}

// argumentOf describes a type without its tags.
func argumentOf(t reflect.Type) (a argument, err error) {
	switch t.Kind() {
	case reflect.Pointer:
		return argumentOf(t.Elem())
	case reflect.String:
		a.kind = "string"
	case reflect.Int, reflect.Int64:
		a.kind = "integer"
	case reflect.Float64:
		a.kind = "number"
	case reflect.Bool:
		a.kind = "boolean"
	case reflect.Map:
		a.kind = "object"
	case reflect.Struct:
		a.kind = "object"
		a.fields, err = fieldsOf(t)
	case reflect.Slice:
		a.kind = "array"
		var item argument
		item, err = argumentOf(t.Elem())
		a.item = &item
	default:
		err = fmt.Errorf("%s cannot be an argument", t)
	}
	return a, err
}

func (a *argument) tags(tag reflect.StructTag) error {
	a.doc, a.only = tag.Get("doc"), tag.Get("only")
	if v := tag.Get("enum"); v != "" {
		a.valued().enum = strings.Split(v, ",")
	}
	if a.doc == "" && a.kind != "object" {
		return fmt.Errorf("has no doc")
	}
	for rule := range strings.SplitSeq(tag.Get("rule"), ",") {
		if err := a.rule(rule); err != nil {
			return err
		}
	}
	return nil
}

// valued is what an enum or an id rule speaks of: the items of an array, else the argument.
func (a *argument) valued() *argument {
	if a.item != nil {
		return a.item
	}
	return a
}

func (a *argument) rule(rule string) error {
	name, value, _ := strings.Cut(rule, "=")
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case rule == "":
	case rule == "required":
		a.required = true
	case rule == "id":
		a.valued().id = true
	case rule == "ascii":
		a.ascii = true
	case name == "min" && err == nil:
		a.min = &n
	case name == "max" && err == nil:
		a.max = &n
	default:
		return fmt.Errorf("rule %q is not known", rule)
	}
	return nil
}
