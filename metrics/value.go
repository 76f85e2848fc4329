package metrics

import (
	"bytes"
	"encoding/json"
	"math"
)

// Value is a number, or the reason why there is none. The zero Value is none.
// In JSON it is the number or null; whoever shows it shows the Reason beside it.
type Value struct {
	V      float64
	OK     bool
	Reason Reason // why there is no number; "" if OK
}

// Interval is a 95% confidence interval, or the reason why there is none. In
// JSON it is {"low", "high"} or null.
type Interval struct {
	Low, High float64
	OK        bool
	Reason    Reason // why there is no interval; "" if OK
}

// Reason says in one word why a number is not defined. Reasons are API: callers
// branch on them.
type Reason string

// The reasons. The first group is about the input's form, the second about what
// the rows hold.
const (
	NoRows        Reason = "no_rows"
	LengthsDiffer Reason = "lengths_differ"
	NotFinite     Reason = "not_finite"   // a NaN or an infinity where a number must be
	BadLabel      Reason = "bad_label"    // neither 0 nor 1, or no class index
	BadWeight     Reason = "bad_weight"   // negative, or beyond what float64 can square
	OutOfRange    Reason = "out_of_range" // such as a probability of 1.2
	BadArgument   Reason = "bad_argument" // such as k = 0
	WrongTask     Reason = "wrong_task"   // the metric is of another task

	ZeroWeight         Reason = "zero_weight"         // the weights sum to 0
	OneClass           Reason = "one_class"           // a class is absent
	NoSpread           Reason = "no_spread"           // no variance where one is needed
	TooFew             Reason = "too_few"             // fewer rows, or resamples, than it needs
	Separated          Reason = "separated"           // the score parts the classes, so the fit has no maximum
	ZeroScale          Reason = "zero_scale"          // what to divide by is 0
	UndefinedPrecision Reason = "undefined_precision" // nothing was predicted positive
	NoConvergence      Reason = "no_convergence"
	Overflow           Reason = "overflow" // the result is beyond float64
)

// Defined returns the Value of v. A v that is NaN or infinite is an Overflow.
func Defined(v float64) Value {
	if !finite(v) {
		return Undefined(Overflow)
	}
	return Value{V: v, OK: true}
}

// Undefined returns the Value that is none for the given reason.
func Undefined(why Reason) Value { return Value{Reason: why} }

// Float returns v's number, NaN if there is none.
func (v Value) Float() float64 {
	if !v.OK {
		return math.NaN()
	}
	return v.V
}

// MarshalJSON writes the number or null.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.OK || !finite(v.V) {
		return []byte("null"), nil
	}
	return json.Marshal(v.V)
}

// UnmarshalJSON reads a number or null. JSON carries no Reason.
func (v *Value) UnmarshalJSON(raw []byte) error {
	*v = Value{}
	if isNull(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, &v.V); err != nil {
		return err
	}
	v.OK = true
	return nil
}

// interval returns [low, high], or an Overflow if a limit is not finite.
func interval(low, high float64) Interval {
	if !finite(low) || !finite(high) {
		return noInterval(Overflow)
	}
	return Interval{Low: low, High: high, OK: true}
}

func noInterval(why Reason) Interval { return Interval{Reason: why} }

// bounds is an Interval on the wire.
type bounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// MarshalJSON writes {"low", "high"} or null.
func (i Interval) MarshalJSON() ([]byte, error) {
	if !i.OK || !finite(i.Low) || !finite(i.High) {
		return []byte("null"), nil
	}
	return json.Marshal(bounds{i.Low, i.High})
}

// UnmarshalJSON reads {"low", "high"} or null. JSON carries no Reason.
func (i *Interval) UnmarshalJSON(raw []byte) error {
	*i = Interval{}
	if isNull(raw) {
		return nil
	}
	var b bounds
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	*i = Interval{Low: b.Low, High: b.High, OK: true}
	return nil
}

func isNull(raw []byte) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
