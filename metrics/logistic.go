package metrics

import "math"

// Line is a fitted line a x + b on the logit scale. The zero Line is not fitted.
type Line struct {
	Slope     float64 `json:"slope"`
	Intercept float64 `json:"intercept"`
}

// At returns the probability at x, in [0, 1]; NaN for a NaN.
func (l Line) At(x float64) float64 { return sigmoid(l.Slope*x + l.Intercept) }

// Recalibration returns the logistic regression of y on logit(p): slope 1 and
// intercept 0 for a calibrated p, slope below 1 for one that is too sure. p is
// clipped at LogLossClip. Probabilities that part the classes have none: Separated.
func Recalibration(y, p, w []float64) (Line, Reason) {
	if why := checkProbability(y, p, w); why != "" {
		return Line{}, why
	}
	x := make([]float64, len(p))
	for i, v := range p {
		x[i] = logit(clip(v, LogLossClip))
	}
	pos, neg := classWeights(y, w)
	if pos == 0 || neg == 0 {
		return Line{}, OneClass
	}
	if separated(y, x, w) {
		return Line{}, Separated
	}
	return fitLine(x, y, w)
}

// Platt fits the map from margins to probabilities by Newton's method on Platt's
// smoothed targets, (n1+1)/(n1+2) and 1/(n0+2) (Platt 1999; Lin et al. 2007).
func Platt(y, margin, w []float64) (Line, Reason) {
	if why := checkBinary(y, margin, w); why != "" {
		return Line{}, why
	}
	pos, neg := classWeights(y, w)
	if pos == 0 || neg == 0 {
		return Line{}, OneClass
	}
	target := make([]float64, len(y))
	for i, v := range y {
		target[i] = 1 / (neg + 2)
		if v == 1 {
			target[i] = (pos + 1) / (pos + 2)
		}
	}
	return fitLine(margin, target, w)
}

// CorrectWeight undoes what a class weight on the positives did to a probability:
// odds / weight. Fault: OutOfRange, a p outside [0, 1] or a weight not over 0.
func CorrectWeight(p, weight float64) Value {
	if !(p >= 0 && p <= 1) || !(weight > 0) || !finite(weight) {
		return Undefined(OutOfRange)
	}
	return Defined(p / (p + weight*(1-p)))
}

func classWeights(y, w []float64) (pos, neg float64) {
	for i, v := range y {
		if v == 1 {
			pos += weigh(w, i)
		} else {
			neg += weigh(w, i)
		}
	}
	return pos, neg
}

// separated reports whether some x has all of one class on or below it and all of
// the other on or above it: then the likelihood grows without end.
func separated(y, x, w []float64) bool {
	low := [2]float64{math.Inf(1), math.Inf(1)}
	high := [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, v := range x {
		if weigh(w, i) > 0 {
			c := int(y[i])
			low[c], high[c] = min(low[c], v), max(high[c], v)
		}
	}
	constant := min(low[0], low[1]) == max(high[0], high[1]) // no slope at all: NoSpread tells
	return !constant && (high[0] <= low[1] || high[1] <= low[0])
}

// fitLine maximises the weighted likelihood of targets in [0, 1].
func fitLine(x, target, w []float64) (Line, Reason) {
	centre, scale, why := standard(x, w)
	if why != "" {
		return Line{}, why
	}
	z := make([]float64, len(x))
	for i, v := range x {
		z[i] = (v - centre) / scale
	}
	fit := newton{z: z, target: target, w: w}
	if !fit.run() {
		return Line{}, NoConvergence
	}
	l := Line{Slope: fit.a / scale, Intercept: fit.b - fit.a*centre/scale}
	if !finite(l.Slope) || !finite(l.Intercept) {
		return Line{}, Overflow
	}
	return l, ""
}

// standard returns the weighted mean and standard deviation of x.
func standard(x, w []float64) (centre, scale float64, why Reason) {
	m := mean(len(x), w, func(i int) float64 { return x[i] })
	v := mean(len(x), w, func(i int) float64 { return (x[i] - m.V) * (x[i] - m.V) })
	if !m.OK || !v.OK {
		return 0, 0, Overflow
	}
	if v.V == 0 {
		return 0, 0, NoSpread
	}
	return m.V, math.Sqrt(v.V), ""
}

// newton fits sigmoid(a z + b) to targets; z is standardised.
type newton struct {
	z, target, w []float64
	a, b         float64
}

// maxNewton bounds the steps; fits on real scores need fewer than 15.
const maxNewton = 100

// run reports whether it converged.
func (n *newton) run() bool {
	loss := n.loss(n.a, n.b)
	for range maxNewton {
		da, db, ok := n.step()
		if !ok {
			return false
		}
		small := math.Hypot(da, db) < 1e-9*(1+math.Hypot(n.a, n.b))
		for halvings := 0; ; halvings++ {
			next := n.loss(n.a+da, n.b+db)
			// A rise within rounding is none: the last steps are smaller than it.
			if next <= loss+1e-12*abs(loss) {
				loss = next
				break
			}
			if halvings == 40 {
				return false
			}
			da, db = da/2, db/2
		}
		n.a, n.b = n.a+da, n.b+db
		if small {
			return true // the next step would be about the square of this one
		}
	}
	return false
}

// step solves the 2x2 Newton system.
func (n *newton) step() (da, db float64, ok bool) {
	var ga, gb, haa, hab, hbb float64
	for i, z := range n.z {
		p := sigmoid(n.a*z + n.b)
		g, h := weigh(n.w, i)*(n.target[i]-p), weigh(n.w, i)*p*(1-p)
		ga, gb = ga+g*z, gb+g
		haa, hab, hbb = haa+h*z*z, hab+h*z, hbb+h
	}
	det := haa*hbb - hab*hab
	if !(det > 0) {
		return 0, 0, false
	}
	return (hbb*ga - hab*gb) / det, (haa*gb - hab*ga) / det, true
}

// loss is the negative log-likelihood.
func (n *newton) loss(a, b float64) float64 {
	sum := 0.0
	for i, z := range n.z {
		m := a*z + b
		// ln(1+e^m) - t m, without overflow
		sum += weigh(n.w, i) * (max(m, 0) + math.Log1p(math.Exp(-abs(m))) - n.target[i]*m)
	}
	return sum
}
