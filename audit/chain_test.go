package audit

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ambit/internal/clock"
)

var testKey = ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", ed25519.SeedSize)))

// full is a record with every member set and the characters that encoders
// treat differently.
func full() Entry {
	return Entry{
		Seq: 7, At: 1767323045678, Principal: "token:tk_1", ActsFor: "pn_1", Tool: "a<b>&\"\\/\b\f\n\r\t\x01\x7f",
		Host: "ü \u2028 \U0001F600", Route: "plan_create", Workspace: "ws_1", Entity: "plan:pl_1", Outcome: "ok",
		Detail: "d", Key: "k", Replay: true, Digest: "00ff", RequestID: "rq_1", Prev: "aa", Hash: "not part of it",
	}
}

// The wants come from another language's JSON and SHA-256.
func TestHashOf(t *testing.T) {
	tests := []struct {
		name string
		e    Entry
		want string
	}{
		{"every member", full(), "a496539e60d1438154ef1bba5cdfd9477c7677c757fe332c68655de7bd50408a"},
		{"nothing set", Entry{}, "b06a869b7ffa47223dd423b1c22e82ff5ca215e67a3d2920fb4b7a4a5326df35"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := HashOf(tt.e); got != tt.want {
				t.Errorf("got %s, want %s, of %s", got, tt.want, canonical(tt.e))
			}
		})
	}
}

func TestChainMakesTextsStorable(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "tool", "tool"},
		{"NUL", "a\x00b", "a\uFFFDb"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"too long", strings.Repeat("x", 3000), strings.Repeat("x", 2048)},
		{"cut inside a character", strings.Repeat("x", 2047) + "é", strings.Repeat("x", 2047) + "\uFFFD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Chain(Head{}, Entry{Tool: tt.in})
			if got.Tool != tt.want {
				t.Errorf("got %q, want %q", got.Tool, tt.want)
			}
			if got.Hash != HashOf(got) {
				t.Error("the hash is not of what is kept")
			}
		})
	}
}

// chain returns n records and their signed head.
func chain(t *testing.T, n int) ([]Entry, Head) {
	t.Helper()
	var head Head
	var all []Entry
	for i := range n {
		e := Chain(head, Entry{At: clock.Time(1000 + i), Principal: "cli", Route: "plan_create", Outcome: fmt.Sprint(i)})
		all, head = append(all, e), Head{Seq: e.Seq, Hash: e.Hash}
	}
	if n == 0 {
		return nil, Head{}
	}
	head, err := Seal(testKey, all[n-1])
	if err != nil {
		t.Fatal(err)
	}
	return all, head
}

