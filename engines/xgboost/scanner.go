package xgboost

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// scanner reads JSON as XGBoost writes it, and no more: the library's own
// reader is lenient and trusts what it has read. Keys are known, complete and
// unique; integers have no fraction and floats have one or an exponent; beside
// JSON there are the bare tokens NaN and Infinity. The first error stays and
// ends all reading.
type scanner struct {
	data []byte
	pos  int
	err  error
}

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("at byte %d: %s", s.pos, fmt.Sprintf(format, args...))
	}
	s.pos = len(s.data)
}

// peek returns the next byte that is not white space, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take reads c, or fails.
func (s *scanner) take(c byte) {
	if got := s.peek(); got != c {
		s.fail("want %q", c)
		return
	}
	s.pos++
}

// more reads what stands before the next element of a list: nothing before the
// first, a comma before others. It reports false, having read it, at the end mark.
func (s *scanner) more(first bool, end byte) bool {
	if s.err != nil {
		return false
	}
	c := s.peek()
	if c == end {
		s.pos++
		return false
	}
	if !first {
		s.take(',')
	}
	return s.err == nil
}

// object reads an object whose keys are all among those given, calling member
// with each one's place, and returns which were there as bits.
func (s *scanner) object(keys []string, member func(key int)) (seen uint32) {
	s.take('{')
	for first := true; s.more(first, '}'); first = false {
		name := s.name()
		s.take(':')
		i := indexOf(keys, name)
		switch {
		case s.err != nil:
		case i < 0:
			s.fail("unknown key %q", name)
		case seen&(1<<i) != 0:
			s.fail("key %q twice", name)
		default:
			seen |= 1 << i
			member(i)
		}
	}
	return seen
}

// record is an object that has all the keys.
func (s *scanner) record(keys []string, member func(key int)) {
	if seen := s.object(keys, member); seen != 1<<len(keys)-1 && s.err == nil {
		s.fail("keys are missing: want %s", strings.Join(keys, ", "))
	}
}

func indexOf(keys []string, name string) int {
	for i, k := range keys {
		if k == name {
			return i
		}
	}
	return -1
}

// array reads an array, calling element before each value.
func (s *scanner) array(element func()) {
	s.take('[')
	for first := true; s.more(first, ']'); first = false {
		element()
	}
}

// name reads a key: plain ASCII without escapes.
func (s *scanner) name() string {
	s.take('"')
	start := s.pos
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return unsafe.String(&s.data[start], s.pos-1-start)
		case c == '\\', c < ' ', c > '~':
			s.fail("a key must be plain text")
		}
	}
	s.fail("text without end")
	return ""
}

// text reads a string of valid UTF-8 of at most max bytes, with the escapes
// that the library knows.
func (s *scanner) text(max int) string {
	s.take('"')
	var out strings.Builder
	for s.pos < len(s.data) && out.Len() <= max {
		c := s.data[s.pos]
		s.pos++
		switch {
		case c == '"':
			if !utf8.ValidString(out.String()) {
				s.fail("text is not UTF-8")
			}
			return out.String()
		case c < ' ':
			s.fail("control character in text")
		case c == '\\':
			out.WriteByte(s.escaped())
		default:
			out.WriteByte(c)
		}
	}
	s.fail("text without end, or too long")
	return ""
}

// escaped reads what follows a backslash.
func (s *scanner) escaped() byte {
	if s.pos < len(s.data) {
		if i := strings.IndexByte(`"\rnt`, s.data[s.pos]); i >= 0 {
			s.pos++
			return "\"\\\r\n\t"[i]
		}
	}
	s.fail("unknown escape")
	return 0
}

