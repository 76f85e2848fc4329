// Package clock is time as Ambit stores and shows it.
package clock

import (
	"encoding/json"
	"time"
)

// Time is a moment in unix milliseconds, UTC. The zero value means "not yet".
// Both databases compare it as a number, which they cannot do alike with dates.
type Time int64

// Clock tells the time. Services hold one as a field, so that tests set it.
type Clock func() Time

// Now is the system's clock.
func Now() Time { return Of(time.Now()) }

// Of converts t, cutting it to milliseconds.
func Of(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Std converts t; a zero Time becomes the zero time.Time.
func (t Time) Std() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// Add returns t plus d.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// Sub returns the time from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Millisecond }

// Day returns the start of t's day in UTC.
func (t Time) Day() Time { return Of(t.Std().Truncate(24 * time.Hour)) }

const layout = "2006-01-02T15:04:05.000Z"

func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format(layout)
}

// MarshalJSON writes ISO 8601 in UTC, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	b := append(make([]byte, 0, len(layout)+2), '"')
	return append(t.Std().AppendFormat(b, layout), '"'), nil
}

// UnmarshalJSON reads RFC 3339, or null.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	var s time.Time
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*t = Of(s)
	return nil
}