func walk(all []Entry) func(func(Entry) error) error {
	return func(f func(Entry) error) error {
		for _, e := range all {
			if err := f(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// rehash makes record i fit its content, as a forger without the key would.
func rehash(all []Entry, from int) {
	for i := from; i < len(all); i++ {
		prev := Head{}
		if i > 0 {
			prev = Head{Seq: all[i-1].Seq, Hash: all[i-1].Hash}
		}
		all[i] = Chain(prev, all[i])
	}
}

// tamperings are what may be done to a chain, and how it is found.
var tamperings = []struct {
	name    string
	n       int
	tamper  func(all []Entry, h Head) ([]Entry, Head)
	wantSeq int64 // 0: the chain is whole
	want    string
}{
	{"whole", 5, func(a []Entry, h Head) ([]Entry, Head) { return a, h }, 0, ""},
	{"one record", 1, func(a []Entry, h Head) ([]Entry, Head) { return a, h }, 0, ""},
	{"empty", 0, func(a []Entry, h Head) ([]Entry, Head) { return a, h }, 0, ""},
	{"changed", 5, func(a []Entry, h Head) ([]Entry, Head) { a[2].Outcome = "x"; return a, h }, 3, "was changed: its hash is another one"},
	{"changed in time", 5, func(a []Entry, h Head) ([]Entry, Head) { a[2].At++; return a, h }, 3, "was changed: its hash is another one"},
	{"changed with its hash", 5, func(a []Entry, h Head) ([]Entry, Head) {
		a[2].Outcome = "x"
		a[2].Hash = HashOf(a[2])
		return a, h
	}, 4, "does not carry the hash of the one before"},
	{"changed, the rest hashed again", 5, func(a []Entry, h Head) ([]Entry, Head) {
		a[2].Outcome = "x"
		rehash(a, 2)
		return a, h
	}, 5, "is not the one that the head was signed for"},
	{"changed, the rest and the head made to fit", 5, func(a []Entry, h Head) ([]Entry, Head) {
		a[2].Outcome = "x"
		rehash(a, 2)
		h.Hash = a[4].Hash
		return a, h
	}, 5, "is the head of the log, and is not signed with this key"},
	{"first taken out", 5, func(a []Entry, h Head) ([]Entry, Head) { return a[1:], h }, 1, "is missing: the next one is record 2"},
	{"taken out", 5, func(a []Entry, h Head) ([]Entry, Head) { return append(a[:2], a[3:]...), h }, 3, "is missing: the next one is record 4"},
	{"taken out and numbered again", 5, func(a []Entry, h Head) ([]Entry, Head) {
		a = append(a[:2], a[3:]...)
		rehash(a, 2)
		return a, h
	}, 5, "is missing: the log ends with record 4, its head is record 5"},
	{"swapped", 5, func(a []Entry, h Head) ([]Entry, Head) { a[1], a[2] = a[2], a[1]; return a, h }, 2, "is missing: the next one is record 3"},
	{"swapped and numbered again", 5, func(a []Entry, h Head) ([]Entry, Head) {
		a[1], a[2] = a[2], a[1]
		a[1].Seq, a[2].Seq = 2, 3
		return a, h
	}, 2, "does not carry the hash of the one before"},
	{"twice", 5, func(a []Entry, h Head) ([]Entry, Head) { return append(a[:3], a[2:]...), h }, 4, "is out of order: record 3 is in its place"},
	{"cut off at the end", 5, func(a []Entry, h Head) ([]Entry, Head) { return a[:3], h }, 4, "is missing: the log ends with record 3, its head is record 5"},
	{"cut off with its head", 5, func(a []Entry, h Head) ([]Entry, Head) {
		h.Seq, h.Hash = 3, a[2].Hash
		return a[:3], h
	}, 3, "is the head of the log, and is not signed with this key"},
	{"all taken out", 5, func(a []Entry, h Head) ([]Entry, Head) { return nil, h }, 1, "is missing: the log ends with record 0, its head is record 5"},
	{"added at the end", 5, func(a []Entry, h Head) ([]Entry, Head) {
		return append(a, Chain(Head{Seq: h.Seq, Hash: h.Hash}, Entry{Outcome: "x"})), h
	}, 6, "is not covered by the signed head"},
	{"head taken out", 5, func(a []Entry, h Head) ([]Entry, Head) { return a, Head{} }, 1, "is not covered by the signed head"},
	{"signature taken out", 5, func(a []Entry, h Head) ([]Entry, Head) { h.Signature = ""; return a, h }, 5, "is the head of the log, and is not signed with this key"},
}

func TestVerify(t *testing.T) {
	for _, tt := range tamperings {
		t.Run(tt.name, func(t *testing.T) {
			all, head := tt.tamper(chain(t, tt.n))
			err := Verify(walk(all), head, testKey.Public().(ed25519.PublicKey))
			var bad *BadRecord
			if tt.wantSeq == 0 {
				if err != nil {
					t.Errorf("got %v, want nil", err)
				}
				return
			}
			if !errors.As(err, &bad) || bad.Seq != tt.wantSeq || bad.Reason != tt.want {
				t.Errorf("got %v, want record %d: %s", err, tt.wantSeq, tt.want)
			}
		})
	}
}

func TestBadRecordSaysWhich(t *testing.T) {
	err := error(&BadRecord{Seq: 7, Reason: "was changed: its hash is another one"})
	if got, want := err.Error(), "audit record 7 was changed: its hash is another one"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVerifyAsksForTheRightKey(t *testing.T) {
	all, head := chain(t, 3)
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("o", ed25519.SeedSize)))
	for name, key := range map[string]ed25519.PublicKey{"another key": other.Public().(ed25519.PublicKey), "no key": nil} {
		t.Run(name, func(t *testing.T) {
			var bad *BadRecord
			if err := Verify(walk(all), head, key); !errors.As(err, &bad) || bad.Seq != 3 {
				t.Errorf("got %v, want record 3", err)
			}
		})
	}
}

func TestVerifyPassesOnAnErrorOfTheWalk(t *testing.T) {
	broken := errors.New("disk")
	err := Verify(func(func(Entry) error) error { return broken }, Head{}, nil)
	if err != broken {
		t.Errorf("got %v, want %v", err, broken)
	}
}
