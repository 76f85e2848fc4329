package gate

import (
	"encoding/json"
	"strings"

	"ambit/internal/fault"
)

func (w *walker) expression(v any, depth int) error {
	o, _ := v.(object)
	class := text(o, "class")
	s, ok := expressionShapes[class]
	if !ok {
		return badClass(class)
	}
	var err error
	switch class {
	case "FUNCTION":
		err = w.function(o)
	case "WINDOW":
		err = window(o)
	case "COLUMN_REF":
		err = w.column(o)
	}
	if err != nil {
		return err
	}
	return w.object(v, append(ofExpression[:len(ofExpression):len(ofExpression)], s...), depth)
}

func badClass(class string) error {
	if class == "PARAMETER" {
		return fault.New(fault.Invalid, "The statement has a parameter.").WithFix("Write the value itself.")
	}
	return notServed("An expression of class " + strings.ToLower(class))
}

func (w *walker) function(o object) error {
	name := fold(text(o, "function_name"))
	if err := allowedCall(name); err != nil {
		return err
	}
	return w.callable(o, name)
}

// callable checks how a function is called. The parser reads a method call,
// x.f(y), as the function f of a schema x; then the first argument is x.
func (w *walker) callable(o object, name string) error {
	schema := fold(text(o, "schema"))
	method := schema != "" && (schema != "main" || text(o, "catalog") != "")
	if method && (moments[schema] || moments[fold(text(o, "catalog"))]) {
		return clock(schema)
	}
	rule, ok := callRules[name]
	if !ok {
		return nil
	}
	if method {
		return fault.New(fault.Invalid, "%s cannot be called with a dot.", name).WithFix("Write %s(value, …).", name)
	}
	return rule(name, list(o, "children"))
}

func allowedCall(name string) error {
	f := known.calls[name]
	if f != nil && f.Allowed {
		return nil
	}
	if f == nil {
		f = known.tables[name]
	}
	return functionRefusal(name, f, known.calls)
}

// window checks a function over a window. An offset of lag or lead far outside
// the table makes the engine read outside its memory.
func window(o object) error {
	name := fold(text(o, "function_name"))
	if err := allowedCall(name); err != nil {
		return err
	}
	if text(o, "schema") != "" && fold(text(o, "schema")) != "main" || text(o, "catalog") != "" {
		return fault.New(fault.Invalid, "%s cannot be called with a dot over a window.", name).WithFix("Write %s(value, …) OVER (…).", name)
	}
	if offset := o["offset_expr"]; offset != nil {
		if n, ok := literal(offset); !ok || n < -maxLength || n > maxLength {
			return fault.New(fault.TooComplex, "The offset of %s must be written as a number within ±%d.", name, maxLength)
		}
	}
	if rule, ok := callRules[name]; ok {
		return rule(name, list(o, "children"))
	}
	return nil
}

func (w *walker) column(o object) error {
	parts := texts(o["column_names"])
	if len(parts) == 0 || len(parts) > maxParts {
		return fault.New(fault.TooComplex, "A name has more than %d parts.", maxParts)
	}
	if name := fold(parts[0]); len(parts) == 1 && moments[name] && !w.offers(name) {
		return clock(name)
	}
	return nil
}

// offers reports whether some query around this point has a column of the name.
func (w *walker) offers(name string) bool {
	for _, r := range w.around {
		if r.names[name] {
			return true
		}
	}
	return false
}

func clock(name string) error {
	return fault.New(fault.FunctionNotAllowed, "%q is not available: it depends on the clock or the session.", name).
		With("function", name).WithFix("Write the value itself, or table.%s if it is a column.", name)
}

// castType checks a type that the query names.
func castType(v any, depth int) error {
	o, _ := v.(object)
	id := text(o, "id")
	info, _ := o["type_info"].(object)
	switch {
	case depth > maxParts:
		return fault.New(fault.TooComplex, "A type is nested deeper than %d.", maxParts)
	case id == "UNBOUND" && isEmpty(info["schema"]) && isEmpty(info["catalog"]) && namedTypes[fold(text(info, "name"))]:
		return nil
	case id == "UNBOUND":
		return badType(text(info, "name"))
	case !castTypes[id]:
		return badType(id)
	case !isEmpty(info["alias"]) && !namedTypes[fold(text(info, "alias"))]:
		return badType(text(info, "alias"))
	}
	if size, ok := integer(object{"value": object{"value": info["size"]}}); ok && size > 10_000 {
		return fault.New(fault.TooComplex, "An array type has at most 10000 elements.")
	}
	if child := info["child_type"]; child != nil {
		return castType(child, depth+1)
	}
	return each(orEmpty(info["child_types"]), func(c any) error {
		pair, _ := c.(object)
		return castType(pair["second"], depth+1)
	})
}

// constantType checks the type of a constant, and of the constants in it.
func constantType(v any, depth int) error {
	o, _ := v.(object)
	if o == nil {
		return notServed("This constant")
	}
	return castType(o["type"], depth)
}

func orEmpty(v any) any {
	if v == nil {
		return []any{}
	}
	return v
}

func badType(name string) error {
	return fault.New(fault.FunctionNotAllowed, "The type %s is not available.", quote(name)).
		With("function", "CAST").WithFix("Use BIGINT, DOUBLE, DECIMAL, VARCHAR, BOOLEAN, DATE, TIMESTAMP, JSON, or lists and structs of them.")
}

// literal returns the integer that an expression writes out.
func literal(v any) (int64, bool) {
	o, _ := v.(object)
	if text(o, "class") != "CONSTANT" {
		return 0, false
	}
	return integer(o)
}

// integer returns the value of a CONSTANT node that is an integer.
func integer(o object) (int64, bool) {
	value, _ := o["value"].(object)
	n, ok := value["value"].(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// textLiteral returns the text that an expression writes out.
func textLiteral(v any) (string, bool) {
	o, _ := v.(object)
	if text(o, "class") != "CONSTANT" {
		return "", false
	}
	value, _ := o["value"].(object)
	s, ok := value["value"].(string)
	return s, ok
}
