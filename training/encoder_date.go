package training

import "time"

// dateLayouts are how dates are written; fractions of a second pass after each
// that has seconds.
var dateLayouts = []string{
	"2006-01-02",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04:05",
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05-07",
}

// parseDate returns the first n of dateParts of a date in UTC, or nil if it is none.
func parseDate(text string, n int) []float32 {
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		t = t.UTC()
		weekday := (int(t.Weekday())+6)%7 + 1 // Monday is 1
		parts := []float32{float32(t.Year()), float32(t.Month()), float32(t.Day()), float32(weekday), float32(t.Hour())}
		return parts[:n]
	}
	return nil
}
