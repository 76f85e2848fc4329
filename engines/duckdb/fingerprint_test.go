package duckdb

import (
	"fmt"
	"testing"
)

func TestFingerprint(t *testing.T) {
	e := newEngine(t, nil)
	n := 0
	print := func(file string) string {
		n++
		return ingestCSV(t, e, "w", fmt.Sprint("v", n), file).Fingerprint
	}
	base := print("a,b\n1,x\n2,y\n2,y\n3,\n")
	tests := []struct {
		name, file string
		same       bool
	}{
		{"the same file", "a,b\n1,x\n2,y\n2,y\n3,\n", true},
		{"rows in another order", "a,b\n3,\n2,y\n1,x\n2,y\n", true},
		{"another way to write it", "\ufeffa;b\r\n1;\"x\"\r\n2;y\r\n2;y\r\n3;\r\n", true},
		{"one cell", "a,b\n1,x\n2,y\n2,z\n3,\n", false},
		{"null for a value", "a,b\n1,\n2,y\n2,y\n3,\n", false},
		{"a row less", "a,b\n1,x\n2,y\n3,\n", false},
		{"a row twice more", "a,b\n1,x\n2,y\n2,y\n3,\n1,x\n", false},
		{"values of two rows swapped", "a,b\n1,y\n2,x\n2,y\n3,\n", false},
		{"another name", "a,c\n1,x\n2,y\n2,y\n3,\n", false},
		{"another type", "a,b\n1.5,x\n2,y\n2,y\n3,\n", false},
		{"columns in another order", "b,a\nx,1\ny,2\ny,2\n,3\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := print(tt.file); (got == base) != tt.same {
				t.Errorf("got %s, base %s; want the same: %v", got, base, tt.same)
			}
		})
	}
	// What the value is made of is fixed: a dataset must keep its fingerprint.
	if want := "sha256:34bfffe1ebcdcd84743c8ad40e598e8ad36c7b0611547b0b32dceee9f1db7747"; base != want {
		t.Errorf("got %s, want %s", base, want)
	}
}

// TestFingerprintOfParquet compares what CSV cannot hold, and formats.
func TestFingerprintOfParquet(t *testing.T) {
	e := newEngine(t, nil)
	n := 0
	print := func(sql string) string {
		n++
		in, err := ingestParquet(t, e, fmt.Sprint("v", n), parquetFile(t, sql))
		if err != nil {
			t.Fatal(err)
		}
		return in.Fingerprint
	}
	if a, b := print("SELECT '' AS s"), print("SELECT NULL::VARCHAR AS s"); a == b {
		t.Error("an empty text and no text have one fingerprint")
	}
	if a, b := print("SELECT 9007199254740993 AS n"), print("SELECT 9007199254740992 AS n"); a == b {
		t.Error("two large integers have one fingerprint")
	}
	if a, b := print("SELECT 'NaN'::DOUBLE AS x"), print("SELECT NULL::DOUBLE AS x"); a == b {
		t.Error("NaN and no number have one fingerprint")
	}
	csv := ingestCSV(t, e, "w", "csv", "i,x,d\n1,0.1,2024-01-01\n2,,2024-01-02\n").Fingerprint
	if got := print("SELECT * FROM (VALUES (2::BIGINT, NULL::DOUBLE, DATE '2024-01-02'), (1, 0.1, DATE '2024-01-01')) v(i, x, d)"); got != csv {
		t.Errorf("Parquet: got %s, want that of the CSV, %s", got, csv)
	}
}
