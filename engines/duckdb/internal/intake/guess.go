package intake

import (
	"fmt"

	"ambit/datasets"
)

// guess gathers what the values of a column look like.
type guess struct {
	counts [zoned + 1]int64
	values int64 // fields that are not missing by any reading
	words  int64 // fields that are a word for missing
	word   string

	oddRow    int64 // the first value that is no number
	odd       string
	paddedRow int64 // the first code with leading zeros
	padded    string
}

func (g *guess) add(row int64, field string) {
	s := Trim(field)
	if s == "" {
		return
	}
	if isWord(s) {
		g.words++
		g.word = s
		return
	}
	g.values++
	c := classify(s)
	g.counts[c]++
	switch {
	case c == padded && g.paddedRow == 0:
		g.paddedRow, g.padded = row, shorten(s)
	case c != integer && c != float && c != bigInteger && c != padded && g.oddRow == 0:
		g.oddRow, g.odd = row, shorten(s)
	}
}

// kind decides the type: one that every value has, or else text. Codes with
// leading zeros and whole numbers beyond 64 bits stay text, because as numbers
// they would lose digits.
func (g *guess) kind() Kind {
	n, c := g.values, &g.counts
	switch {
	case n == 0:
		return Text
	case c[boolean] == n:
		return Boolean
	case c[integer] == n:
		return Integer
	case c[integer]+c[float] == n, c[float] > 0 && c[integer]+c[float]+c[bigInteger] == n:
		return Float
	case c[date] == n:
		return Date
	case c[zoned] == n, c[date]+c[local] == n:
		return Timestamp
	}
	return Text
}

// mostly is the share of numbers from which a column of texts looks like a mistake.
const mostly = 0.9

func (g *guess) warnings(c Column) []datasets.Warning {
	var out []datasets.Warning
	add := func(code, fix, format string, args ...any) {
		out = append(out, datasets.Warning{Code: code, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	if c.Kind != Text && g.words > 0 {
		add("missing_words", "Leave missing values empty to make this certain.",
			"Column %q: %d values such as %q were read as missing.", c.Name, g.words, g.word)
	}
	if c.Kind == Timestamp && g.counts[zoned] > 0 {
		add("zone_converted", "", "Column %q: times with a zone were turned into UTC.", c.Name)
	}
	if c.Kind != Text || g.values == 0 {
		return out
	}
	numbers := g.counts[integer] + g.counts[float] + g.counts[bigInteger] + g.counts[padded]
	switch {
	case numbers == g.values && g.counts[padded] > 0:
		add("leading_zeros", "", "Column %q was kept as text: row %d has %q, whose zeros a number would lose.", c.Name, g.paddedRow, g.padded)
	case numbers == g.values:
		add("long_numbers", "", "Column %q was kept as text: it has whole numbers beyond 64 bits.", c.Name)
	case float64(numbers) >= mostly*float64(g.values):
		add("mixed_numbers", "Correct these values, or leave them empty, and send the file again.",
			"Column %q is text because row %d has %q; %d of %d values are numbers.", c.Name, g.oddRow, g.odd, numbers, g.values)
	}
	return out
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
