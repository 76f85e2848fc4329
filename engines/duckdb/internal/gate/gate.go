// Package gate decides whether a caller's SQL may run.
//
// The decision is made on the tree that the engine's own parser returns, walked
// with allow-lists: a kind of node, a member of a node, a function, a type or a
// table that is not on a list is refused, so that an engine that learns something
// new does not let it through. Nothing here calls the engine.
package gate

import (
	"strings"
	"unicode/utf8"

	"ambit/internal/fault"
)

// Caps on one statement. A statement within them can still take too long or too
// much memory; the child that runs it has limits for that.
const (
	MaxSQL      = 32 << 10 // bytes
	maxComments = 50       // the engine's lexer is quadratic in opened comments
	maxDepth    = 400
	maxNodes    = 20_000
	maxJoins    = 30
	maxRefs     = 60        // references to CTEs
	maxExpanded = 1_000     // references once CTEs are written out, as the planner may do
	maxLength   = 1_000_000 // of repeat and its kin, and the offset of lag and lead
	maxParts    = 16        // of a dotted name
	maxPivots   = 1_000     // columns that a PIVOT makes
)

// Precheck refuses what need not be parsed: text that is too long, is not text,
// or would stall the lexer.
// Faults: too_long, too_complex, invalid.
func Precheck(sql string) error {
	switch {
	case len(sql) > MaxSQL:
		return fault.New(fault.TooLong, "The statement has %d bytes; the limit is %d.", len(sql), MaxSQL).
			WithFix("Shorten the statement; put long lists of values into a dataset and join it.")
	case !utf8.ValidString(sql):
		return fault.New(fault.Invalid, "The statement is not valid UTF-8.").WithFix("Send the statement as UTF-8.")
	case strings.ContainsRune(sql, 0):
		return fault.New(fault.Invalid, "The statement contains a NUL character.").WithFix("Remove the NUL character.")
	case strings.TrimSpace(sql) == "":
		return fault.New(fault.Invalid, "There is no statement.").WithFix("Send one SELECT.")
	case strings.Count(sql, "/*") > maxComments:
		return fault.New(fault.TooComplex, "The statement has more than %d comments.", maxComments).
			WithFix("Remove comments.")
	}
	return nil
}

// Catalogue holds the tables that a statement may name: columns by table name.
type Catalogue struct {
	tables map[string][]string // by folded name
	names  []string            // as given
}

// NewCatalogue returns the catalogue of the given tables.
func NewCatalogue(tables map[string][]string) Catalogue {
	c := Catalogue{tables: map[string][]string{}}
	for name, columns := range tables {
		c.tables[fold(name)] = columns
		c.names = append(c.names, name)
	}
	return c
}

// fold is how the engine compares names: without regard to the case of ASCII letters.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}
