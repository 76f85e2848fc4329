package idempotency

import (
	"strings"
	"testing"

	"ambit/internal/fault"
)

func TestParseKey(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		want   string
		code   fault.Code
	}{
		{"absent", nil, "", ""},
		{"one character", []string{"a"}, "a", ""},
		{"lowest and highest character", []string{"!~"}, "!~", ""},
		{"quotes are part of the key", []string{`"a"`}, `"a"`, ""},
		{"255 characters", []string{strings.Repeat("k", 255)}, strings.Repeat("k", 255), ""},
		{"256 characters", []string{strings.Repeat("k", 256)}, "", fault.Malformed},
		{"empty", []string{""}, "", fault.Malformed},
		{"twice the same", []string{"a", "a"}, "", fault.Malformed},
		{"space inside", []string{"a b"}, "", fault.Malformed},
		{"trailing space", []string{"a "}, "", fault.Malformed},
		{"tab", []string{"a\tb"}, "", fault.Malformed},
		{"DEL", []string{"a\x7f"}, "", fault.Malformed},
		{"not ASCII", []string{"é"}, "", fault.Malformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseKey(tt.values)
			if got != tt.want || fault.CodeOf(err) != tt.code {
				t.Errorf("got %q, %q; want %q, %q", got, fault.CodeOf(err), tt.want, tt.code)
			}
		})
	}
}
