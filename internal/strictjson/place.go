package strictjson

import (
	"slices"
	"strconv"
	"strings"
)

// place is where a value stands. It is written out only when something is wrong
// there: a body chooses how long its keys are and how many values stand under
// them, and would have every key copied for every value.
type place struct {
	in    *place // nil: the body
	key   string // of a member
	index int    // of an item
	item  bool
}

// String writes the way from the body: "split.k", "rows[3].age"; "" is the body.
func (p *place) String() string {
	var parts []string
	for ; p != nil; p = p.in {
		switch {
		case p.item:
			parts = append(parts, "["+strconv.Itoa(p.index)+"]")
		case p.in == nil:
			parts = append(parts, p.key)
		default:
			parts = append(parts, "."+p.key)
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// show bounds a place that a caller's keys make up, and takes out what is not plain text.
func show(path string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, path)
	if len(clean) > 80 {
		return clean[:80] + "..."
	}
	return clean
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
