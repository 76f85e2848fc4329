package evaluation

import (
	"cmp"
	"slices"

	"ambit/metrics"
)

// Multiclass is what is told of several classes.
type Multiclass struct {
	Classes   []Class        `json:"classes"`
	Confusion metrics.Matrix `json:"confusion,omitempty"` // [true][predicted], in the order of Classes; at most 50 classes
	Confused  []Pair         `json:"most_confused"`       // the 10 greatest mistakes
	TopK      []TopK         `json:"top_k"`
}

// Class is one class against the rest. Its name is untrusted text.
type Class struct {
	Class     string         `json:"class"`
	Support   float64        `json:"support"` // weight of its rows
	Precision metrics.Value  `json:"precision"`
	Recall    metrics.Value  `json:"recall"`
	F1        metrics.Value  `json:"f1"`
	AUC       metrics.Value  `json:"auc"`
	LogLoss   metrics.Value  `json:"logloss"`          // over its rows
	Reason    metrics.Reason `json:"reason,omitempty"` // why something is null
}

// Pair is rows of one class that were predicted to be another, by class index.
type Pair struct {
	Actual    int     `json:"actual"`
	Predicted int     `json:"predicted"`
	Weight    float64 `json:"weight"`
}

// TopK is the share of rows whose class is among the K most probable.
type TopK struct {
	K     int           `json:"k"`
	Share metrics.Value `json:"share"`
}

const (
	matrixClasses = 50
	confusedPairs = 10
)

func (r rows) multiclass() *Multiclass {
	k := len(r.Classes)
	matrix, _ := metrics.ConfusionMatrix(r.class, metrics.Argmax(r.Prediction, k), k, r.Weight)
	out := &Multiclass{Classes: r.classes(matrix), Confused: confused(matrix), TopK: []TopK{}}
	if k <= matrixClasses {
		out.Confusion = matrix
	}
	for _, top := range []int{2, 3, 5} {
		if top < k {
			out.TopK = append(out.TopK, TopK{top, metrics.TopK(r.class, r.Prediction, k, r.Weight, top)})
		}
	}
	return out
}

func (r rows) classes(matrix metrics.Matrix) []Class {
	k := len(r.Classes)
	out := make([]Class, k)
	for i, c := range matrix.Classes() {
		out[i] = Class{
			Class: r.Classes[i], Support: c.Support, Precision: c.Precision, Recall: c.Recall, F1: c.F1,
			AUC:     metrics.ClassAUC(r.class, r.Prediction, k, r.Weight, i),
			LogLoss: metrics.ClassLogLoss(r.class, r.Prediction, k, r.Weight, i),
		}
		out[i].Reason = cmp.Or(out[i].AUC.Reason, out[i].Precision.Reason)
	}
	return out
}

// confused returns the greatest entries off the diagonal.
func confused(matrix metrics.Matrix) []Pair {
	pairs := []Pair{}
	for i, row := range matrix {
		for j, weight := range row {
			if i != j && weight > 0 {
				pairs = append(pairs, Pair{i, j, weight})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b Pair) int { return cmp.Compare(b.Weight, a.Weight) })
	return pairs[:min(len(pairs), confusedPairs)]
}
