package evaluation

import "ambit/metrics"

// scores measures every metric of the task, the key ones with their interval.
func (r rows) scores() map[string]Score {
	out := map[string]Score{}
	for _, m := range metrics.Of(r.Task) {
		v := r.measure(m, r.Weight)
		out[m.Name] = Score{Value: v, Reason: v.Reason, HigherIsBetter: m.HigherIsBetter}
	}
	for name, ci := range r.intervals() {
		s := out[name]
		if s.Value.OK {
			s.CI = ci
			out[name] = s
		}
	}
	return out
}

// intervals returns the interval of each key metric: exact where rows count alike
// and stand alone, else by bootstrap.
func (r rows) intervals() map[string]*CI {
	out := map[string]*CI{}
	var rest []metrics.Metric
	for _, m := range r.keyMetrics() {
		if out[m.Name] = r.exact(m); out[m.Name] == nil {
			rest = append(rest, m)
		}
	}
	for i, interval := range r.bootstrap(rest) {
		out[rest[i].Name] = newCI(interval, "bootstrap")
	}
	return out
}

// exact returns the interval that needs no resampling, nil if there is none.
func (r rows) exact(m metrics.Metric) *CI {
	if r.Weight != nil || r.Group != nil {
		return nil
	}
	switch m.Name {
	case "auc":
		return newCI(metrics.AUCInterval(r.Y, r.Prediction), "delong")
	case "accuracy":
		share := r.measure(m, nil)
		n := float64(len(r.Y))
		return newCI(metrics.Wilson(min(share.V*n, n), n), "wilson")
	}
	return nil
}

func newCI(i metrics.Interval, method string) *CI {
	if !i.OK {
		return &CI{Method: method, Reason: i.Reason}
	}
	return &CI{Low: metrics.Defined(i.Low), High: metrics.Defined(i.High), Method: method}
}

// Folds are the key metrics of each fold. The folds' training rows overlap, so SE
// is a little low.
type Folds struct {
	IDs     []int                `json:"ids"`
	Rows    []int                `json:"rows"`
	Metrics map[string]FoldScore `json:"metrics"`
}

// FoldScore is one metric by fold, in the order of Folds.IDs. Mean, SD and SE are
// over the folds where it is defined.
type FoldScore struct {
	Values []metrics.Value `json:"values"`
	metrics.Spread
}

// folds returns nil if the rows have no fold.
func (r rows) folds() *Folds {
	if r.Fold == nil {
		return nil
	}
	members := map[int][]int{}
	for i, f := range r.Fold {
		members[f] = append(members[f], i)
	}
	out := &Folds{IDs: distinct(r.Fold), Metrics: map[string]FoldScore{}}
	for _, id := range out.IDs {
		fold := r.take(members[id]).index()
		out.Rows = append(out.Rows, len(fold.Y))
		for _, m := range r.keyMetrics() {
			s := out.Metrics[m.Name]
			s.Values = append(s.Values, fold.measure(m, fold.Weight))
			out.Metrics[m.Name] = s
		}
	}
	for name, s := range out.Metrics {
		s.Spread = metrics.MeanOfFolds(s.Values)
		out.Metrics[name] = s
	}
	return out
}
