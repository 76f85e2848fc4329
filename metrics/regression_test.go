package metrics

import (
	"math"
	"testing"
)

func TestRegressionKnown(t *testing.T) {
	y, p := []float64{1, 2, 3, 0}, []float64{1, 4, 2, 0}
	mape, excluded := MAPE(y, p, nil)
	if excluded != 1 {
		t.Errorf("MAPE left out %d rows, want 1", excluded)
	}
	tests := []struct {
		name string
		got  Value
		want float64
	}{
		{"RMSE", RMSE(y, p, nil), math.Sqrt(5. / 4)},
		{"weighted RMSE", RMSE(y, p, []float64{1, 1, 0, 2}), 1},
		{"MAE", MAE(y, p, nil), 0.75},
		{"median AE", MedianAE(y, p), 0.5},
		{"R2", R2(y, p, nil), 0},
		{"R2 against 0", R2Against(y, p, nil, 0), 1 - 5./14},
		{"perfect R2", R2(y, y, nil), 1},
		{"MAPE", mape, (0 + 1 + 1./3) / 3},
		{"sMAPE counts 0 over 0 as 0", SMAPE(y, p, nil), (0 + 4./6 + 2./5 + 0) / 4},
		{"greatest sMAPE", SMAPE([]float64{1, -2}, []float64{-1, 2}, nil), 2},
		{"RMSLE", RMSLE([]float64{0, math.E - 1}, []float64{math.E - 1, math.E - 1}, nil), math.Sqrt(.5)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { near(t, tt.name, tt.got, tt.want, 1e-14) })
	}
}

func TestRegressionUndefined(t *testing.T) {
	mape, excluded := MAPE([]float64{0, 0}, []float64{1, 2}, nil)
	if excluded != 2 {
		t.Errorf("MAPE left out %d rows, want 2", excluded)
	}
	tests := []struct {
		name string
		got  Value
		want Reason
	}{
		{"no rows", RMSE(nil, nil, nil), NoRows},
		{"lengths", MAE([]float64{1}, nil, nil), LengthsDiffer},
		{"infinite", RMSE([]float64{1}, []float64{math.Inf(1)}, nil), NotFinite},
		{"overflow", RMSE([]float64{1e200}, []float64{-1e200}, nil), Overflow},
		{"constant y", R2([]float64{2, 2}, []float64{1, 3}, nil), NoSpread},
		{"constant y by weight", R2([]float64{2, 2, 5}, []float64{1, 3, 5}, []float64{1, 1, 0}), NoSpread},
		{"baseline", R2Against([]float64{1, 2}, []float64{1, 2}, nil, math.NaN()), NotFinite},
		{"log of -1", RMSLE([]float64{1}, []float64{-1}, nil), OutOfRange},
		{"only zeros", mape, ZeroScale},
		{"quantile of nothing", Quantile(nil, .5), NoRows},
		{"quantile 2", Quantile([]float64{1}, 2), BadArgument},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { undefined(t, tt.name, tt.got, tt.want) })
	}
}

// A weight counts as so many rows.
func TestWeightsAreRepeats(t *testing.T) {
	y, p := []float64{0, 1, 1, 0}, []float64{.2, .6, .4, .5}
	w := []float64{2, 1, 3, 2}
	var yy, pp []float64
	for i, n := range w {
		for range int(n) {
			yy, pp = append(yy, y[i]), append(pp, p[i])
		}
	}
	for _, m := range Of(Binary) {
		near(t, m.Name, m.Binary(y, p, w), m.Binary(yy, pp, nil).V, 1e-12)
	}
	for _, m := range Of(Regression) {
		got, want := m.Regression(y, p, w), m.Regression(yy, pp, nil)
		near(t, m.Name, got, want.V, 1e-12)
	}
}
