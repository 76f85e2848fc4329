package metrics

import (
	"fmt"
	"math"
	"testing"
)

// nasty are the numbers that break formulas.
var nasty = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 2, 1e-300, -1e-300, 5e-324, 1e300, -1e300,
	math.MaxFloat64, -math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1),
}

// draws makes inputs from tame to hopeless.
type draws struct{ *RNG }

func (d draws) length() int { return []int{0, 1, 2, 3, 7, 40, 230}[d.IntN(7)] }

// column is all plain, all of one value, or mixed with nasty numbers.
func (d draws) column(n int) []float64 {
	out, kind, constant := make([]float64, n), d.IntN(5), nasty[d.IntN(len(nasty))]
	for i := range out {
		switch {
		case kind == 0:
			out[i] = constant
		case kind == 1 && d.IntN(4) == 0:
			out[i] = nasty[d.IntN(len(nasty))]
		case kind == 2:
			out[i] = float64(d.IntN(3))
		case kind == 3:
			out[i] = nasty[d.IntN(len(nasty)-3)] // finite
		default:
			out[i] = d.Float64()
		}
	}
	return out
}

func (d draws) labels(n int) []float64 {
	if d.IntN(4) == 0 {
		return d.column(n)
	}
	out, share := make([]float64, n), d.Float64()
	for i := range out {
		if d.Float64() < share {
			out[i] = 1
		}
	}
	return out
}

func (d draws) weights(n int) []float64 {
	if d.IntN(2) == 0 {
		return nil
	}
	return d.column(n)
}

// off is now and then another length.
func (d draws) off(n int) int {
	if d.IntN(15) == 0 {
		return d.length()
	}
	return n
}

// sound fails if a defined value is not finite, or lies outside its bounds.
func sound(t *testing.T, what string, v Value, low, high float64) {
	t.Helper()
	if !v.OK {
		if v.Reason == "" {
			t.Fatalf("%s is undefined without a reason", what)
		}
		return
	}
	if !finite(v.V) || v.V < low-1e-9 || v.V > high+1e-9 {
		t.Fatalf("%s = %v, want within [%v, %v]", what, v.V, low, high)
	}
}

func soundInterval(t *testing.T, what string, i Interval, low, high float64) {
	t.Helper()
	if i.OK {
		sound(t, what+" low", Defined(i.Low), low, i.High)
		sound(t, what+" high", Defined(i.High), i.Low, high)
	} else if i.Reason == "" {
		t.Fatalf("%s is undefined without a reason", what)
	}
}

var huge = math.MaxFloat64

// limits are the bounds of the metrics of the table.
var limits = map[string][2]float64{
	"auc": {0, 1}, "logloss": {0, 17}, "ap": {0, 1}, "brier": {0, 2}, "accuracy": {0, 1}, "balanced_accuracy": {0, 1},
	"f1": {0, 1}, "mcc": {-1, 1}, "ks": {0, 1}, "gini": {-1, 1}, "ece": {0, 1}, "macro_f1": {0, 1}, "macro_auc": {0, 1},
	"rmse": {0, huge}, "mae": {0, huge}, "r2": {-huge, 1}, "rmsle": {0, huge}, "mape": {0, huge}, "smape": {0, 2},
}

func TestTotalBinary(t *testing.T) {
	for seed := range uint64(3000) {
		d := draws{Stream(seed, "binary", 0)}
		n := d.length()
		y, p, w := d.labels(n), d.column(d.off(n)), d.weights(d.off(n))
		for _, m := range Of(Binary) {
			sound(t, fmt.Sprintf("seed %d %s", seed, m.Name), m.Binary(y, p, w), limits[m.Name][0], limits[m.Name][1])
		}
		soundInterval(t, "DeLong", AUCInterval(y, p), 0, 1)
		sound(t, "DeLong p", AUCDifference(y, p, d.column(n)).P, 0, 1)
		points, _ := Curve(y, p, w)
		for _, pt := range points {
			sound(t, "FPR", Defined(pt.FPR), 0, 1)
			sound(t, "recall", Defined(pt.Recall), 0, 1)
		}
		if len(points) > MaxPoints {
			t.Fatalf("seed %d: %d points, want at most %d", seed, len(points), MaxPoints)
		}
		bins, _ := EqualCountBins(y, p, w, d.IntN(12))
		for _, b := range bins {
			sound(t, "observed", Defined(b.Observed), 0, 1)
			soundInterval(t, "Wilson", b.Interval, 0, 1)
		}
		gains, _ := Gains(y, p, w, d.IntN(12))
		for _, g := range gains {
			sound(t, "captured", Defined(g.Captured), 0, 1)
		}
		sound(t, "lift", Lift(y, p, w, d.Float64()*float64(n)), 0, huge)
		sound(t, "resolution", MurphySplit(y, p, w).Resolution, 0, .25)
		for _, o := range []Objective{ForF1, ForBalancedAccuracy, "other"} {
			if got, why := BestThreshold(y, p, w, o); why == "" {
				sound(t, string(o), got.Score, 0, 1)
			}
		}
	}
}

func TestTotalFits(t *testing.T) {
	for seed := range uint64(1500) {
		d := draws{Stream(seed, "fits", 0)}
		n := d.length()
		y, x, w := d.labels(n), d.column(d.off(n)), d.weights(d.off(n))
		for name, fit := range map[string]func(y, x, w []float64) (Line, Reason){"Platt": Platt, "Recalibration": Recalibration} {
			line, why := fit(y, x, w)
			if why == "" && !(finite(line.Slope) && finite(line.Intercept)) {
				t.Fatalf("seed %d: %s = %+v", seed, name, line)
			}
		}
		iso, why := FitIsotonic(y, x, w)
		if why == "" && len(iso.X) == 0 {
			t.Fatalf("seed %d: FitIsotonic without knots or reason", seed)
		}
		previous := math.Inf(-1)
		for _, k := range iso.X {
			if v := iso.At(k); v < previous {
				t.Fatalf("seed %d: isotonic falls from %v to %v", seed, previous, v)
			} else {
				previous = v
			}
		}
	}
}

