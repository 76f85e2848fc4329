package evaluation

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"

	"ambit/metrics"
)

// drawn returns n rows of a calibrated probability.
func drawn(n int, seed uint64) Set {
	rng := metrics.NewRNG(seed)
	set := Set{Task: metrics.Binary, Classes: []string{"no", "yes"}}
	for range n {
		p, y := rng.Float64(), 0.0
		if rng.Float64() < p {
			y = 1
		}
		set.Y, set.Prediction = append(set.Y, y), append(set.Prediction, p)
	}
	return set
}

func marshal(t *testing.T, e Evaluation) string {
	t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestBinaryOfManyRows(t *testing.T) {
	e := evaluate(t, drawn(4000, 1), Options{Label: OOF, Seed: 7})
	b := e.Binary
	if n := len(b.Curve); n > 200 || n < 150 {
		t.Errorf("curve has %d points, want 150 to 200", n)
	}
	if len(b.Gains) != 10 || len(b.Calibration.Bins) != 10 {
		t.Errorf("%d gains and %d bins, want 10 each", len(b.Gains), len(b.Calibration.Bins))
	}
	if b.Threshold.Source != "f1" || b.AtThreshold.F1.V < b.AtHalf.F1.V || b.AtThreshold.Threshold != b.Threshold.At {
		t.Errorf("threshold %+v gives F1 %v, want one better than %v at 0.5", b.Threshold, b.AtThreshold.F1.V, b.AtHalf.F1.V)
	}
	near(t, "F1 at the threshold", b.AtThreshold.F1, b.Threshold.Score.V)
	if s := b.Calibration.Slope.V; math.Abs(s-1) > 0.1 || b.Calibration.ECE.V > 0.03 {
		t.Errorf("slope %v, ECE %v of a calibrated probability, want about 1 and 0", s, b.Calibration.ECE.V)
	}
	for _, name := range []string{"auc", "logloss", "ap", "brier", "accuracy"} {
		s := e.Metrics[name]
		if s.CI == nil || !(s.CI.Low.V < s.Value.V && s.Value.V < s.CI.High.V) {
			t.Errorf("%s = %+v with interval %+v, want the value within", name, s.Value, s.CI)
		}
	}
	if size := len(marshal(t, e)); size > 48<<10 {
		t.Errorf("evaluation has %d bytes, want at most 48 KiB", size)
	}
}

func TestThresholdSources(t *testing.T) {
	tests := []struct {
		name   string
		set    Set
		opts   Options
		at     float64
		source ThresholdSource
	}{
		{"too few rows", drawn(49, 1), Options{}, .5, ByDefault},
		{"payoffs", drawn(49, 1), Options{Payoffs: &metrics.Payoffs{FP: -1, FN: -5}}, 1. / 6, ByPayoffs},
		{"payoffs of one act", drawn(400, 1), Options{Payoffs: &metrics.Payoffs{TP: 1, FP: 1}}, .5, ByDefault},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Label = OOF
			got := evaluate(t, tt.set, tt.opts).Binary.Threshold
			if got.At != tt.at || got.Source != tt.source || got.Score.OK {
				t.Errorf("threshold = %+v, want %v by %s without a score", got, tt.at, tt.source)
			}
		})
	}
	balanced := evaluate(t, drawn(400, 1), Options{Label: OOF, Objective: metrics.ForBalancedAccuracy}).Binary.Threshold
	if balanced.Source != "balanced_accuracy" || !balanced.Low.OK || balanced.Low.V > balanced.At || balanced.High.V < balanced.At {
		t.Errorf("threshold = %+v, want one for balanced accuracy within its plateau", balanced)
	}
}

func TestOneSeedOneEvaluation(t *testing.T) {
	set := drawn(300, 2)
	first := marshal(t, evaluate(t, set, Options{Label: OOF, Seed: 1}))
	if again := marshal(t, evaluate(t, set, Options{Label: OOF, Seed: 1})); again != first {
		t.Error("one seed gives two evaluations")
	}
	if other := marshal(t, evaluate(t, set, Options{Label: OOF, Seed: 2})); other == first {
		t.Error("the seed has no effect on the intervals")
	}
	// The order of the rows means nothing.
	order := metrics.NewRNG(5).Perm(300)
	shuffled := set
	shuffled.Y, shuffled.Prediction = pick(set.Y, order), pick(set.Prediction, order)
	if got := marshal(t, evaluate(t, shuffled, Options{Label: OOF, Seed: 1})); got != first {
		t.Error("another order of the rows gives another evaluation")
	}
}

