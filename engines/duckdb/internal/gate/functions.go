package gate

import (
	_ "embed"
	"fmt"
	"sort"
	"strings"
)

//go:embed functions.txt
var functionList string

// Family is a group of functions with one decision and the reason for it.
type Family struct {
	Name    string
	Reason  string
	Allowed bool
	Table   bool // functions in FROM; else those in expressions
	Members []string
}

// known holds the decision for every function of the engine.
var known = mustIndex(functionList)

type index struct {
	families []Family
	calls    map[string]*Family
	tables   map[string]*Family
}

// Families returns the allow-list and the deny-list of functions.
func Families() []Family { return known.families }

// mustIndex panics on a broken list: the list is part of the program.
func mustIndex(text string) index {
	ix := index{calls: map[string]*Family{}, tables: map[string]*Family{}}
	for n, line := range strings.Split(text, "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == ' ':
			f := &ix.families[len(ix.families)-1]
			f.Members = append(f.Members, strings.Fields(line)...)
		default:
			ix.families = append(ix.families, mustFamily(n+1, line))
		}
	}
	for i := range ix.families {
		ix.add(&ix.families[i])
	}
	return ix
}

func mustFamily(n int, line string) Family {
	head, reason, ok := strings.Cut(line, ": ")
	words := strings.Fields(head)
	if !ok || len(words) != 3 || (words[0] != "allow" && words[0] != "deny") || (words[1] != "call" && words[1] != "table") {
		panic(fmt.Sprintf("functions.txt:%d: bad family %q", n, line))
	}
	return Family{Name: words[2], Reason: reason, Allowed: words[0] == "allow", Table: words[1] == "table"}
}

func (ix index) add(f *Family) {
	names := ix.calls
	if f.Table {
		names = ix.tables
	}
	for _, m := range f.Members {
		if names[m] != nil {
			panic("functions.txt: " + m + " is decided twice")
		}
		names[m] = f
	}
}

// allowed returns the names that a query may use, sorted.
func allowed(names map[string]*Family) []string {
	var out []string
	for name, f := range names {
		if f.Allowed {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}
