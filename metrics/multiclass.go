package metrics

// Matrix is a confusion matrix: Matrix[i][j] is the weight of the rows of class i
// that were predicted to be class j.
type Matrix [][]float64

// MaxClasses is the most classes that a confusion matrix has.
const MaxClasses = 1000

// ConfusionMatrix counts predicted against true class indices over k classes, at
// most MaxClasses.
func ConfusionMatrix(y, predicted []int, k int, w []float64) (Matrix, Reason) {
	switch {
	case k < 1 || k > MaxClasses:
		return nil, BadArgument
	case len(y) == 0:
		return nil, NoRows
	case len(y) != len(predicted):
		return nil, LengthsDiffer
	case !allIndex(y, k) || !allIndex(predicted, k):
		return nil, BadLabel
	}
	if why := checkWeight(w, len(y)); why != "" {
		return nil, why
	}
	m := make(Matrix, k)
	for i := range m {
		m[i] = make([]float64, k)
	}
	for i := range y {
		m[y[i]][predicted[i]] += weigh(w, i)
	}
	return m, ""
}

// Argmax returns the most probable class of each of the n rows of k
// probabilities; of equals, the lowest index. Part of a last row is left out.
func Argmax(p []float64, k int) []int {
	if k < 1 {
		return nil
	}
	out := make([]int, len(p)/k)
	for i := range out {
		row := p[i*k : (i+1)*k]
		for c, v := range row {
			if v > row[out[i]] {
				out[i] = c
			}
		}
	}
	return out
}

// Class is what a confusion matrix says of one class against the rest.
type Class struct {
	Support   float64 // weight of its rows
	Precision Value   // UndefinedPrecision if it is never predicted
	Recall    Value
	F1        Value // 0 if it is never predicted
}

// Classes returns the scores of each class.
func (m Matrix) Classes() []Class {
	out := make([]Class, len(m))
	for c := range m {
		one := m.against(c)
		out[c] = Class{one.TP + one.FN, one.Precision(), one.Recall(), one.F1()}
	}
	return out
}

// against is class c against the rest.
func (m Matrix) against(c int) Confusion {
	var one Confusion
	for i, row := range m {
		for j, weight := range row {
			one.count(i == c, j == c, weight)
		}
	}
	return one
}

// Accuracy is the share of rows predicted rightly.
func (m Matrix) Accuracy() Value {
	right, total := 0.0, 0.0
	for i, row := range m {
		for j, weight := range row {
			total += weight
			if i == j {
				right += weight
			}
		}
	}
	return ratio(right, total, NoRows)
}

// BalancedAccuracy is the mean recall of the classes that are present.
func (m Matrix) BalancedAccuracy() Value {
	var recalls []Value
	for _, c := range m.Classes() {
		recalls = append(recalls, c.Recall)
	}
	return meanDefined(recalls)
}

// MacroF1 is the mean F1 of the classes that are present or predicted.
func (m Matrix) MacroF1() Value {
	var scores []Value
	for _, c := range m.Classes() {
		if c.Support > 0 || c.Precision.OK {
			scores = append(scores, c.F1)
		}
	}
	return meanDefined(scores)
}

// MacroAUC is the mean one-against-rest AUC of the classes that have one.
func MacroAUC(y []int, p []float64, k int, w []float64) Value {
	if why := checkClasses(y, p, k, w); why != "" {
		return Undefined(why)
	}
	var scores []Value
	for c := range k {
		scores = append(scores, ClassAUC(y, p, k, w, c))
	}
	if v := meanDefined(scores); v.OK {
		return v
	}
	return Undefined(OneClass)
}

// ClassAUC is the AUC of class c's probability against the rest.
func ClassAUC(y []int, p []float64, k int, w []float64, c int) Value {
	if why := checkClasses(y, p, k, w); why != "" {
		return Undefined(why)
	}
	if c < 0 || c >= k {
		return Undefined(BadArgument)
	}
	label, score := make([]float64, len(y)), make([]float64, len(y))
	for i := range y {
		score[i] = p[i*k+c]
		if y[i] == c {
			label[i] = 1
		}
	}
	return AUC(label, score, w)
}

// ClassLogLoss is the log loss over the rows of class c.
func ClassLogLoss(y []int, p []float64, k int, w []float64, c int) Value {
	if why := checkClasses(y, p, k, w); why != "" {
		return Undefined(why)
	}
	only := make([]float64, len(y))
	for i := range y {
		if y[i] == c {
			only[i] = weigh(w, i)
		}
	}
	if why := checkWeight(only, len(y)); why != "" {
		return Undefined(OneClass)
	}
	return LogLossMulti(y, p, k, only)
}

// TopK is the share of rows whose class is among the k0 most probable; equals
// count against it.
func TopK(y []int, p []float64, k int, w []float64, k0 int) Value {
	if why := checkClasses(y, p, k, w); why != "" {
		return Undefined(why)
	}
	if k0 < 1 {
		return Undefined(BadArgument)
	}
	return mean(len(y), w, func(i int) float64 {
		row, others := p[i*k:(i+1)*k], 0
		for c, v := range row {
			if c != y[i] && v >= row[y[i]] {
				others++
			}
		}
		if others < k0 {
			return 1
		}
		return 0
	})
}

// matrixOf returns the measure f of the matrix of the most probable classes.
func matrixOf(f func(Matrix) Value) func(y []int, p []float64, k int, w []float64) Value {
	return func(y []int, p []float64, k int, w []float64) Value {
		if why := checkClasses(y, p, k, w); why != "" {
			return Undefined(why)
		}
		m, why := ConfusionMatrix(y, Argmax(p, k), k, w)
		if why != "" {
			return Undefined(why)
		}
		return f(m)
	}
}
