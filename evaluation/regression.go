package evaluation

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ambit/metrics"
)

// Regression is what is told of values. A residual is actual minus predicted.
type Regression struct {
	Actual    Summary   `json:"actual"`
	Predicted Summary   `json:"predicted"`
	Residual  Summary   `json:"residual"`
	Histogram []Column  `json:"residual_histogram"` // at most 30 columns of equal width
	QQ        []QQ      `json:"residual_qq"`
	Deciles   []Decile  `json:"deciles"` // by predicted value, rising; equal predictions share one
	Points    []Case    `json:"points"`  // at most 200 rows, drawn by the seed
	Worst     []Case    `json:"worst"`   // the 50 rows of greatest error
	MAPE      MAPECount `json:"mape_rows"`
}

// Summary describes a column by row, without weights.
type Summary struct {
	Mean metrics.Value `json:"mean"`
	SD   metrics.Value `json:"sd"`
	Min  metrics.Value `json:"min"`
	P5   metrics.Value `json:"p5"`
	P25  metrics.Value `json:"p25"`
	P50  metrics.Value `json:"p50"`
	P75  metrics.Value `json:"p75"`
	P95  metrics.Value `json:"p95"`
	Max  metrics.Value `json:"max"`
}

// Column is one column of a histogram: the rows in [Low, High), the last with High.
type Column struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Rows int     `json:"rows"`
}

// QQ is a quantile of the residuals in standard deviations beside the normal one.
type QQ struct {
	Normal   float64       `json:"normal"`
	Residual metrics.Value `json:"residual"`
}

// Decile is one tenth of the rows, by weight, in order of prediction.
type Decile struct {
	Part      int           `json:"part"` // from 1
	Rows      int           `json:"rows"`
	Predicted metrics.Value `json:"mean_predicted"`
	Actual    metrics.Value `json:"mean_actual"`
	MAE       metrics.Value `json:"mae"`
	RMSE      metrics.Value `json:"rmse"`
}

// Case is one row. ID is untrusted text.
type Case struct {
	ID        string        `json:"id"` // the row's id, or its number from 0
	Actual    float64       `json:"actual"`
	Predicted float64       `json:"predicted"`
	Residual  metrics.Value `json:"residual"`
}

// MAPECount says which rows MAPE leaves out.
type MAPECount struct {
	Used     int `json:"used"`
	Excluded int `json:"excluded"` // actual value 0
}

const (
	worstRows    = 50
	pointRows    = 200
	maxHistogram = 30
)

func (r rows) regression() *Regression {
	residual := r.residuals()
	_, excluded := metrics.MAPE(r.Y, r.Prediction, r.Weight)
	return &Regression{
		Actual:    summarise(r.Y),
		Predicted: summarise(r.Prediction),
		Residual:  summarise(residual),
		Histogram: histogram(residual),
		QQ:        qq(residual),
		Deciles:   r.deciles(),
		Points:    r.points(),
		Worst:     r.worst(),
		MAPE:      MAPECount{Used: len(r.Y) - excluded, Excluded: excluded},
	}
}

// residuals leaves out none; one beyond float64 is infinite, and shows as null.
func (r rows) residuals() []float64 {
	out := make([]float64, len(r.Y))
	for i, y := range r.Y {
		out[i] = y - r.Prediction[i]
	}
	return out
}

func (r rows) baselineName() string {
	if r.opts.TrainMean.OK {
		return "train_mean"
	}
	return "mean_of_rows"
}

func summarise(x []float64) Summary {
	zero := make([]float64, len(x))
	m := meanOf(x)
	for i := range zero {
		zero[i] = m.V
	}
	s := slices.Sorted(slices.Values(x))
	q := func(p float64) metrics.Value { return metrics.Quantile(s, p) }
	return Summary{
		Mean: m, SD: metrics.RMSE(x, zero, nil),
		Min: q(0), P5: q(.05), P25: q(.25), P50: q(.5), P75: q(.75), P95: q(.95), Max: q(1),
	}
}

