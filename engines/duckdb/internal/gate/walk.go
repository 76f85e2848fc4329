package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"ambit/internal/fault"
)

type object = map[string]any

// Check decides on the tree that json_serialize_sql returned for a statement,
// and returns the tree to run: the same, with cross joins written as inner
// joins, because the engine restates a cross join as a comma, which binds weaker.
// Faults: not_select, multiple_statements, function_not_allowed, unknown_table,
// too_complex, invalid.
func (c Catalogue) Check(tree []byte) ([]byte, error) {
	root, err := decode(tree)
	if err != nil {
		return nil, err
	}
	statements, err := single(root)
	if err != nil {
		return nil, err
	}
	w := &walker{catalogue: c}
	if err := w.object(statements[0], nodeShape, 0); err != nil {
		return nil, err
	}
	if !w.crossed {
		return tree, nil
	}
	return json.Marshal(root)
}

func decode(tree []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(tree))
	d.UseNumber() // constants keep every digit
	var root object
	if err := d.Decode(&root); err != nil {
		if strings.Contains(err.Error(), "max depth") {
			return nil, tooDeep().Because(err)
		}
		return nil, Inexact().Because(err) // the engine writes an infinite constant as no JSON has it
	}
	return root, nil
}

// Inexact is the refusal of a statement whose text the engine cannot make again from its tree.
func Inexact() *fault.Fault {
	return fault.New(fault.Invalid, "The engine cannot restate this statement exactly.").
		WithFix("Write it more simply: give nested joins a subquery of their own, and keep constants within their type's range.")
}

// single returns the one statement of a tree that the parser accepted.
func single(root object) ([]any, error) {
	if root["error"] == true {
		return nil, parserRefusal(text(root, "error_type"), text(root, "error_message"), text(root, "position"))
	}
	statements, _ := root["statements"].([]any)
	switch len(statements) {
	case 1:
		return statements, nil
	case 0:
		return nil, fault.New(fault.Invalid, "There is no statement.").WithFix("Send one SELECT.")
	}
	return nil, fault.New(fault.MultipleStatements, "There are %d statements; one is taken.", len(statements)).
		WithFix("Send each SELECT by itself, or join them with WITH or UNION ALL.")
}

// walker visits a tree once, from the outside in.
type walker struct {
	catalogue Catalogue
	ctes      []cte      // in scope, innermost last
	around    []relation // columns that enclosing queries offer, innermost last
	nodes     int
	joins     int
	refs      int
	expanded  int
	crossed   bool // a cross join was rewritten
}

// object checks the members of a node against its shape.
func (w *walker) object(v any, s shape, depth int) error {
	o, ok := v.(object)
	if !ok {
		return notServed("This part of SQL")
	}
	if depth > maxDepth {
		return tooDeep()
	}
	if w.nodes++; w.nodes > maxNodes {
		return fault.New(fault.TooComplex, "The statement has more than %d parts.", maxNodes).WithFix("Simplify or split it.")
	}
	seen := 0
	for _, m := range s {
		value, there := o[m.name]
		if !there {
			continue
		}
		seen++
		if err := w.member(m, value, depth+1); err != nil {
			return err
		}
	}
	if seen < len(o) {
		return unlisted(o, s)
	}
	return nil
}

// unlisted refuses a node that has a member of which nothing is known.
func unlisted(o object, s shape) error {
	for _, m := range s {
		delete(o, m.name)
	}
	for name, value := range o {
		if !isEmpty(value) {
			return notServed(fmt.Sprintf("The %q part of SQL", name))
		}
	}
	return nil
}

func (w *walker) member(m member, v any, depth int) error {
	if isEmpty(v) {
		return nil
	}
	switch m.kind {
	case scalar:
		return nil
	case names:
		return nil
	case empty:
		return emptyOnly(m.name, v)
	case expression:
		return w.expression(v, depth)
	case expressions:
		return each(v, func(e any) error { return w.expression(e, depth) })
	case rows:
		return each(v, func(r any) error { return each(r, func(e any) error { return w.expression(e, depth) }) })
	case query:
		return w.query(v, depth)
	case table:
		return w.table(v, depth)
	case modifiers:
		return each(v, func(e any) error { return w.modifier(e, depth) })
	case typed:
		return castType(v, 0)
	case constant:
		return constantType(v, 0)
	case pivots:
		return each(v, func(e any) error { return w.pivot(e, depth) })
	}
	return w.part(m.kind, v, depth)
}

// part checks what has no kind of its own in the tree.
func (w *walker) part(k kind, v any, depth int) error {
	switch k {
	case cases:
		return each(v, func(e any) error { return w.object(e, caseShape, depth) })
	case replaced:
		return each(v, func(e any) error { return w.object(e, replacedShape, depth) })
	case orders:
		return each(v, func(e any) error { return w.object(e, orderShape, depth) })
	case ordering:
		return w.object(v, orderingShape, depth)
	case statement:
		return w.object(v, nodeShape, depth)
	case sample:
		return w.sample(v, depth)
	}
	return notServed("This part of SQL")
}

func (w *walker) modifier(v any, depth int) error {
	o, _ := v.(object)
	s, ok := modifierShapes[text(o, "type")]
	if !ok {
		return notServed("This clause")
	}
	return w.object(v, append(shape{{"type", scalar}}, s...), depth)
}

func (w *walker) sample(v any, depth int) error {
	if o, _ := v.(object); o != nil {
		if n, ok := integer(object{"value": o["sample_size"]}); ok && (n < 0 || n > maxLength) {
			return fault.New(fault.TooComplex, "A sample has at most %d rows.", maxLength)
		}
	}
	return w.object(v, sampleShape, depth)
}

func each(v any, check func(any) error) error {
	list, ok := v.([]any)
	if !ok {
		return notServed("This part of SQL")
	}
	for _, e := range list {
		if err := check(e); err != nil {
			return err
		}
	}
	return nil
}

// isEmpty reports whether v is what the parser writes for "not there".
func isEmpty(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case string:
		return x == ""
	case bool:
		return !x
	case []any:
		return len(x) == 0
	case object:
		return len(x) == 0
	}
	return false
}

func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

func list(o object, name string) []any {
	l, _ := o[name].([]any)
	return l
}

func texts(v any) []string {
	l, _ := v.([]any)
	out := make([]string, 0, len(l))
	for _, e := range l {
		s, _ := e.(string)
		out = append(out, s)
	}
	return out
}