func TestEvaluateLeavesTheSetAlone(t *testing.T) {
	set, want := binarySet(), binarySet()
	evaluate(t, set, Options{Label: OOF})
	if !reflect.DeepEqual(set, want) {
		t.Errorf("the set became %+v", set)
	}
}

// A weight counts as so many rows.
func TestWeights(t *testing.T) {
	set := binarySet()
	set.Fold = nil
	set.Weight = []float64{2, 1, 3, 1, 1, 2, 1, 1, 4, 1, 1, 2}
	repeated := Set{Task: set.Task, Classes: set.Classes}
	for i, w := range set.Weight {
		for range int(w) {
			repeated.Y, repeated.Prediction = append(repeated.Y, set.Y[i]), append(repeated.Prediction, set.Prediction[i])
		}
	}
	got, want := evaluate(t, set, Options{Label: OOF}), evaluate(t, repeated, Options{Label: OOF})
	for name, s := range want.Metrics {
		near(t, name, got.Metrics[name].Value, s.Value.V)
	}
	if got.Binary.AtHalf.Confusion != want.Binary.AtHalf.Confusion || !got.Params.Weighted {
		t.Errorf("confusion = %+v, want %+v", got.Binary.AtHalf.Confusion, want.Binary.AtHalf.Confusion)
	}
	near(t, "prevalence", metrics.Defined(got.Binary.Prevalence), want.Binary.Prevalence)
	if method := got.Metrics["auc"].CI.Method; method != "bootstrap" {
		t.Errorf("AUC interval of weighted rows is by %s, want bootstrap", method)
	}
}

func TestIntervalsOfFewRowsAndGroups(t *testing.T) {
	few := evaluate(t, Set{Task: metrics.Regression, Y: []float64{1, 2, 4}, Prediction: []float64{1, 3, 3}}, Options{Label: OOF})
	if ci := few.Metrics["rmse"].CI; ci == nil || ci.Low.OK || ci.Reason != metrics.TooFew {
		t.Errorf("interval of 3 rows = %+v, want none: too_few", ci)
	}
	set := drawn(400, 3)
	alone := evaluate(t, set, Options{Label: OOF})
	// 20 copies of 20 rows are 20 independent rows.
	for i := range set.Y {
		set.Y[i], set.Prediction[i] = set.Y[i/20*20], set.Prediction[i/20*20]
		set.Group = append(set.Group, i/20)
	}
	grouped := evaluate(t, set, Options{Label: OOF})
	wide := func(e Evaluation) float64 { return e.Metrics["brier"].CI.High.V - e.Metrics["brier"].CI.Low.V }
	if wide(grouped) < 2.5*wide(alone) || !grouped.Params.Grouped {
		t.Errorf("interval of 20 groups is %v wide, want over 2.5 times that of 400 rows, %v", wide(grouped), wide(alone))
	}
}

// Of many rows a part is resampled; the interval is that of all.
func TestIntervalsOfManyRows(t *testing.T) {
	const n = 60_000
	set := drawn(n, 9)
	loss, squares := 0.0, 0.0
	for i, y := range set.Y {
		d := (y - set.Prediction[i]) * (y - set.Prediction[i])
		loss, squares = loss+d/n, squares+d*d/n
	}
	half := 1.96 * math.Sqrt((squares-loss*loss)/n)
	check := func(name string, set Set, half float64) {
		s := evaluate(t, set, Options{Label: OOF, Seed: 1}).Metrics["brier"]
		low, high := s.Value.V-s.CI.Low.V, s.CI.High.V-s.Value.V
		if math.Abs(low/half-1) > 0.15 || math.Abs(high/half-1) > 0.15 {
			t.Errorf("%s: interval reaches %v below and %v above, want about %v", name, low, high, half)
		}
	}
	check("rows", set, half)
	for i := range set.Y { // 15,000 rows, four times each
		set.Y[i], set.Prediction[i] = set.Y[i/4*4], set.Prediction[i/4*4]
		set.Group = append(set.Group, i/4)
	}
	check("groups", set, 2*half)
}