// meanOf is the plain mean.
func meanOf(x []float64) metrics.Value {
	sum := 0.0
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return metrics.Defined(sum)
}

// histogram has columns of Freedman and Diaconis' width, at most maxHistogram.
func histogram(x []float64) []Column {
	low, high := slices.Min(x), slices.Max(x)
	width := metrics.Defined(high - low)
	if !width.OK {
		return []Column{}
	}
	if width.V == 0 {
		return []Column{{Low: low, High: high, Rows: len(x)}}
	}
	n := columns(x, width.V)
	out := make([]Column, n)
	for i := range out {
		out[i].Low = low + width.V*(float64(i)/float64(n))
		out[i].High = low + width.V*(float64(i+1)/float64(n))
	}
	out[n-1].High = high
	for _, v := range x {
		out[min(int((v-low)/width.V*float64(n)), n-1)].Rows++
	}
	return out
}

func columns(x []float64, width float64) int {
	s := slices.Sorted(slices.Values(x))
	iqr := metrics.Quantile(s, .75).V - metrics.Quantile(s, .25).V
	step := 2 * iqr / math.Cbrt(float64(len(x)))
	if step <= 0 {
		return maxHistogram
	}
	return int(min(max(math.Ceil(width/step), 1), maxHistogram))
}

// qqShares are the quantiles of a QQ plot.
var qqShares = []float64{.01, .025, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .975, .99}

func qq(residual []float64) []QQ {
	s := summarise(residual)
	sorted := slices.Sorted(slices.Values(residual))
	out := make([]QQ, 0, len(qqShares))
	for _, p := range qqShares {
		point := QQ{Normal: math.Sqrt2 * math.Erfinv(2*p-1)}
		if q := metrics.Quantile(sorted, p); q.OK && s.SD.OK && s.SD.V > 0 {
			point.Residual = metrics.Defined((q.V - s.Mean.V) / s.SD.V)
		}
		out = append(out, point)
	}
	return out
}

func (r rows) deciles() []Decile {
	parts, _ := metrics.EqualParts(r.Prediction, r.Weight, metrics.Deciles)
	out := make([]Decile, 0, len(parts))
	for i, keep := range parts {
		part := r.take(keep)
		out = append(out, Decile{
			Part: i + 1, Rows: len(keep),
			Predicted: weightedMean(part.Prediction, part.Weight), Actual: weightedMean(part.Y, part.Weight),
			MAE: metrics.MAE(part.Y, part.Prediction, part.Weight), RMSE: metrics.RMSE(part.Y, part.Prediction, part.Weight),
		})
	}
	return out
}

func weightedMean(x, w []float64) metrics.Value {
	sum, total := 0.0, 0.0
	for i, v := range x {
		weight := 1.0
		if w != nil {
			weight = w[i]
		}
		sum += weight * v
		total += weight
	}
	if total == 0 {
		return metrics.Undefined(metrics.ZeroWeight)
	}
	return metrics.Defined(sum / total)
}

// points draws rows for a plot of actual over predicted, in row order.
func (r rows) points() []Case {
	order := metrics.Stream(uint64(r.opts.Seed), "points", 0).Perm(len(r.Y))
	order = order[:min(len(order), pointRows)]
	slices.Sort(order)
	return r.cases(order)
}

func (r rows) worst() []Case {
	order := make([]int, len(r.Y))
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 { return math.Abs(r.Y[i] - r.Prediction[i]) }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b))
	})
	return r.cases(order[:min(len(order), worstRows)])
}

func (r rows) cases(keep []int) []Case {
	out := make([]Case, len(keep))
	for j, i := range keep {
		out[j] = Case{strconv.Itoa(i), r.Y[i], r.Prediction[i], metrics.Defined(r.Y[i] - r.Prediction[i])}
		if r.ID != nil {
			out[j].ID = r.ID[i]
		}
	}
	return out
}
