package gate

import (
	"regexp"
	"strconv"
	"strings"

	"ambit/internal/fault"
)

// callRules are what a function asks of its arguments beyond its own checks.
var callRules = map[string]func(name string, args []any) error{
	// Texts and lists whose length the caller sets: one call can take all memory
	// and cannot be interrupted.
	"repeat":          length(1),
	"lpad":            length(1),
	"rpad":            length(1),
	"list_resize":     length(1),
	"array_resize":    length(1),
	"to_base":         length(2),
	"bar":             length(3),
	"equi_width_bins": length(2),
	"format":          layout,
	"printf":          layout,
	// With one argument age counts from now.
	"age": func(name string, args []any) error {
		if len(args) == 2 {
			return nil
		}
		return fault.New(fault.FunctionNotAllowed, "age with one argument is not available: it depends on the clock.").
			With("function", name).WithFix("Write age(later, earlier).")
	},
	// These call the aggregate that a text names.
	"aggregate":       byName,
	"array_aggr":      byName,
	"array_aggregate": byName,
	"list_aggr":       byName,
	"list_aggregate":  byName,
}

// length asks for a written length of at most maxLength as argument i, if there is one.
func length(i int) func(string, []any) error {
	return func(name string, args []any) error {
		if len(args) <= i {
			return nil
		}
		if n, ok := literal(args[i]); ok && n <= maxLength {
			return nil
		}
		return fault.New(fault.TooComplex, "Argument %d of %s must be written as a number of at most %d.", i+1, name, maxLength).
			WithFix("Write the length as a number.")
	}
}

var (
	longNumber  = regexp.MustCompile(`[0-9]+`)
	nestedWidth = regexp.MustCompile(`\{[^}]*\{`)
)

// layout asks for a written layout without widths that are long or come from an argument.
func layout(name string, args []any) error {
	if len(args) == 0 {
		return nil
	}
	s, ok := textLiteral(args[0])
	bad := !ok || strings.Contains(s, "*") && name == "printf" || nestedWidth.MatchString(strings.ReplaceAll(s, "{{", ""))
	for _, digits := range longNumber.FindAllString(s, -1) {
		n, err := strconv.Atoi(digits)
		bad = bad || err != nil || n > maxLength
	}
	if !bad {
		return nil
	}
	return fault.New(fault.TooComplex, "The layout of %s must be a written text, with widths of at most %d.", name, maxLength).
		WithFix("Write the layout as a text, without widths that come from an argument.")
}

func byName(name string, args []any) error {
	if len(args) < 2 {
		return nil
	}
	s, ok := textLiteral(args[1])
	if !ok {
		return fault.New(fault.Invalid, "The second argument of %s must be the written name of an aggregate.", name)
	}
	return allowedCall(fold(s))
}
