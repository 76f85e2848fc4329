package mcp

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// invisible are characters that a reader does not see, or that change the order
// in which it sees others.
var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
	unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
}

// visible returns JSON with every invisible character in its strings written as
// an escape: the same value, and a model that reads the bytes is not deceived.
func visible(raw []byte) []byte {
	if !bytes.ContainsFunc(raw, hidden) {
		return raw
	}
	var out strings.Builder
	for _, r := range string(raw) {
		switch {
		case !hidden(r):
			out.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return []byte(out.String())
}

// hidden reports whether a rune is invisible. Below DEL, JSON has control
// characters as white space between values only, so those stay.
func hidden(r rune) bool { return r >= 0x7f && unicode.In(r, invisible...) }

// claim cleans what a program says of itself: printable ASCII, at most 128 bytes.
func claim(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(clean[:min(len(clean), 128)])
}

func (p program) claim() string {
	if p.Name == "" {
		return ""
	}
	if p.Version == "" {
		return claim(p.Name)
	}
	return claim(p.Name + "/" + p.Version)
}
