package metrics

import "slices"

// Task is a kind of prediction.
type Task string

// The tasks.
const (
	Binary     Task = "binary"
	Multiclass Task = "multiclass"
	Regression Task = "regression"
	Forecast   Task = "forecast"
)

// Metric is a measure by name, such as a plan or a leaderboard names it.
type Metric struct {
	Name           string `json:"metric"`
	HigherIsBetter bool   `json:"higher_is_better"`

	label      string
	binary     func(y, p, w []float64) Value
	multiclass func(y []int, p []float64, k int, w []float64) Value
	regression func(y, p, w []float64) Value
	forecast   bool
}

// table lists every metric that has a name; the first of a task is its default.
// MASE needs the training part: see MASE.
var table = []Metric{
	{Name: "auc", label: "AUC", HigherIsBetter: true, binary: AUC},
	{Name: "logloss", label: "log loss", binary: LogLoss, multiclass: LogLossMulti},
	{Name: "ap", label: "average precision", HigherIsBetter: true, binary: AveragePrecision},
	{Name: "brier", label: "Brier score", binary: Brier, multiclass: BrierMulti},
	{Name: "accuracy", label: "accuracy", HigherIsBetter: true, binary: at(Confusion.Accuracy), multiclass: matrixOf(Matrix.Accuracy)},
	{Name: "balanced_accuracy", label: "balanced accuracy", HigherIsBetter: true, binary: at(Confusion.BalancedAccuracy), multiclass: matrixOf(Matrix.BalancedAccuracy)},
	{Name: "f1", label: "F1", HigherIsBetter: true, binary: at(Confusion.F1)},
	{Name: "mcc", label: "MCC", HigherIsBetter: true, binary: at(Confusion.MCC)},
	{Name: "ks", label: "KS", HigherIsBetter: true, binary: KS},
	{Name: "gini", label: "Gini", HigherIsBetter: true, binary: Gini},
	{Name: "ece", label: "calibration error", binary: ECE},
	{Name: "macro_f1", label: "macro F1", HigherIsBetter: true, multiclass: matrixOf(Matrix.MacroF1)},
	{Name: "macro_auc", label: "macro AUC", HigherIsBetter: true, multiclass: MacroAUC},
	{Name: "rmse", label: "RMSE", regression: RMSE},
	{Name: "mase", label: "MASE", forecast: true},
	{Name: "mae", label: "MAE", regression: MAE, forecast: true},
	{Name: "r2", label: "R2", HigherIsBetter: true, regression: R2},
	{Name: "rmsle", label: "RMSLE", regression: RMSLE},
	{Name: "mape", label: "MAPE", regression: func(y, p, w []float64) Value { v, _ := MAPE(y, p, w); return v }},
	{Name: "smape", label: "sMAPE", regression: SMAPE},
	{Name: "skill", label: "skill", HigherIsBetter: true, forecast: true},
}

// Table returns every metric.
func Table() []Metric { return slices.Clone(table) }

// Lookup returns the metric of a name, and whether there is one.
func Lookup(name string) (Metric, bool) {
	i := slices.IndexFunc(table, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return table[i], true
}

// Of returns the metrics of a task, its default first.
func Of(task Task) []Metric {
	var out []Metric
	for _, m := range table {
		if m.Fits(task) {
			out = append(out, m)
		}
	}
	return out
}

// Default returns the metric that a task is judged by unless a plan says
// otherwise: AUC, log loss, RMSE, MASE.
func Default(task Task) (Metric, bool) {
	all := Of(task)
	if len(all) == 0 {
		return Metric{}, false
	}
	return all[0], true
}

// Label returns the metric's name in our own prose.
func (m Metric) Label() string { return m.label }

// Fits reports whether the metric measures a task.
func (m Metric) Fits(task Task) bool {
	switch task {
	case Binary:
		return m.binary != nil
	case Multiclass:
		return m.multiclass != nil
	case Regression:
		return m.regression != nil
	case Forecast:
		return m.forecast
	}
	return false
}

// Better reports whether a is better than b; an undefined value never is, and
// loses to any that is defined.
func (m Metric) Better(a, b Value) bool {
	if !a.OK || !b.OK {
		return a.OK && !b.OK
	}
	if m.HigherIsBetter {
		return a.V > b.V
	}
	return a.V < b.V
}

// Binary measures labels of 0 and 1 against the probability of 1.
func (m Metric) Binary(y, p, w []float64) Value {
	if m.binary == nil {
		return Undefined(WrongTask)
	}
	return m.binary(y, p, w)
}

// Multiclass measures class indices against n rows of k probabilities.
func (m Metric) Multiclass(y []int, p []float64, k int, w []float64) Value {
	if m.multiclass == nil {
		return Undefined(WrongTask)
	}
	return m.multiclass(y, p, k, w)
}

// Regression measures values against predictions.
func (m Metric) Regression(y, p, w []float64) Value {
	if m.regression == nil {
		return Undefined(WrongTask)
	}
	return m.regression(y, p, w)
}