func TestTotalMulticlass(t *testing.T) {
	for seed := range uint64(1500) {
		d := draws{Stream(seed, "multiclass", 0)}
		n, k := d.length(), d.IntN(5)
		y := make([]int, n)
		for i := range y {
			y[i] = d.IntN(k)
			if d.IntN(200) == 0 {
				y[i] = d.IntN(9) - 4
			}
		}
		p, w := d.column(d.off(n*k)), d.weights(d.off(n))
		for _, m := range Of(Multiclass) {
			sound(t, fmt.Sprintf("seed %d %s", seed, m.Name), m.Multiclass(y, p, k, w), limits[m.Name][0], max(limits[m.Name][1], 20))
		}
		sound(t, "top", TopK(y, p, k, w, d.IntN(4)), 0, 1)
		sound(t, "class loss", ClassLogLoss(y, p, k, w, d.IntN(4)), 0, 20)
		Argmax(p, k)
	}
}

func TestTotalRegression(t *testing.T) {
	for seed := range uint64(3000) {
		d := draws{Stream(seed, "regression", 0)}
		n := d.length()
		y, p, w := d.column(n), d.column(d.off(n)), d.weights(d.off(n))
		for _, m := range Of(Regression) {
			sound(t, fmt.Sprintf("seed %d %s", seed, m.Name), m.Regression(y, p, w), limits[m.Name][0], limits[m.Name][1])
		}
		sound(t, "R2 against", R2Against(y, p, w, nasty[d.IntN(len(nasty))]), -huge, 1)
		sound(t, "median", MedianAE(y, p), 0, huge)
		sound(t, "quantile", Quantile(y, d.Float64()), -huge, huge)
		sound(t, "MASE", MASE(y, p, d.column(d.length()), d.IntN(5)-1), 0, huge)
		sound(t, "DM", DieboldMariano(y, p, d.IntN(5)-1).P, 0, 1)
		sound(t, "NB", NadeauBengio(y, d.Float64()).P, 0, 1)
		sound(t, "skill", Skill(nasty[d.IntN(len(nasty))], nasty[d.IntN(len(nasty))]), -huge, huge)
	}
}

func TestTotalDistributions(t *testing.T) {
	for seed := range uint64(2000) {
		d := draws{Stream(seed, "distributions", 0)}
		a, b := d.column(d.length()), d.column(d.length())
		sound(t, fmt.Sprintf("seed %d PSI", seed), PSI(a, b).PSI, 0, 40)
		sound(t, "PSI of counts", PSICounts(a, b).PSI, 0, 40)
		ks := KolmogorovSmirnov(a, b)
		sound(t, "D", ks.D, 0, 1)
		sound(t, "p of D", ks.P, 0, 1)
		table := [][]float64{a, b, d.column(d.off(len(a)))}
		chi := ChiSquare(table)
		sound(t, "p of chi2", chi.P, 0, 1)
		sound(t, "V", chi.CramersV, 0, 1)
		PoolRare(table, d.Float64()*10)
		for _, adjusted := range [][]float64{BenjaminiHochberg(a), Holm(a)} {
			for _, v := range adjusted {
				sound(t, "adjusted p", Defined(v), 0, 1)
			}
		}
		sound(t, "permutation p", PermutationP(nasty[d.IntN(len(nasty))], b), 0, 1)
		sound(t, "optimism", Optimism(nasty[d.IntN(len(nasty))], d.IntN(60)), 0, huge)
		sound(t, "McNemar", McNemar(d.IntN(60)-3, d.IntN(60)-3), 0, 1)
		soundInterval(t, "Wilson", Wilson(nasty[d.IntN(len(nasty))], nasty[d.IntN(len(nasty))]), 0, 1)
		sound(t, "corrected p", CorrectWeight(nasty[d.IntN(len(nasty))], nasty[d.IntN(len(nasty))]), 0, 1)
		sound(t, "Bayes threshold", BayesThreshold(Payoffs{nasty[d.IntN(len(nasty))], nasty[d.IntN(len(nasty))], nasty[d.IntN(len(nasty))], nasty[d.IntN(len(nasty))]}), 0, 1)
	}
}

func TestTotalRankingAndBootstrap(t *testing.T) {
	for seed := range uint64(1000) {
		d := draws{Stream(seed, "ranking", 0)}
		n := d.length()
		queries := []Query{{Relevance: d.column(n), Score: d.column(d.off(n))}, {Relevance: d.labels(n), Score: d.column(n)}}
		for _, f := range []func([]Query, int) Averaged{NDCG, MAP, PrecisionAt} {
			sound(t, fmt.Sprintf("seed %d", seed), f(queries[d.IntN(2):], d.IntN(12)-1).Mean, 0, 1)
		}
		y, p := d.labels(n), d.column(n)
		r := Rank(y, p)
		boot := Bootstrap{Rows: n, Weight: d.weights(n), Reps: 10, Seed: seed}
		soundInterval(t, "bootstrap", boot.Intervals(r.AUC)[0], 0, 1)
		sound(t, "difference", boot.Difference(r.AUC, r.AveragePrecision).P, 0, 1)
	}
}
