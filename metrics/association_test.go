package metrics

import (
	"math"
	"slices"
	"testing"
)

func TestChiSquare(t *testing.T) {
	tests := []struct {
		name         string
		table        [][]float64
		chi2, p, v   float64
		df           int
		relativeOfP  float64
		toleranceOfV float64
	}{
		{"three by three", [][]float64{{10, 20, 30}, {25, 15, 12}, {4, 9, 16}}, 19.31234219947862, 0.0006823062667700103, 0.2616934905129941, 4, 1e-10, 1e-12},
		{"a new level", [][]float64{{1900, 100, 0}, {1800, 100, 100}}, 102.70270270270271, 4.993343809810728e-23, 0.1602363119760177, 2, 1e-10, 1e-12},
		{"empty row and column", [][]float64{{1900, 0, 100, 0}, {0, 0, 0, 0}, {1800, 0, 100, 100}}, 102.70270270270271, 4.993343809810728e-23, 0.1602363119760177, 2, 1e-10, 1e-12},
		{"independent", [][]float64{{10, 20}, {30, 60}}, 0, 1, 0, 1, 1e-10, 1e-12},
		{"wholly tied", [][]float64{{10, 0}, {0, 10}}, 20, 7.744216431044074e-06, 1, 1, 1e-10, 1e-12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ChiSquare(tt.table)
			near(t, "chi2", got.ChiSquare, tt.chi2, 1e-12)
			near(t, "V", got.CramersV, tt.v, tt.toleranceOfV)
			if !got.P.OK || math.Abs(got.P.V/tt.p-1) > tt.relativeOfP {
				t.Errorf("p = %+v, want %g", got.P, tt.p)
			}
			if got.DF != tt.df {
				t.Errorf("DF = %d, want %d", got.DF, tt.df)
			}
		})
	}
}

func TestChiSquareUndefined(t *testing.T) {
	tests := []struct {
		name  string
		table [][]float64
		want  Reason
	}{
		{"no table", nil, NoRows},
		{"no counts", [][]float64{{0, 0}, {0, 0}}, NoRows},
		{"one column", [][]float64{{1}, {2}}, TooFew},
		{"one filled row", [][]float64{{1, 2}, {0, 0}}, TooFew},
		{"ragged", [][]float64{{1, 2}, {3}}, LengthsDiffer},
		{"negative", [][]float64{{1, 2}, {3, -1}}, OutOfRange},
		{"NaN", [][]float64{{1, 2}, {3, math.NaN()}}, NotFinite},
		{"overflow", [][]float64{{1e308, 1e308}, {1e308, 1e308}}, Overflow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			undefined(t, "V", CramersV(tt.table), tt.want)
			undefined(t, "p", ChiSquare(tt.table).P, tt.want)
		})
	}
}

func TestPoolRare(t *testing.T) {
	tests := []struct {
		name   string
		in     [][]float64
		want   [][]float64
		levels int
	}{
		{"none rare", [][]float64{{50, 40}, {60, 50}}, [][]float64{{50, 40}, {60, 50}}, 0},
		{"two rare", [][]float64{{50, 7, 5}, {50, 5, 7}}, [][]float64{{50, 7, 5}, {50, 5, 7}}, 0},
		{"three rare", [][]float64{{50, 3, 2, 3}, {50, 3, 4, 3}}, [][]float64{{50, 8}, {50, 10}}, 3},
		{"a rare one takes the smallest", [][]float64{{50, 20, 1}, {50, 20, 0}}, [][]float64{{50, 21}, {50, 20}}, 2},
		{"empty", nil, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, levels := PoolRare(tt.in, 5)
			if levels != tt.levels || len(got) != len(tt.want) {
				t.Fatalf("PoolRare = %v, %d, want %v, %d", got, levels, tt.want, tt.levels)
			}
			for i := range got {
				if !slices.Equal(got[i], tt.want[i]) {
					t.Errorf("row %d = %v, want %v", i, got[i], tt.want[i])
				}
			}
		})
	}
}

func TestMcNemar(t *testing.T) {
	tests := []struct {
		b, c int
		want float64
	}{
		{3, 12, 0.03515625}, {12, 3, 0.03515625}, {8, 8, 1}, {0, 6, 0.03125}, {0, 0, 1}, {30, 55, 0.009236735486806593},
	}
	for _, tt := range tests {
		near(t, "McNemar", McNemar(tt.b, tt.c), tt.want, 1e-12)
	}
	undefined(t, "negative", McNemar(-1, 2), OutOfRange)
	undefined(t, "overflow", McNemar(math.MaxInt, 2), Overflow)
}
