// Package page bounds lists: newest first, cut after a limit, continued by a cursor.
package page

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/internal/clock"
	"ambit/internal/fault"
)

// MaxLimit is the most items of one page.
const MaxLimit = 100

// Page asks for a part of a list that is ordered by (created, id), newest first.
type Page struct {
	Limit int
	After Cursor // the last item of the page before; zero starts
}

// Cursor is the place of an item in a list.
type Cursor struct {
	At clock.Time
	ID string
}

// List is a page of a list.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_cursor,omitempty"` // absent on the last page
}

// Parse reads what a caller sends; limit 0 takes the default of 50.
func Parse(limit int, cursor string) (Page, error) {
	if limit == 0 {
		limit = 50
	}
	if limit < 1 || limit > MaxLimit {
		return Page{}, fault.InvalidFields([]fault.Field{{Path: "limit", Rule: fmt.Sprintf("must be from 1 to %d", MaxLimit)}})
	}
	after, err := parseCursor(cursor)
	return Page{Limit: limit, After: after}, err
}

func parseCursor(s string) (Cursor, error) {
	if s == "" {
		return Cursor{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	at, id, ok := strings.Cut(string(raw), " ")
	ms, perr := strconv.ParseInt(at, 10, 64)
	if err != nil || !ok || perr != nil || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return Cursor{}, fault.InvalidFields([]fault.Field{{Path: "cursor", Rule: "must be the next_cursor of the page before"}})
	}
	return Cursor{At: clock.Time(ms), ID: id}, nil
}

func (c Cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", c.At, c.ID))
}

// Cut makes a page of items that were read with one more than the limit.
func Cut[T any](items []T, limit int, place func(T) Cursor) List[T] {
	if items == nil {
		items = []T{}
	}
	if len(items) <= limit {
		return List[T]{Items: items}
	}
	items = items[:limit]
	return List[T]{Items: items, Next: place(items[limit-1]).String()}
}
