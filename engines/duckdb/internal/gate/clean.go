package gate

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"ambit/internal/fault"
)

// maxText bounds a text of the engine that is shown, in bytes.
const maxText = 500

var (
	stackTrace = regexp.MustCompile(`(?s)\s*(Stack Trace:|LINE \d+:|This error signals an assertion failure|\n\s*\^).*`)
	aPath      = regexp.MustCompile(`(^|[\s'"(\[=,:])(?:[a-z][a-z0-9+.-]*:/)?(?:/[^\s/'"<>:,;()\[\]]+){2,}/?`)
	anAddress  = regexp.MustCompile(`\b0x[0-9a-fA-F]{4,}\b`)
	blanks     = regexp.MustCompile(`\s+`)
)

// Clean returns a text of the engine as it may be shown: without stack trace,
// quoted statement, paths or addresses, on one line, at most 500 bytes.
func Clean(s string) string {
	s = stackTrace.ReplaceAllString(s, "")
	s = aPath.ReplaceAllString(s, "${1}(path)")
	s = anAddress.ReplaceAllString(s, "(address)")
	s = strings.TrimSpace(blanks.ReplaceAllString(s, " "))
	return cut(strings.ToValidUTF8(s, "�"), maxText)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// quote shows a name that the caller wrote.
func quote(name string) string { return `"` + Clean(cut(name, 80)) + `"` }

// parserRefusal turns what the parser said into a refusal.
func parserRefusal(kind, message, position string) error {
	if strings.HasPrefix(message, "Only SELECT statements") {
		return fault.New(fault.NotSelect, "Only a SELECT can run here.").
			WithFix("Write one SELECT, or DESCRIBE or SUMMARIZE of a table; a PIVOT needs its values in IN (…).")
	}
	detail := Clean(message)
	if position != "" {
		detail += " (character " + position + ")"
	}
	f := fault.New(fault.Invalid, "The statement cannot be read: %s.", strings.TrimSuffix(detail, ".")).WithFix("Correct the SQL.")
	if strings.Contains(message, "memory exhausted") || strings.Contains(message, "Max expression depth") || strings.Contains(message, "too deep") {
		f = tooDeep()
	}
	return f.Because(causeOf(kind))
}

type causeOf string

func (c causeOf) Error() string { return "the parser's " + string(c) + " error" }
