package people

import (
	"context"
	"strings"
	"sync"
	"testing"

	"ambit/internal/fault"
)

// reference is from the tests of the reference implementation of argon2
// (test.c, argon2id, version 0x13): password "password", salt "somesalt".
const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestMatches(t *testing.T) {
	h := NewHasherAt(cheap)
	composed, err := h.Hash(t.Context(), "caf\u00e9 au lait, s'il vous pla\u00eet")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, hash, password string
		want                 bool
	}{
		{"the reference's hash", reference, "password", true},
		{"the reference's hash, another password", reference, "Password", false},
		{"no hash", "", "password", false},
		{"no hash, no password", "", "", false},
		{"the same characters, typed otherwise", composed, "cafe\u0301 au lait, s'il vous plai\u0302t", true},
		{"without accents", composed, "cafe au lait, s'il vous plait", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := h.Matches(t.Context(), tt.hash, tt.password)
			if got != tt.want || err != nil {
				t.Errorf("Matches = %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

// TestDefaultCost makes one hash at the cost that people pay.
func TestDefaultCost(t *testing.T) {
	h := NewHasher()
	hash, err := h.Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	if want := "$argon2id$v=19$m=65536,t=3,p=4$"; !strings.HasPrefix(hash, want) {
		t.Errorf("hash = %s, want it to begin with %s", hash, want)
	}
	if ok, err := h.Matches(t.Context(), hash, password); !ok || err != nil {
		t.Errorf("Matches = %v, %v, want true", ok, err)
	}
}

func TestHashesAreSalted(t *testing.T) {
	h := NewHasherAt(cheap)
	a, errA := h.Hash(t.Context(), password)
	b, errB := h.Hash(t.Context(), password)
	if errA != nil || errB != nil || a == b {
		t.Errorf("two hashes of one password: %s, %s (%v, %v), want them to differ", a, b, errA, errB)
	}
}

func TestParsePHC(t *testing.T) {
	const salt, key = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	tests := []struct {
		name, in string
		wantErr  bool
	}{
		{"reference", reference, false},
		{"argon2i", strings.Replace(reference, "argon2id", "argon2i", 1), true},
		{"an old version", strings.Replace(reference, "v=19", "v=16", 1), true},
		{"a terabyte", "$argon2id$v=19$m=1073741824,t=2,p=1$" + salt + "$" + key, true},
		{"no passes", "$argon2id$v=19$m=65536,t=0,p=1$" + salt + "$" + key, true},
		{"endless passes", "$argon2id$v=19$m=65536,t=101,p=1$" + salt + "$" + key, true},
		{"no lanes", "$argon2id$v=19$m=65536,t=2,p=0$" + salt + "$" + key, true},
		{"lanes that overflow", "$argon2id$v=19$m=65536,t=2,p=257$" + salt + "$" + key, true},
		{"words after the cost", "$argon2id$v=19$m=65536,t=2,p=1,x$" + salt + "$" + key, true},
		{"a short salt", "$argon2id$v=19$m=65536,t=2,p=1$c29t$" + key, true},
		{"a short key", "$argon2id$v=19$m=65536,t=2,p=1$" + salt + "$c29t", true},
		{"padded", reference + "=", true},
		{"bcrypt", "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", true},
		{"plain", password, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := parsePHC(tt.in)
			if (err != nil) != tt.wantErr || err == nil && p.String() != tt.in {
				t.Errorf("parsePHC(%q) = %v, %v, want error %v", tt.in, p, err, tt.wantErr)
			}
			if tt.wantErr {
				if ok, err := NewHasherAt(cheap).Matches(t.Context(), tt.in, password); ok || err == nil {
					t.Errorf("Matches = %v, %v, want an error", ok, err)
				}
			}
		})
	}
}

// TestHasherWaitsForASlot: with both slots taken a call waits, and stops waiting when its caller does.
func TestHasherWaitsForASlot(t *testing.T) {
	h := NewHasherAt(cheap)
	h.slots <- struct{}{}
	h.slots <- struct{}{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Hash(gone, password); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Hash = %v, want unavailable", err)
	}
	if _, err := h.Matches(gone, "", password); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Matches with no hash = %v, want unavailable: it must cost as much", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := h.Hash(t.Context(), password); err != nil {
			t.Errorf("Hash after a slot is free: %v", err)
		}
	})
	<-h.slots
	wg.Wait()
	if len(h.slots) != 1 {
		t.Errorf("%d slots are taken, want 1", len(h.slots))
	}
}
