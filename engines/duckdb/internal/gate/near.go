package gate

import (
	"sort"
	"strings"

	"ambit/internal/fault"
)

// maxNear is how many near names a refusal lists.
const maxNear = 6

// functionRefusal refuses a function, says why and names near ones that are allowed.
func functionRefusal(name string, f *Family, names map[string]*Family) error {
	why := "there is no such function"
	if f != nil && f.Allowed {
		why = "it cannot be used here"
	} else if f != nil {
		why = f.Reason
	}
	near := nearest(name, allowed(names))
	refusal := fault.New(fault.FunctionNotAllowed, "The function %s is not available: %s.", quote(name), why).
		With("function", Clean(name)).With("near", near)
	if len(near) > 0 {
		return refusal.WithFix("Near functions that are available: %s.", strings.Join(near, ", "))
	}
	return refusal.WithFix("Write the query with aggregates, text, date, list and window functions.")
}

func (c Catalogue) unknown(name string) error {
	near := c.near(name)
	refusal := fault.New(fault.UnknownTable, "There is no table %s.", quote(name)).With("tables", near)
	if len(near) == 0 {
		return refusal.WithFix("This workspace has no datasets yet.")
	}
	return refusal.WithFix("Tables: %s.", strings.Join(near, ", "))
}

// near returns the names of tables, the nearest first.
func (c Catalogue) near(name string) []string {
	if len(c.names) <= maxNear {
		out := append([]string{}, c.names...)
		sort.Strings(out)
		return out
	}
	if near := nearest(name, c.names); len(near) > 0 {
		return near
	}
	out := append([]string{}, c.names...)
	sort.Strings(out)
	return out[:maxNear]
}

// nearest returns up to maxNear names that are like name, the nearest first.
func nearest(name string, names []string) []string {
	type ranked struct {
		name string
		far  int
	}
	name = fold(cut(name, 64))
	var found []ranked
	for _, n := range names {
		far := distance(name, fold(n))
		if len(name) >= 3 && (strings.Contains(fold(n), name) || strings.Contains(name, fold(n)) && len(n) >= 3) {
			far = min(far, 1)
		}
		if far <= max(1, len(name)/3) {
			found = append(found, ranked{n, far})
		}
	}
	sort.Slice(found, func(i, j int) bool {
		if found[i].far != found[j].far {
			return found[i].far < found[j].far
		}
		return found[i].name < found[j].name
	})
	out := []string{}
	for _, f := range found[:min(len(found), maxNear)] {
		out = append(out, f.name)
	}
	return out
}

// distance is the edit distance of two short names (Levenshtein 1966).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
