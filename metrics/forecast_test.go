package metrics

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

func airPassengers(t *testing.T) []float64 {
	t.Helper()
	f, err := os.Open("testdata/air-passengers.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// Five yearly origins of AirPassengers, naive and seasonal naive.
func TestMASEOfAirPassengers(t *testing.T) {
	y := airPassengers(t)
	want := [5][2]float64{
		{1.932362122788762, 1.6576482830385018},
		{2.1716265796983283, 1.3754586220953933},
		{1.7117546848381602, 0.4115843270868825},
		{3.1963707064160727, 1.6565132858068699},
		{2.495894909688013, 1.57088122605364},
	}
	var sums [2]float64
	for i := range want {
		at := len(y) - 12*(5-i)
		train, test := y[:at], y[at:at+12]
		naive := make([]float64, 12)
		for j := range naive {
			naive[j] = train[at-1]
		}
		for j, forecast := range [][]float64{naive, train[at-12:]} {
			got := MASE(test, forecast, train, 12)
			near(t, "MASE", got, want[i][j], 1e-12)
			sums[j] += got.V / 5
		}
	}
	near(t, "mean MASE, naive", Defined(sums[0]), 2.30, 0.005)
	near(t, "mean MASE, seasonal naive", Defined(sums[1]), 1.33, 0.005)
}

func TestMASEUndefined(t *testing.T) {
	y := []float64{1, 2}
	undefined(t, "flat training", MASE(y, y, []float64{5, 5, 5}, 1), ZeroScale)
	undefined(t, "short training", MASE(y, y, []float64{5, 6}, 2), TooFew)
	undefined(t, "no season", MASE(y, y, []float64{5, 6}, 0), BadArgument)
	undefined(t, "NaN in training", MASE(y, y, []float64{5, math.NaN(), 3}, 1), NotFinite)
	undefined(t, "no forecast", MASE(nil, nil, []float64{5, 6}, 1), NoRows)
	near(t, "skill", Skill(3, 4), .25, 1e-15)
	undefined(t, "skill over a perfect baseline", Skill(3, 0), ZeroScale)
	undefined(t, "skill of NaN", Skill(math.NaN(), 1), NotFinite)
}

func TestDieboldMariano(t *testing.T) {
	e1 := []float64{0.5, -1.2, 0.3, 2.0, -0.7, 1.1, -0.4, 0.9, -1.5, 0.2, 0.6, -0.8}
	e2 := []float64{1.0, -1.0, 0.9, 2.5, -1.7, 0.6, -0.9, 1.8, -1.1, 0.8, 1.5, -1.4}
	tests := []struct {
		h    int
		t, p float64
	}{
		{1, -2.852384033498332, 0.01572950046788009},
		{2, -5.081972676135885, 0.0003538862612664954},
		{3, -2.355278598829979, 0.03813038514485853}, // a negative variance: lag 0
	}
	for _, tt := range tests {
		got := DieboldMariano(e1, e2, tt.h)
		near(t, "mean", got.Mean, -0.4166666666666667, 1e-14)
		near(t, "t", got.T, tt.t, 1e-12)
		near(t, "p", got.P, tt.p, 1e-12)
		back := DieboldMariano(e2, e1, tt.h)
		near(t, "t reversed", back.T, -tt.t, 1e-12)
	}
	if got := DieboldMariano(e1, e1, 1); got.P != Defined(1) || got.T != Defined(0) {
		t.Errorf("a forecast against itself = %+v, want t 0 and p 1", got)
	}
	for name, tt := range map[string]struct {
		got  TTest
		want Reason
	}{
		"horizon over the steps":  {DieboldMariano(e1, e2, 12), TooFew},
		"no horizon":              {DieboldMariano(e1, e2, 0), TooFew},
		"lengths":                 {DieboldMariano(e1, e2[1:], 1), LengthsDiffer},
		"always worse by so much": {DieboldMariano([]float64{1, 1, 1}, []float64{2, 2, 2}, 1), NoSpread},
	} {
		undefined(t, name, tt.got.P, tt.want)
	}
}
