package intake

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is what the values of a column are.
type Kind int

// Kinds of columns.
const (
	Text Kind = iota
	Integer
	Float
	Boolean
	Date
	Timestamp
)

// SQL returns the engine's type for the kind.
func (k Kind) SQL() string {
	return [...]string{"VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP"}[k]
}

// Column is a column of a sheet.
type Column struct {
	Name string
	Kind Kind
}

// missing are words that stand for no value in a column whose other values are
// numbers, dates or truth values. In a column of texts they are texts.
var missing = map[string]bool{
	"NA": true, "N/A": true, "n/a": true, "#N/A": true, "NaN": true, "nan": true, "NULL": true, "null": true,
	"None": true, "none": true, "?": true, "-": true, ".": true,
}

// IsMissing reports whether a field of a column of the kind holds no value: an
// empty field, and in a column that is not text a blank one or a word for missing.
func (k Kind) IsMissing(field string) bool {
	if k == Text {
		return field == ""
	}
	f := Trim(field)
	return f == "" || isWord(f)
}

// Trim returns a field without the blanks around it.
func Trim(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// isWord reports whether s, which is not empty, is a word for missing. None
// starts with a digit.
func isWord(s string) bool {
	return (s[0] < '0' || s[0] > '9') && missing[s]
}

// class is what one value looks like.
type class int

const (
	other class = iota
	integer
	bigInteger // digits beyond 64 bits
	padded     // digits with leading zeros: a code, not a number
	float
	boolean
	date
	local // a time without zone
	zoned // a time with zone
)

// classify says what a value looks like that is not empty and has no blanks around it.
func classify(s string) class {
	switch c := s[0]; {
	case c == 't' || c == 'T' || c == 'f' || c == 'F':
		if strings.EqualFold(s, "true") || strings.EqualFold(s, "false") {
			return boolean
		}
		return other
	case c == '-' || c == '.' || '0' <= c && c <= '9':
	default:
		return other
	}
	if len(s) >= len("2006-01-02") && s[4] == '-' && s[7] == '-' {
		return classifyTime(s)
	}
	return classifyNumber(s)
}

func classifyNumber(s string) class {
	digits := strings.TrimPrefix(s, "-")
	whole := 0
	for whole < len(digits) && '0' <= digits[whole] && digits[whole] <= '9' {
		whole++
	}
	if whole > 1 && digits[0] == '0' {
		return padded
	}
	if whole == len(digits) && whole > 0 {
		return classifyWhole(s, whole)
	}
	if isPlain(digits, whole) {
		return float
	}
	for _, c := range []byte(digits[whole:]) {
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '-' && c != '+' {
			return other
		}
	}
	if _, err := strconv.ParseFloat(s, 64); err != nil {
		return other
	}
	return float
}

func classifyWhole(s string, digits int) class {
	if s == "-0" {
		return float // as a whole number it would lose its sign
	}
	if digits > 18 {
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return bigInteger
		}
	}
	return integer
}

// isPlain reports whether what follows the whole digits is a point and digits,
// few enough that the number is finite.
func isPlain(digits string, whole int) bool {
	if whole == 0 || len(digits) > 300 || digits[whole] != '.' {
		return false
	}
	for i := whole + 1; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

func classifyTime(s string) class {
	if len(s) == len(time.DateOnly) {
		if _, ok := parseDate(s); ok {
			return date
		}
		return other
	}
	_, hasZone, ok := ParseTime(s)
	switch {
	case !ok:
		return other
	case hasZone:
		return zoned
	}
	return local
}

// layouts of a time; fractions of a second are taken after any seconds.
var (
	localLayouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04"}
	zonedLayouts = []string{"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05-0700", "2006-01-02 15:04:05-07", "2006-01-02 15:04Z07:00"}
)

// ParseTime reads a date with a time of day in the form of ISO 8601, with T or a
// blank between them. A time with a zone is turned into UTC.
func ParseTime(s string) (t time.Time, hasZone, ok bool) {
	if len(s) <= len(time.DateOnly) || s[10] != 'T' && s[10] != 't' && s[10] != ' ' {
		return t, false, false
	}
	s = s[:10] + " " + strings.TrimSuffix(s[11:], " UTC")
	tail := s[len(time.DateOnly)+1:]
	hasZone = strings.ContainsAny(tail, "Zz+-")
	choices := localLayouts
	if hasZone {
		choices = zonedLayouts
	}
	for _, layout := range choices {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), hasZone, true
		}
	}
	return t, false, false
}

// Moment reads a date or a time that classified as one.
func Moment(s string) (time.Time, error) {
	if len(s) == len(time.DateOnly) {
		t, ok := parseDate(s)
		if !ok {
			return t, fmt.Errorf("%q is no date", s)
		}
		return t, nil
	}
	t, _, ok := ParseTime(s)
	if !ok {
		return t, fmt.Errorf("%q is no time", s)
	}
	return t, nil
}

// parseDate reads YYYY-MM-DD, several times faster than the time package.
func parseDate(s string) (time.Time, bool) {
	digit := func(i int) int { return int(s[i]) - '0' }
	for _, i := range []int{0, 1, 2, 3, 5, 6, 8, 9} {
		if s[i] < '0' || s[i] > '9' {
			return time.Time{}, false
		}
	}
	year := digit(0)*1000 + digit(1)*100 + digit(2)*10 + digit(3)
	month, day := digit(5)*10+digit(6), digit(8)*10+digit(9)
	if month < 1 || month > 12 || day < 1 || s[4] != '-' || s[7] != '-' {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == day // the 31st of a shorter month is another day
}
