package worker

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ambit/datasets"
)

// What is often written for a value that is not known. A number or date counts
// only if it is frequent and, for numbers, stands apart from the rest.
var (
	missingNumbers = []float64{-1, -9, -99, -999, -9999, -99999, 999, 9999, 99999, 999999}
	missingDates   = []string{"1900-01-01", "1970-01-01", "1899-12-30", "9999-12-31", "2999-12-31"}
	missingTexts   = []string{"", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "nil", "none", "missing", "unknown", "not available", "empty"}
)

// frequent is the share of rows from which a value is suspicious, and the least count.
const (
	frequentShare = 0.01
	frequentCount = 5
)

func frequent(count, n int64) bool {
	return count >= frequentCount && float64(count) >= frequentShare*float64(n)
}

// disguisedNumbers returns suspicious values at either end of the sorted values.
func disguisedNumbers[T number](sorted []T, p *datasets.ColumnProfile, show func(T) string) []datasets.Level {
	var out []datasets.Level
	spread := 1.5 * (*p.P75 - *p.P25)
	n := int64(len(sorted))
	low, high := sorted[0], sorted[n-1]
	after, _ := slices.BinarySearchFunc(sorted, low, func(v, t T) int {
		if v <= t {
			return -1
		}
		return 1
	})
	before, _ := slices.BinarySearch(sorted, high)
	if after < len(sorted) && suspicious(low) && frequent(int64(after), n) {
		next := sorted[after]
		if low < 0 && next >= 0 || float64(next-low) > spread && spread > 0 {
			out = append(out, datasets.Level{Value: show(low), Count: int64(after)})
		}
	}
	if before > 0 && suspicious(high) && frequent(n-int64(before), n) {
		if float64(high-sorted[before-1]) > spread && spread > 0 {
			out = append(out, datasets.Level{Value: show(high), Count: n - int64(before)})
		}
	}
	return out
}

func suspicious[T number](v T) bool {
	return slices.ContainsFunc(missingNumbers, func(m float64) bool { return math.Abs(float64(v)-m) < 1e-9 })
}

func disguisedMoments(top []datasets.Level, n int64) []datasets.Level {
	var out []datasets.Level
	for _, l := range top {
		day, _, _ := strings.Cut(l.Value, "T")
		if slices.Contains(missingDates, day) && frequent(l.Count, n) {
			out = append(out, l)
		}
	}
	return out
}

// missingTextList is missingTexts as SQL.
func missingTextList() string {
	quoted := make([]string, len(missingTexts))
	for i, s := range missingTexts {
		quoted[i] = quoteText(s)
	}
	return strings.Join(quoted, ", ")
}

func count(s *string) int64 {
	if s == nil {
		return 0
	}
	n, _ := strconv.ParseInt(*s, 10, 64)
	return n
}
