package page_test

import (
	"testing"

	"ambit/internal/fault"
	"ambit/internal/page"
)

func TestParse(t *testing.T) {
	cursor := page.Cursor{At: 1700000000123, ID: "ds_x y"}
	tests := []struct {
		name   string
		limit  int
		cursor string
		want   page.Page
		code   fault.Code
	}{
		{"defaults", 0, "", page.Page{Limit: 50}, ""},
		{"a cursor reads back", 100, cursor.String(), page.Page{Limit: 100, After: cursor}, ""},
		{"too many", 101, "", page.Page{}, fault.Invalid},
		{"negative", -1, "", page.Page{}, fault.Invalid},
		{"no cursor of ours", 10, "!!", page.Page{Limit: 10}, fault.Invalid},
		{"a cursor with a NUL character", 10, page.Cursor{At: 1, ID: "a\x00"}.String(), page.Page{Limit: 10}, fault.Invalid},
		{"a cursor that is not UTF-8", 10, page.Cursor{At: 1, ID: "a\xff"}.String(), page.Page{Limit: 10}, fault.Invalid},
		{"a cursor without a time", 10, "eCB5", page.Page{Limit: 10}, fault.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := page.Parse(tt.limit, tt.cursor)
			if fault.CodeOf(err) != tt.code || got != tt.want {
				t.Errorf("Parse = %+v, %v; want %+v, %q", got, err, tt.want, tt.code)
			}
		})
	}
}

func TestCut(t *testing.T) {
	place := func(n int) page.Cursor { return page.Cursor{ID: string(rune('a' + n))} }
	whole := page.Cut([]int{0, 1}, 2, place)
	if len(whole.Items) != 2 || whole.Next != "" {
		t.Errorf("a last page = %+v, want two items and no cursor", whole)
	}
	cut := page.Cut([]int{0, 1, 2}, 2, place)
	if want := place(1).String(); len(cut.Items) != 2 || cut.Next != want {
		t.Errorf("a page of more = %+v, want two items and the cursor of the second", cut)
	}
	if empty := page.Cut[int](nil, 2, place); empty.Items == nil {
		t.Error("an empty page has null items, want an empty list")
	}
}
