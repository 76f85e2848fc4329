package metrics

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// sample is one set of testdata/metrics-sklearn.json.
type sample struct {
	Y, P, W []float64 // labels, probabilities, weights
	YR, PR  []float64 // values, predictions
	Ref     map[string]float64
}

func samples(t *testing.T) map[string]sample {
	t.Helper()
	raw, err := os.ReadFile("testdata/metrics-sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]sample
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if len(out["cont"].Y) != 5000 || len(out["ties"].Y) != 5000 {
		t.Fatalf("samples hold %d and %d rows, want 5000 each", len(out["cont"].Y), len(out["ties"].Y))
	}
	return out
}

// near fails unless got is want to within tolerance, relative above 1.
func near(t *testing.T, what string, got Value, want, tolerance float64) {
	t.Helper()
	if !got.OK {
		t.Errorf("%s is undefined (%s), want %v", what, got.Reason, want)
		return
	}
	if d := math.Abs(got.V - want); !(d <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s = %.17g, want %.17g (off by %.2g)", what, got.V, want, d)
	}
}

// nearInterval fails unless both limits are near.
func nearInterval(t *testing.T, what string, got Interval, low, high, tolerance float64) {
	t.Helper()
	if !got.OK {
		t.Errorf("%s is undefined (%s), want [%v, %v]", what, got.Reason, low, high)
		return
	}
	near(t, what+" low", Defined(got.Low), low, tolerance)
	near(t, what+" high", Defined(got.High), high, tolerance)
}

// undefined fails unless got is undefined for the given reason.
func undefined(t *testing.T, what string, got Value, want Reason) {
	t.Helper()
	if got.OK || got.Reason != want {
		t.Errorf("%s = %+v, want undefined for %q", what, got, want)
	}
}

// TestSklearn pins every value of the reference file.
func TestSklearn(t *testing.T) {
	for name, s := range samples(t) {
		hard, _ := ConfusionAt(s.Y, s.P, nil, 0.5)
		mape, excluded := MAPE(s.YR, s.PR, nil)
		width, why := EqualWidthBins(s.Y, s.P, nil, 10)
		if why != "" || excluded != 0 {
			t.Fatalf("%s: bins %q, %d rows without MAPE", name, why, excluded)
		}
		got := map[string]Value{
			"auc":       AUC(s.Y, s.P, nil),
			"auc_w":     AUC(s.Y, s.P, s.W),
			"ap":        AveragePrecision(s.Y, s.P, nil),
			"ap_w":      AveragePrecision(s.Y, s.P, s.W),
			"logloss":   logLoss(s.Y, s.P, nil, 1e-15), // scikit-learn 1.2's clip
			"logloss_w": logLoss(s.Y, s.P, s.W, 1e-15),
			"brier":     Brier(s.Y, s.P, nil),
			"ks":        KS(s.Y, s.P, nil),
			"f1":        hard.F1(),
			"mcc":       hard.MCC(),
			"rmse":      RMSE(s.YR, s.PR, nil),
			"mae":       MAE(s.YR, s.PR, nil),
			"mape":      mape,
			"r2":        R2(s.YR, s.PR, nil),
			"r2_w":      R2(s.YR, s.PR, s.W),
			"medae":     MedianAE(s.YR, s.PR),
			"ece":       CalibrationError(width),
		}
		if len(s.Ref) != len(got) {
			t.Errorf("%s has %d reference values, want %d", name, len(s.Ref), len(got))
		}
		for metric, want := range s.Ref {
			near(t, name+" "+metric, got[metric], want, 1e-12)
		}
	}
}

// binaryWant holds what testdata/reference.py prints for one sample.
type binaryWant struct {
	delong     [2]float64
	difference [3]float64 // delta, se, p of the probability against probability x weight
	logloss    [2]float64 // plain, weighted
	hard       [2][6]float64
	line       [2]float64 // recalibration, weighted
	platt      [2]float64
	isotonic   [9]float64
	knots      int
}

var binaryWants = map[string]binaryWant{
	"cont": {
		delong:     [2]float64{0.8090617592192763, 0.8335047539110462},
		difference: [3]float64{0.05706105200174871, 0.005453573186886151, 1.2766765278370308e-25},
		logloss:    [2]float64{0.4721881133789089, 0.48162116952795614},
		hard: [2][6]float64{
			{0.7804, 0.7103377686796315, 0.4599072233267064, 0.5583266291230894, 0.4385861753514757, 0.6894208130383175},
			{0.7722412515201028, 0.7133406690014087, 0.45744058707879504, 0.5574243228110427, 0.432306241692389, 0.6867371913946181},
		},
		line:     [2]float64{1.120150852950108, 0.08315206090573293},
		platt:    [2]float64{1.1144184944386897, 0.08023135740274245},
		isotonic: [9]float64{0.022210836021334404, 0.022210836021334404, 0.08789470425479334, 0.21810323130546327, 0.32302032545511916, 0.5578438972135352, 0.8766570096720404, 1, 1},
		knots:    76,
	},
	"ties": {
		delong:     [2]float64{0.7920408512139036, 0.8181297866144049},
		difference: [3]float64{0.06736305683674104, 0.005720024385197207, 5.146401748066035e-32},
		logloss:    [2]float64{0.5143480118335759, 0.511227381744892},
		hard: [2][6]float64{
			{0.772, 0.6709613478691774, 0.4558922558922559, 0.5429029671210905, 0.4115054093434399, 0.6807199544041649},
			{0.771010422445822, 0.6769945961479894, 0.451467866214013, 0.541695122266819, 0.4115698963306358, 0.6796310915439219},
		},
		line:     [2]float64{0.8676955491209335, -0.1415052057885052},
		platt:    [2]float64{0.860802627279726, -0.1452045971319228},
		isotonic: [9]float64{0.02301315049926331, 0.028749301221023957, 0.09426544390140726, 0.19291945573509836, 0.2683308562841591, 0.5469472501846667, 0.8889734784830369, 0.9562153742884012, 0.9562153742884012},
		knots:    46,
	},
}

func TestBinaryReference(t *testing.T) {
	for name, s := range samples(t) {
		want := binaryWants[name]
		nearInterval(t, name+" DeLong", AUCInterval(s.Y, s.P), want.delong[0], want.delong[1], 1e-12)

		other := make([]float64, len(s.P))
		for i := range other {
			other[i] = s.P[i] * s.W[i]
		}
		d := AUCDifference(s.Y, s.P, other)
		near(t, name+" delta", d.Delta, want.difference[0], 1e-12)
		near(t, name+" se", d.SE, want.difference[1], 1e-12)
		if r := d.P.V / want.difference[2]; math.Abs(r-1) > 1e-9 {
			t.Errorf("%s p = %g, want %g", name, d.P.V, want.difference[2])
		}

		for i, w := range [][]float64{nil, s.W} {
			near(t, name+" log loss", LogLoss(s.Y, s.P, w), want.logloss[i], 1e-12)
			c, why := ConfusionAt(s.Y, s.P, w, 0.5)
			if why != "" {
				t.Fatal(why)
			}
			got := []Value{c.Accuracy(), c.Precision(), c.Recall(), c.F1(), c.MCC(), c.BalancedAccuracy()}
			for j, v := range got {
				near(t, name+" at 0.5", v, want.hard[i][j], 1e-12)
			}
		}
	}
}

func TestCalibratorReference(t *testing.T) {
	for name, s := range samples(t) {
		want := binaryWants[name]
		line, why := Recalibration(s.Y, s.P, s.W)
		if why != "" {
			t.Fatal(why)
		}
		near(t, name+" slope", Defined(line.Slope), want.line[0], 1e-9)
		near(t, name+" intercept", Defined(line.Intercept), want.line[1], 1e-9)

		margin := make([]float64, len(s.P))
		for i, p := range s.P {
			margin[i] = logit(clip(p, 1e-7))
		}
		line, why = Platt(s.Y, margin, s.W)
		if why != "" {
			t.Fatal(why)
		}
		near(t, name+" Platt slope", Defined(line.Slope), want.platt[0], 1e-9)
		near(t, name+" Platt intercept", Defined(line.Intercept), want.platt[1], 1e-9)

		iso, why := FitIsotonic(s.Y, s.P, s.W)
		if why != "" {
			t.Fatal(why)
		}
		for i, x := range []float64{-1, .005, .1, .25, .333, .5, .77, .9, 2} {
			near(t, name+" isotonic", Defined(iso.At(x)), want.isotonic[i], 1e-12)
		}
		if len(iso.X) != want.knots {
			t.Errorf("%s isotonic has %d knots, want %d", name, len(iso.X), want.knots)
		}
	}
}

func TestMulticlassReference(t *testing.T) {
	s := samples(t)["ties"]
	y, q := make([]int, len(s.P)), []float64{}
	for i, p := range s.P {
		y[i] = (int(math.Floor(s.YR[i]))%3 + 3) % 3
		q = append(q, 0.1+0.6*p, 0.5*(1-p), 0.4-0.1*p)
	}
	want := [2][4]float64{
		{1.1628125585502238, 0.3362, 0.33599399232506094, 0.33201574575719045},
		{1.1575270055489377, 0.3396367945397987, 0.3390568531441209, 0.3356014937312666},
	}
	for i, w := range [][]float64{nil, s.W} {
		m, why := ConfusionMatrix(y, Argmax(q, 3), 3, w)
		if why != "" {
			t.Fatal(why)
		}
		for j, v := range []Value{LogLossMulti(y, q, 3, w), m.Accuracy(), m.BalancedAccuracy(), m.MacroF1()} {
			near(t, "multiclass", v, want[i][j], 1e-12)
		}
	}
	near(t, "macro AUC", MacroAUC(y, q, 3, nil), 0.5024398566322151, 1e-12)
	near(t, "top 2", TopK(y, q, 3, nil, 2), 0.6668, 1e-12)

	m, _ := ConfusionMatrix(y, Argmax(q, 3), 3, nil)
	classes := [3][4]float64{
		{0.3493810178817056, 0.29603729603729606, 0.3205047318611987, 1716},
		{0.34120370370370373, 0.44264264264264264, 0.38535947712418306, 1665},
		{0.31457431457431456, 0.26930203829524396, 0.2901830282861897, 1619},
	}
	for i, c := range m.Classes() {
		for j, v := range []Value{c.Precision, c.Recall, c.F1, Defined(c.Support)} {
			near(t, "class", v, classes[i][j], 1e-12)
		}
	}
}

func TestRegressionReference(t *testing.T) {
	s := samples(t)["cont"]
	low := math.Inf(1)
	for i := range s.YR {
		low = min(low, s.YR[i], s.PR[i])
	}
	y, p := make([]float64, len(s.YR)), make([]float64, len(s.YR))
	for i := range y {
		y[i], p[i] = s.YR[i]-low, s.PR[i]-low
	}
	mape, _ := MAPE(s.YR, s.PR, s.W)
	two := KolmogorovSmirnov(s.YR, s.PR)
	tests := []struct {
		name string
		got  Value
		want float64
	}{
		{"RMSLE", RMSLE(y, p, nil), 0.06677052430660577},
		{"sMAPE", SMAPE(s.YR, s.PR, nil), 0.2516224296600087},
		{"weighted RMSE", RMSE(s.YR, s.PR, s.W), 0.5010087094268385},
		{"weighted MAE", MAE(s.YR, s.PR, s.W), 0.40282793785798987},
		{"weighted MAPE", mape, 0.9108885624161245},
		{"D", two.D, 0.0124},
		{"p of D", two.P, 0.8367454060556158},
		{"quantile .025", Quantile(s.YR, 0.025), -0.9603375102275689},
		{"quantile .5", Quantile(s.YR, 0.5), 3.003028217758973},
		{"quantile .9", Quantile(s.YR, 0.9), 5.595222833426993},
	}
	for _, tt := range tests {
		near(t, tt.name, tt.got, tt.want, 1e-12)
	}
}
