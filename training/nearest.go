package training

import (
	"cmp"
	"slices"
	"strings"
)

// maxNearest bounds the names offered for one that is unknown.
const maxNearest = 3

// nearest returns the names that differ least from an unknown one, without
// regard to case, the closest first.
func nearest(unknown string, names []string) []string {
	type scored struct {
		name     string
		distance int
	}
	found := make([]scored, len(names))
	for i, n := range names {
		found[i] = scored{n, editDistance(strings.ToLower(unknown), strings.ToLower(n))}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.distance, b.distance) })
	out := []string{}
	for _, f := range found[:min(maxNearest, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// maxCompared bounds the bytes of a name that are compared: callers choose names.
const maxCompared = 128

// editDistance returns the least number of bytes to insert, delete or replace to
// make a of b (Levenshtein, 1965).
func editDistance(a, b string) int {
	a, b = a[:min(len(a), maxCompared)], b[:min(len(b), maxCompared)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
