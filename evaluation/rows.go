package evaluation

import (
	"cmp"
	"slices"

	"ambit/metrics"
)

// rows is a checked Set, ready to be measured.
type rows struct {
	Set
	opts   Options
	reps   int
	class  []int          // multiclass: Y
	ranked metrics.Ranked // binary
}

func prepare(set Set, opts Options) rows {
	r := rows{Set: set, opts: opts, reps: opts.Reps}
	if r.reps == 0 {
		r.reps = defaultReps
	}
	if set.Task == metrics.Binary {
		// All that ranks them then finds them in order.
		r = r.take(r.byPrediction())
	}
	return r.index()
}

// index fills what is derived from the Set.
func (r rows) index() rows {
	switch r.Task {
	case metrics.Binary:
		r.ranked = metrics.Rank(r.Y, r.Prediction)
	case metrics.Multiclass:
		r.class = make([]int, len(r.Y))
		for i, v := range r.Y {
			r.class[i] = int(v)
		}
	}
	return r
}

func (r rows) byPrediction() []int {
	order := make([]int, len(r.Y))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.Prediction[b], r.Prediction[a]), cmp.Compare(a, b))
	})
	return order
}

// take returns the given rows, in their order.
func (r rows) take(keep []int) rows {
	width := len(r.Prediction) / len(r.Y)
	out := r
	out.Y, out.Weight = pick(r.Y, keep), pick(r.Weight, keep)
	out.Fold, out.Group, out.ID = pick(r.Fold, keep), pick(r.Group, keep), pick(r.ID, keep)
	out.Prediction = make([]float64, 0, len(keep)*width)
	for _, i := range keep {
		out.Prediction = append(out.Prediction, r.Prediction[i*width:(i+1)*width]...)
	}
	return out
}

// pick returns the entries of a column, nil if it is absent.
func pick[T any](x []T, keep []int) []T {
	if x == nil {
		return nil
	}
	out := make([]T, len(keep))
	for j, i := range keep {
		out[j] = x[i]
	}
	return out
}

func (r rows) weight(i int) float64 {
	if r.Weight == nil {
		return 1
	}
	return r.Weight[i]
}

// measure returns one metric over the rows with weights w.
func (r rows) measure(m metrics.Metric, w []float64) metrics.Value {
	switch {
	case r.Task == metrics.Multiclass:
		return m.Multiclass(r.class, r.Prediction, len(r.Classes), w)
	case r.Task == metrics.Regression && m.Name == "r2" && r.opts.TrainMean.OK:
		return metrics.R2Against(r.Y, r.Prediction, w, r.opts.TrainMean.V)
	case r.Task == metrics.Regression:
		return m.Regression(r.Y, r.Prediction, w)
	case m.Name == "auc":
		return r.ranked.AUC(w) // already in order, unlike what m would do
	case m.Name == "ap":
		return r.ranked.AveragePrecision(w)
	}
	return m.Binary(r.Y, r.Prediction, w)
}

// key lists the metrics of each task that have an interval and are told by fold.
var key = map[metrics.Task][]string{
	metrics.Binary:     {"auc", "logloss", "ap", "brier", "accuracy"},
	metrics.Multiclass: {"logloss", "accuracy", "balanced_accuracy"},
	metrics.Regression: {"rmse", "mae", "r2"},
}

// keyMetrics returns the metrics of key.
func (r rows) keyMetrics() []metrics.Metric {
	var out []metrics.Metric
	for _, name := range key[r.Task] {
		if m, ok := metrics.Lookup(name); ok {
			out = append(out, m)
		}
	}
	return out
}
