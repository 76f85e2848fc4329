package metrics

import (
	"encoding/json"
	"math"
	"testing"
)

func TestValueJSON(t *testing.T) {
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"number", Defined(0.25), `0.25`},
		{"zero", Defined(0), `0`},
		{"none", Undefined(OneClass), `null`},
		{"zero value denies", Value{}, `null`},
		{"NaN claimed to be OK", Value{V: math.NaN(), OK: true}, `null`},
		{"interval", Interval{Low: 0.1, High: 0.5, OK: true}, `{"low":0.1,"high":0.5}`},
		{"no interval", Interval{Low: 0.1, High: 0.5}, `null`},
		{"infinite interval", Interval{Low: 0, High: math.Inf(1), OK: true}, `null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.in)
			if err != nil || string(got) != tt.want {
				t.Errorf("Marshal = %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestValueFromJSON(t *testing.T) {
	var got struct {
		A, B, C Value
		I, J    Interval
	}
	raw := `{"A": 1.5, "B": null, "I": {"low": 1, "high": 2}, "J": null}`
	if err := json.Unmarshal([]byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	if got.A != Defined(1.5) || got.B.OK || got.C.OK {
		t.Errorf("values = %+v %+v %+v, want 1.5 and two undefined", got.A, got.B, got.C)
	}
	if got.I != (Interval{Low: 1, High: 2, OK: true}) || got.J.OK {
		t.Errorf("intervals = %+v %+v, want [1, 2] and none", got.I, got.J)
	}
	for _, bad := range []string{`{"A": "x"}`, `{"I": 3}`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("Unmarshal(%s) = nil error, want one", bad)
		}
	}
}

func TestDefinedRefusesNonFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		undefined(t, "Defined", Defined(v), Overflow)
	}
	if got := Undefined(NoRows).Float(); !math.IsNaN(got) {
		t.Errorf("Float of undefined = %v, want NaN", got)
	}
	if got := Defined(2).Float(); got != 2 {
		t.Errorf("Float = %v, want 2", got)
	}
}
