package worker

import (
	"math"
	"strconv"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"
)

const secondsADay = 86_400

// isTime reports whether the column holds dates, times or intervals.
func (c *column) isTime() bool {
	switch c.typ {
	case duck.TypeDate, duck.TypeTime, duck.TypeTimeNS, duck.TypeInterval, duck.TypeTimestamp, duck.TypeTimestampTZ,
		duck.TypeTimestampS, duck.TypeTimestampMS, duck.TypeTimestampNS:
		return true
	}
	return false
}

// appendTime appends a date, time, timestamp (UTC) or interval in the form of ISO 8601.
func (c *column) appendTime(dst []byte, i int) []byte {
	switch c.typ {
	case duck.TypeInterval:
		return appendInterval(dst, at[interval](c.data, i))
	case duck.TypeTime:
		return time.UnixMicro(at[int64](c.data, i)).UTC().AppendFormat(dst, "15:04:05.999999")
	case duck.TypeTimeNS:
		return time.Unix(0, at[int64](c.data, i)).UTC().AppendFormat(dst, "15:04:05.999999999")
	}
	return appendMoment(dst, c.typ, c.integer(c.typ, i))
}

// appendMoment appends a date or timestamp that the engine stores as n.
func appendMoment(dst []byte, typ duck.Type, n int64) []byte {
	t, infinite := moment(typ, n)
	if infinite != 0 {
		return appendFloat(dst, math.Inf(infinite), 64)
	}
	if typ == duck.TypeDate {
		return t.AppendFormat(dst, time.DateOnly)
	}
	return t.AppendFormat(dst, "2006-01-02T15:04:05.999999999Z")
}

// moment returns a date or timestamp; infinite is 1 or -1 for the two that are no moment.
func moment(typ duck.Type, n int64) (t time.Time, infinite int) {
	if typ == duck.TypeDate {
		switch n {
		case math.MaxInt32:
			return t, 1
		case -math.MaxInt32:
			return t, -1
		}
		return time.Unix(n*secondsADay, 0).UTC(), 0
	}
	switch n {
	case math.MaxInt64:
		return t, 1
	case -math.MaxInt64:
		return t, -1
	}
	switch typ {
	case duck.TypeTimestampS:
		return time.Unix(n, 0).UTC(), 0
	case duck.TypeTimestampMS:
		return time.UnixMilli(n).UTC(), 0
	case duck.TypeTimestampNS:
		return time.Unix(0, n).UTC(), 0
	}
	return time.UnixMicro(n).UTC(), 0
}

type interval struct {
	months, days int32
	micros       int64
}

// appendInterval appends a duration such as P1M2DT3.5S; PT0S is none.
func appendInterval(dst []byte, v interval) []byte {
	dst = append(dst, 'P')
	if v.months != 0 {
		dst = append(strconv.AppendInt(dst, int64(v.months), 10), 'M')
	}
	if v.days != 0 {
		dst = append(strconv.AppendInt(dst, int64(v.days), 10), 'D')
	}
	if v.micros != 0 || v.months == 0 && v.days == 0 {
		dst = append(dst, 'T')
		dst = append(strconv.AppendFloat(dst, float64(v.micros)/1e6, 'f', -1, 64), 'S')
	}
	return dst
}
