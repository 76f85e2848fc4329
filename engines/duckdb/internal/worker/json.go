package worker

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// maxExact is the largest integer that every reader of JSON keeps exactly.
const maxExact = 1 << 53

// encoder writes values as JSON. In an answer, integers beyond 2^53 are texts
// and numbers that are not finite are null, and counted. In the canonical text of
// a row, over which a fingerprint is taken, nothing is lost: integers stay whole
// and numbers that are not finite are texts.
type encoder struct {
	canonical bool
	nonfinite int64
}

// row appends a row as an array in column order.
func (e *encoder) row(dst []byte, columns []*column, i int) []byte {
	dst = append(dst, '[')
	for n, c := range columns {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = e.value(dst, c, i)
	}
	return append(dst, ']')
}

func (e *encoder) value(dst []byte, c *column, i int) []byte {
	if c.null(i) {
		return append(dst, "null"...)
	}
	switch c.typ {
	case duck.TypeBoolean, duck.TypeTinyInt, duck.TypeSmallInt, duck.TypeInteger, duck.TypeUTinyInt, duck.TypeUSmallInt, duck.TypeUInteger:
		return c.appendText(dst, i)
	case duck.TypeBigInt, duck.TypeUBigInt, duck.TypeHugeInt, duck.TypeUHugeInt:
		return e.wide(dst, c, i)
	case duck.TypeFloat:
		return e.float(dst, float64(at[float32](c.data, i)), 32)
	case duck.TypeDouble:
		return e.float(dst, at[float64](c.data, i), 64)
	case duck.TypeVarchar:
		return appendString(dst, textAt(c.data, i))
	case duck.TypeEnum:
		return appendString(dst, c.appendText(nil, i))
	case duck.TypeList, duck.TypeArray, duck.TypeMap, duck.TypeStruct, duck.TypeUnion:
		return e.nested(dst, c, i)
	}
	return append(c.appendText(append(dst, '"'), i), '"') // digits, dates, base64: nothing to escape
}

func (e *encoder) wide(dst []byte, c *column, i int) []byte {
	start := len(dst)
	dst = c.appendText(dst, i)
	n, err := strconv.ParseInt(string(dst[start:]), 10, 64)
	if e.canonical || err == nil && -maxExact <= n && n <= maxExact {
		return dst
	}
	digits := string(dst[start:])
	return append(append(append(dst[:start], '"'), digits...), '"')
}

func (e *encoder) float(dst []byte, f float64, bits int) []byte {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		return appendFloat(dst, f, bits)
	}
	if !e.canonical {
		e.nonfinite++
		return append(dst, "null"...)
	}
	return append(appendFloat(append(dst, '"'), f, bits), '"')
}

func (e *encoder) nested(dst []byte, c *column, i int) []byte {
	switch c.typ {
	case duck.TypeList:
		s := at[span](c.data, i)
		return e.elements(dst, c.kids[0], int(s.offset), int(s.length))
	case duck.TypeArray:
		return e.elements(dst, c.kids[0], i*c.size, c.size)
	case duck.TypeUnion:
		return e.value(dst, c.kids[at[uint8](c.data, i)], i)
	case duck.TypeStruct:
		return e.object(dst, c.kids, i)
	}
	s := at[span](c.data, i)
	dst = append(dst, '[')
	for n := range int(s.length) {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = e.object(dst, c.kids, int(s.offset)+n)
	}
	return append(dst, ']')
}

func (e *encoder) elements(dst []byte, c *column, offset, length int) []byte {
	dst = append(dst, '[')
	for n := range length {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = e.value(dst, c, offset+n)
	}
	return append(dst, ']')
}

func (e *encoder) object(dst []byte, fields []*column, i int) []byte {
	dst = append(dst, '{')
	for n, f := range fields {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, []byte(f.name)), ':')
		dst = e.value(dst, f, i)
	}
	return append(dst, '}')
}

// appendFloat appends the shortest text that reads back as f, in the form of
// ECMAScript, as encoding/json writes it; and NaN, Infinity or -Infinity.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 0):
		if f < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...)
	}
	abs := math.Abs(f)
	if bits == 64 && (abs >= 1e21 || abs != 0 && abs < 1e-6) || bits == 32 && (float32(abs) >= 1e21 || abs != 0 && float32(abs) < 1e-6) {
		return trimExponent(strconv.AppendFloat(dst, f, 'e', -1, bits))
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

// trimExponent writes e-09 as e-9.
func trimExponent(dst []byte) []byte {
	n := len(dst)
	if n >= 4 && dst[n-4] == 'e' && (dst[n-3] == '-' || dst[n-3] == '+') && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		return dst[:n-1]
	}
	return dst
}

// appendString appends s in quotes. It escapes what JSON demands and no more,
// so that one text has one form.
func appendString(dst, s []byte) []byte {
	if !utf8.Valid(s) { // the engine keeps texts valid; a broken file must not break the JSON
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	dst = append(dst, '"')
	start := 0
	for i, b := range s {
		if b >= 0x20 && b != '"' && b != '\\' {
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), b)
		start = i + 1
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(append(dst, `\u00`...), digits[b>>4], digits[b&15])
}