func TestFolds(t *testing.T) {
	set := binarySet()
	set.Fold = []int{7, 7, 7, 7, 7, 7, 7, 7, 3, 3, 7, 3} // fold 3 has one class
	f := evaluate(t, set, Options{Label: OOF}).Folds
	if fmt.Sprint(f.IDs, f.Rows) != "[3 7] [3 9]" {
		t.Fatalf("folds = %v of %v rows, want 3 and 7 of 3 and 9", f.IDs, f.Rows)
	}
	auc := f.Metrics["auc"]
	if auc.Values[0].OK || auc.SE.OK {
		t.Errorf("AUC = %+v, want none in fold 3 and no se of one fold", auc)
	}
	near(t, "AUC of fold 7", auc.Values[1], 18./20)
	near(t, "mean AUC", auc.Mean, 18./20)
	brier := f.Metrics["brier"]
	a, b := brier.Values[0].V, brier.Values[1].V
	near(t, "Brier of fold 3", brier.Values[0], (.04+.0025+.3025)/3)
	near(t, "mean Brier", brier.Mean, (a+b)/2)
	near(t, "se", brier.SE, math.Abs(a-b)/2)
	if e := evaluate(t, regressionSet(), Options{Label: OOF}); e.Folds != nil {
		t.Errorf("folds without fold ids = %+v, want none", e.Folds)
	}
}

func TestSingleClass(t *testing.T) {
	set := binarySet()
	set.Y = make([]float64, 12)
	e := evaluate(t, set, Options{Label: OOF})
	for _, name := range []string{"auc", "ap", "ks", "gini"} {
		if s := e.Metrics[name]; s.Value.OK || s.Reason != metrics.OneClass || s.CI != nil {
			t.Errorf("%s of one class = %+v, want null for one_class", name, s)
		}
	}
	if s := e.Metrics["brier"]; !s.Value.OK {
		t.Errorf("Brier of one class = %+v, want a number", s)
	}
	if e.Binary.Curve != nil || e.Binary.Calibration.Reason != metrics.OneClass || e.Binary.KS.Reason != metrics.OneClass {
		t.Errorf("binary part = %+v, want no curve, slope or KS", e.Binary)
	}
	marshal(t, e)
}

