package tokens

import (
	"regexp"
	"strings"
	"testing"

	"ambit/internal/fault"
)

// golden is a token that was made once: its form is what scanners look for, so
// it never changes.
const golden = "amb_0123456789AB_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg1J055r"

func TestChecksum(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "000000"},
		{"123456789", "3jZRME"}, // CRC-32's check value, 0xCBF43926
		{"a", "4GEHKN"},         // 0xE8B7BE43
	}
	for _, tt := range tests {
		if got := checksum(tt.in); got != tt.want {
			t.Errorf("checksum(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	_, other := newSecret()
	tests := []struct {
		name, token, wantID string
	}{
		{"golden", golden, "0123456789AB"},
		{"new", other, other[4:16]},
		{"empty", "", ""},
		{"with its scheme", "Bearer " + golden, ""},
		{"cut", golden[:len(golden)-1], ""},
		{"longer", golden + "0", ""},
		{"with a space", golden + " ", ""},
		{"prefix in capitals", "AMB_" + golden[4:], ""},
		{"the checksum of another", golden[:60] + other[60:], ""},
		{"two characters swapped", golden[:20] + golden[21:22] + golden[20:21] + golden[22:], ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if id, ok := parse(tt.token); id != tt.wantID || ok != (tt.wantID != "") {
				t.Errorf("parse(%q) = %q, %v, want %q", tt.token, id, ok, tt.wantID)
			}
		})
	}
}

// TestEveryTypoIsRefusedBeforeTheStore changes each character of a valid token to every other byte.
func TestEveryTypoIsRefusedBeforeTheStore(t *testing.T) {
	s, m, _ := newService(t)
	_, secret, err := s.Mint(t.Context(), validMint(), "cli")
	if err != nil {
		t.Fatal(err)
	}
	m.calls = 0
	for i := range len(secret) {
		for b := range 256 {
			if byte(b) == secret[i] {
				continue
			}
			typo := secret[:i] + string([]byte{byte(b)}) + secret[i+1:]
			if _, _, err := s.Verify(t.Context(), typo); fault.CodeOf(err) != fault.Unauthenticated {
				t.Fatalf("Verify with byte %d = %#x: %v, want unauthenticated", i, b, err)
			}
		}
	}
	if m.calls != 0 {
		t.Errorf("the store was called %d times, want 0", m.calls)
	}
	if _, _, err := s.Verify(t.Context(), secret); err != nil {
		t.Errorf("Verify of the token itself: %v", err)
	}
}

func TestPattern(t *testing.T) {
	const want = `\bamb_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}\b`
	if Pattern != want {
		t.Fatalf("Pattern = %s, want %s: scanners rely on it", Pattern, want)
	}
	re := regexp.MustCompile(Pattern)
	_, fresh := newSecret()
	for _, token := range []string{golden, fresh} {
		text := "export AMBIT_TOKEN=" + token + "\nAuthorization: Bearer \"" + token + "\""
		if got := re.FindAllString(text, -1); len(got) != 2 || got[0] != token || got[1] != token {
			t.Errorf("found %q, want the token twice", got)
		}
	}
	for _, text := range []string{golden[:65], golden + "0", "x" + golden, strings.ToUpper(golden)} {
		if re.MatchString(text) {
			t.Errorf("Pattern matches %q, want no match", text)
		}
	}
}

// TestNewSecretsDiffer also holds that the id in the token is the one returned.
func TestNewSecretsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id, token := newSecret()
		if parsed, ok := parse(token); !ok || parsed != id || len(token) != 66 {
			t.Fatalf("parse(%q) = %q, %v, want %q, true", token, parsed, ok, id)
		}
		if seen[id] || seen[token[17:60]] {
			t.Fatalf("an id or a secret came twice")
		}
		seen[id], seen[token[17:60]] = true, true
	}
}
