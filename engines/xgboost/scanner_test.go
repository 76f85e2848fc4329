package xgboost

import (
	"math"
	"testing"
)

func TestScannerNumbers(t *testing.T) {
	tests := []struct {
		text    string
		integer bool // as a whole number in [-9, 99]
		float   float32
		isFloat bool
	}{
		{"0", true, 0, false},
		{"-9", true, 0, false},
		{"99", true, 0, false},
		{"100", false, 0, false},
		{"-10", false, 0, false},
		{"-0", false, 0, false},
		{"01", false, 0, false},
		{"+1", false, 0, false},
		{"1.0", false, 1, true},
		{"1E0", false, 1, true},
		{"-2.5E-1", false, -0.25, true},
		{"1.1754944E-38", false, 1.1754944e-38, true},
		{"1E-45", false, 1e-45, true},
		{"3.4028235E38", false, math.MaxFloat32, true},
		{"3.5E38", false, 0, false},
		{"Infinity", false, infinity, true},
		{"-Infinity", false, -infinity, true},
		{"nan", false, 0, false},
		{"-NaN", false, 0, false},
		{"1.2.3", false, 0, false},
		{"1E", false, 0, false},
		{".5E0", false, 0, false},
		{"5.E0", false, 0, false},
		{"05E0", false, 0, false},
		{"5e2", false, 500, true},
		{"5E+2", false, 0, false},
		{"1.23456789", false, 1.23456789, true},
		{"1.234567891", false, 0, false},
		{"--1E0", false, 0, false},
		{"0x1p3", false, 0, false},
		{"1_0E1", false, 0, false},
		{"", false, 0, false},
		{"99999999999999999999", false, 0, false},
		{"1.0000000000000000000000000E0", false, 0, false},
		{`"1"`, false, 0, false},
		{"null", false, 0, false},
	}
	for _, tt := range tests {
		s := scanner{data: []byte(tt.text + "]")}
		if s.integer(-9, 99); (s.err == nil) != tt.integer {
			t.Errorf("%q as a whole number: %v", tt.text, s.err)
		}
		s = scanner{data: []byte(tt.text + "]")}
		got := s.float()
		if (s.err == nil) != tt.isFloat || tt.isFloat && !sameBits(got, tt.float) {
			t.Errorf("%q as a float: %v, %v; want %v, %v", tt.text, got, s.err, tt.float, tt.isFloat)
		}
	}
	s := scanner{data: []byte("NaN]")}
	if got := s.float(); got == got || s.err != nil {
		t.Errorf("NaN is read as %v, %v", got, s.err)
	}
}

func TestScannerArrays(t *testing.T) {
	for text, want := range map[string]int{"[]": 0, " [ 1 , 2 ] ": 2, "[1,2,3]": 3, "[1,]": -1, "[,1]": -1, "[1 2]": -1, "[1": -1, "1]": -1, "[[1]]": -1} {
		s := scanner{data: []byte(text)}
		got := s.integers(nil, 0, 9)
		if (s.err != nil) != (want < 0) || want >= 0 && len(got) != want {
			t.Errorf("%q is read as %v, %v; want %d numbers", text, got, s.err, want)
		}
	}
}

func TestScannerTexts(t *testing.T) {
	for text, want := range map[string]string{`"a\"\\\n\t\rb"`: "a\"\\\n\t\rb", `"grün"`: "grün", `""`: ""} {
		s := scanner{data: []byte(text)}
		if got := s.text(20); got != want || s.err != nil {
			t.Errorf("%s is read as %q, %v; want %q", text, got, s.err, want)
		}
	}
	for _, text := range []string{`"open`, `"\u0041"`, `"\`, `"much too long a text"`, "\"\xff\"", "\"\n\"", `plain`} {
		s := scanner{data: []byte(text)}
		if s.text(10); s.err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