func TestMulticlass(t *testing.T) {
	m := evaluate(t, multiclassSet(), Options{Label: OOF}).Multiclass
	if got, want := fmt.Sprint(m.Confusion), "[[3 0 0 0] [1 1 0 0] [1 0 0 0] [0 0 0 0]]"; got != want {
		t.Errorf("confusion = %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(m.Confused), "[{1 0 1} {2 0 1}]"; got != want {
		t.Errorf("most confused = %s, want %s", got, want)
	}
	a, c, never := m.Classes[0], m.Classes[2], m.Classes[3]
	near(t, "precision", a.Precision, .6)
	near(t, "recall", a.Recall, 1)
	near(t, "F1", a.F1, .75)
	near(t, "AUC", a.AUC, 7./9)
	near(t, "log loss", c.LogLoss, math.Log(5))
	if c.Precision.OK || c.Reason != metrics.UndefinedPrecision {
		t.Errorf("class that is never predicted = %+v, want undefined precision", c)
	}
	if never.Support != 0 || never.AUC.OK || never.Recall.OK || never.Reason != metrics.OneClass {
		t.Errorf("class without rows = %+v, want nulls for one_class", never)
	}
	near(t, "top 2", m.TopK[0].Share, 5./6)
	near(t, "top 3", m.TopK[1].Share, 1)
}

func TestManyClasses(t *testing.T) {
	set := Set{Task: metrics.Multiclass, Classes: make([]string, 51)}
	for i := range 51 {
		set.Y = append(set.Y, float64(i))
		row := make([]float64, 51)
		row[(i+i%2)%51] = 1
		set.Prediction = append(set.Prediction, row...)
	}
	e := evaluate(t, set, Options{Label: OOF})
	if e.Multiclass.Confusion != nil || len(e.Multiclass.Confused) != 10 || len(e.Multiclass.Classes) != 51 {
		t.Errorf("51 classes: matrix %t, %d pairs, %d classes, want none, 10, 51",
			e.Multiclass.Confusion != nil, len(e.Multiclass.Confused), len(e.Multiclass.Classes))
	}
}

func TestRegressionParts(t *testing.T) {
	rng := metrics.NewRNG(4)
	set := Set{Task: metrics.Regression}
	for i := range 1000 {
		p := 10 * rng.Float64()
		set.Prediction, set.Y = append(set.Prediction, p), append(set.Y, p+rng.Float64()-.5)
		set.ID = append(set.ID, fmt.Sprintf("row-%d", i))
	}
	set.Y[123] += 50
	set.Y[77] -= 20
	e := evaluate(t, set, Options{Label: OOF, TrainMean: metrics.Defined(0)})
	r := e.Regression
	if len(r.Deciles) != 10 || len(r.Points) != 200 || len(r.Worst) != 50 || len(r.Histogram) > 30 {
		t.Errorf("%d deciles, %d points, %d worst, %d columns, want 10, 200, 50, at most 30",
			len(r.Deciles), len(r.Points), len(r.Worst), len(r.Histogram))
	}
	if r.Worst[0].ID != "row-123" || r.Worst[1].ID != "row-77" {
		t.Errorf("worst are %s and %s, want row-123 and row-77", r.Worst[0].ID, r.Worst[1].ID)
	}
	total, before := 0, math.Inf(-1)
	for _, d := range r.Deciles {
		if d.Rows != 100 || d.Predicted.V < before {
			t.Errorf("decile %d has %d rows at %v, want 100 and rising", d.Part, d.Rows, d.Predicted.V)
		}
		before = d.Predicted.V
	}
	for _, c := range r.Histogram {
		total += c.Rows
	}
	if total != 1000 {
		t.Errorf("histogram holds %d rows, want 1000", total)
	}
	sum := 0.0
	for _, y := range set.Y {
		sum += y * y
	}
	mse := e.Metrics["rmse"].Value.V * e.Metrics["rmse"].Value.V
	near(t, "R2 against the training mean", e.Metrics["r2"].Value, 1-mse/(sum/1000))
	if e.Params.R2Baseline != "train_mean" {
		t.Errorf("R2 baseline = %q, want train_mean", e.Params.R2Baseline)
	}
}

// No set that passes the checks makes Evaluate panic or its JSON fail.
func TestTotal(t *testing.T) {
	odd := []float64{0, 1, -1, 1e-300, 1e308, -1e308, .5, 3}
	for seed := range uint64(300) {
		rng := metrics.NewRNG(seed)
		n := 1 + rng.IntN(40)
		set := Set{Task: []metrics.Task{metrics.Binary, metrics.Regression, metrics.Multiclass}[rng.IntN(3)]}
		for i := range n {
			switch set.Task {
			case metrics.Binary:
				set.Classes = []string{"", ""}
				set.Y, set.Prediction = append(set.Y, float64(rng.IntN(2)*rng.IntN(2))), append(set.Prediction, float64(rng.IntN(5))/4)
			case metrics.Regression:
				set.Y, set.Prediction = append(set.Y, odd[rng.IntN(8)]), append(set.Prediction, odd[rng.IntN(8)])
			case metrics.Multiclass:
				set.Classes = []string{"", "", ""}
				set.Y, set.Prediction = append(set.Y, float64(rng.IntN(3))), append(set.Prediction, .5, .5, 0)
			}
			set.Fold, set.Group = append(set.Fold, i%3), append(set.Group, rng.IntN(20))
			set.Weight = append(set.Weight, 1+float64(rng.IntN(3)))
		}
		if rng.IntN(2) == 0 {
			set.Weight, set.Group = nil, nil
		}
		marshal(t, evaluate(t, set, Options{Label: External, Reps: 10}))
	}
}
