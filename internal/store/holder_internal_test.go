package store

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"ambit/internal/fault"
)

// A lock that cannot be asked for is an outage each time: the name is not left
// as if somebody had it.
func TestHoldWithoutADatabase(t *testing.T) {
	config, err := pgx.ParseConfig("host=" + t.TempDir() + " dbname=x user=x")
	if err != nil {
		t.Fatal(err)
	}
	h := &sessionHolder{config: config, local: localHolder{taken: map[string]bool{}}, turn: make(chan struct{}, 1)}
	for range 2 {
		if _, err := h.hold(t.Context(), "name"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("got %v, want unavailable", err)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