// integer reads a whole number in [min, max].
func (s *scanner) integer(min, max int64) int64 {
	c := s.peek()
	start := s.pos
	if c == '-' {
		s.pos++
	}
	digits := s.pos
	v := int64(0)
	for ; s.pos < len(s.data) && isDigit(s.data[s.pos]) && s.pos-digits < 18; s.pos++ {
		v = v*10 + int64(s.data[s.pos]-'0')
	}
	if s.pos == digits || s.data[digits] == '0' && s.pos-start > 1 || !s.atEnd() {
		s.fail("want a whole number")
		return min
	}
	if c == '-' {
		v = -v
	}
	if v < min || v > max {
		s.fail("%d is not in [%d, %d]", v, min, max)
		return min
	}
	return v
}

// float reads a number with a fraction or an exponent, or NaN or an infinity.
func (s *scanner) float() float32 {
	s.peek()
	start := s.pos
	s.skip('-')
	whole := s.pos
	digits := s.digits()
	if digits == 0 {
		return s.special(start)
	}
	good := digits == 1 || s.data[whole] != '0'
	fraction := s.skip('.')
	if fraction {
		more := s.digits()
		digits, good = digits+more, good && more > 0
	}
	exponent := s.skip('E') || s.skip('e')
	if exponent {
		s.skip('-')
		good = good && s.digits() > 0
	}
	if !good || !fraction && !exponent || digits > maxDigits || !s.atEnd() {
		s.fail("want a number with a fraction or an exponent")
		return 0
	}
	v, err := strconv.ParseFloat(unsafe.String(&s.data[start], s.pos-start), 32)
	if err != nil {
		s.fail("want a number that fits 32 bits")
	}
	return float32(v)
}

// maxDigits is what the library's writer needs at most, and its reader takes.
const maxDigits = 9

// skip reads c if it comes next.
func (s *scanner) skip(c byte) bool {
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// digits reads digits and returns how many.
func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.pos++
	}
	return s.pos - start
}

// special reads NaN, Infinity or -Infinity.
func (s *scanner) special(start int) float32 {
	s.pos = start
	for _, token := range []string{"NaN", "Infinity", "-Infinity"} {
		if end := start + len(token); end <= len(s.data) && string(s.data[start:end]) == token {
			s.pos = end
			v, _ := strconv.ParseFloat(token, 32)
			return float32(v)
		}
	}
	s.fail("want a number")
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// atEnd reports whether a value ends here.
func (s *scanner) atEnd() bool {
	if s.pos == len(s.data) {
		return false
	}
	switch s.data[s.pos] {
	case ',', ']', '}', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// quotedInteger reads a whole number in [min, max] that is written as a text.
func (s *scanner) quotedInteger(min, max int64) int64 {
	text := s.text(20)
	v, err := strconv.ParseInt(text, 10, 64)
	if s.err == nil && (err != nil || strconv.FormatInt(v, 10) != text || v < min || v > max) {
		s.fail("%q is not in [%d, %d]", text, min, max)
	}
	return v
}

// quotedScore reads a finite number that is written as a text, in the strict
// form: of what its parser does not like there the library says nothing, and
// goes on with 0.5.
func (s *scanner) quotedScore() float32 {
	text := s.text(32)
	inner := scanner{data: []byte(text + "]")}
	v := inner.float()
	if s.err == nil && (inner.err != nil || inner.pos != len(text) || v-v != 0) {
		s.fail("%q is not a finite number", text)
	}
	return v
}

// quotedFloat reads a finite number that is written as a text.
func (s *scanner) quotedFloat() float32 {
	text := s.text(32)
	v, err := strconv.ParseFloat(text, 32)
	if s.err == nil && (err != nil || v-v != 0 || strings.ContainsAny(text, "xX_")) {
		s.fail("%q is not a finite number", text)
	}
	return float32(v)
}

// integers appends the whole numbers of an array to dst.
func (s *scanner) integers(dst []int32, min, max int64) []int32 {
	s.array(func() { dst = append(dst, int32(s.integer(min, max))) })
	return dst
}

// floats appends the numbers of an array to dst.
func (s *scanner) floats(dst []float32) []float32 {
	s.array(func() { dst = append(dst, s.float()) })
	return dst
}
