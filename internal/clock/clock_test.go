package clock_test

import (
	"encoding/json"
	"testing"
	"time"

	"ambit/internal/clock"
)

func TestJSON(t *testing.T) {
	berlin := time.Date(2026, 3, 1, 1, 2, 3, 456789000, time.FixedZone("CET", 3600))
	raw, err := json.Marshal([]clock.Time{0, clock.Of(berlin)})
	if want := `[null,"2026-03-01T00:02:03.456Z"]`; err != nil || string(raw) != want {
		t.Fatalf("Marshal = %s, %v; want %s", raw, err, want)
	}
	var back []clock.Time
	if err := json.Unmarshal(raw, &back); err != nil || back[0] != 0 || back[1] != clock.Of(berlin) {
		t.Errorf("Unmarshal = %v, %v; want what was written", back, err)
	}
}

func TestDay(t *testing.T) {
	late := clock.Of(time.Date(2026, 2, 28, 23, 59, 59, 999e6, time.UTC))
	if got, want := late.Day().String(), "2026-02-28T00:00:00.000Z"; got != want {
		t.Errorf("Day = %s, want %s", got, want)
	}
	if got := late.Add(time.Millisecond).Day().Sub(late.Day()); got != 24*time.Hour {
		t.Errorf("the next day begins %v later, want 24h", got)
	}
}
