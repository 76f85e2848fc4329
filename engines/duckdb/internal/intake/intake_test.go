package intake

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files as a whole are tested through the engine, in the package above.

func TestClassify(t *testing.T) {
	tests := map[string]class{
		"0": integer, "-1": integer, "9223372036854775807": integer, "-9223372036854775808": integer,
		"9223372036854775808": bigInteger, "12345678901234567890": bigInteger,
		"00": padded, "007": padded, "-01": padded, "00.5": padded, "01e5": padded,
		"1.5": float, "-0.5": float, ".5": float, "5.": float, "1e5": float, "1E-5": float, "-0": float, "0.0": float,
		"1e999": other, "1.2.3": other, "1-2": other, "-": other, ".": other, "1e": other, "12a": other, "+5": other, "0x1F": other, "1_000": other,
		"true": boolean, "FALSE": boolean, "True": boolean, "t": other, "yes": other, "trueish": other,
		"2024-02-29": date, "0001-01-01": date, "2023-02-29": other, "2024-13-01": other, "2024-00-10": other, "2024-04-31": other, "2024-1-01": other, "2024-01-0x": other,
		"2024-01-01 10:00": local, "2024-01-01T10:00:00": local, "2024-01-01 10:00:00.123456789": local, "2024-01-01 10:00:00 UTC": local,
		"2024-01-01T10:00:00Z": zoned, "2024-01-01 10:00:00+02": zoned, "2024-01-01 10:00:00+0200": zoned, "2024-01-01 10:00:00.5-02:00": zoned, "2024-01-01 10:00Z": zoned,
		"2024-01-01 25:00:00": other, "2024-01-01x10:00:00": other, "2024-01-01 ": other, "abc": other, "é": other,
	}
	for text, want := range tests {
		if got := classify(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestMoment(t *testing.T) {
	tests := map[string]string{
		"2024-02-29":                    "2024-02-29T00:00:00Z",
		"2024-01-01 10:00":              "2024-01-01T10:00:00Z",
		"2024-01-01T10:00:00.25":        "2024-01-01T10:00:00.25Z",
		"2024-01-01T00:30:00+01:00":     "2023-12-31T23:30:00Z",
		"2024-01-01 00:30:00-0130":      "2024-01-01T02:00:00Z",
		"2024-01-01 10:00:00.5 UTC":     "2024-01-01T10:00:00.5Z",
		"1969-12-31 23:59:59.999999":    "1969-12-31T23:59:59.999999Z",
		"2024-01-01 10:00:00.123456789": "2024-01-01T10:00:00.123456789Z",
	}
	for text, want := range tests {
		if got, err := Moment(text); err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q: got %s, %v; want %s", text, got.Format(time.RFC3339Nano), err, want)
		}
	}
	for _, text := range []string{"2024-02-30", "2024-01-01 99:00", "tomorrow!!"} {
		if got, err := Moment(text); err == nil {
			t.Errorf("%q: got %s, want an error", text, got)
		}
	}
}

func TestIsMissing(t *testing.T) {
	tests := []struct {
		kind  Kind
		field string
		want  bool
	}{
		{Text, "", true}, {Text, " ", false}, {Text, "NA", false}, {Integer, "", true}, {Integer, "  ", true}, {Integer, " NA ", true},
		{Float, "nan", true}, {Date, "?", true}, {Integer, "0", false}, {Boolean, "none", true}, {Timestamp, "x", false},
	}
	for _, tt := range tests {
		if got := tt.kind.IsMissing(tt.field); got != tt.want {
			t.Errorf("%v %q: got %v, want %v", tt.kind.SQL(), tt.field, got, tt.want)
		}
	}
}

func TestDelimiter(t *testing.T) {
	tests := []struct {
		name, file string
		want       rune
	}{
		{"comma", "a,b\n1,2\n", ','},
		{"semicolon", "a;b\n1,5;2\n", ';'},
		{"a draw goes to the comma", "a;b,c\n1;2,3\n", ','},
		{"tab", "a\tb\n1\t2\n", '\t'},
		{"bar", "a|b|c\n1|2|3\n", '|'},
		{"one column", "a\n1\n", ','},
		{"comma in quotes", "a;b\n\"1,2,3\";4\n", ';'},
		{"ragged commas stay commas", "a,b\n1,2\n3\n", ','},
		{"empty", "", ','},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := delimiter(path); err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}
