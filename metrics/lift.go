package metrics

// Gain is one of the equal parts of the rows in order of score, highest first.
// Rows of one score that fall over a border are shared between the parts in
// proportion, so that their order in the file does not matter.
type Gain struct {
	Part     int     `json:"part"`     // from 1
	Share    float64 `json:"share"`    // of all rows, up to the end of this part
	Rate     float64 `json:"rate"`     // share of positives in this part
	Lift     float64 `json:"lift"`     // Rate over the share of positives in all rows
	Captured float64 `json:"captured"` // share of all positives, up to the end of this part
	Total    float64 `json:"cumulative_lift"`
}

// Deciles is how many parts a gain table has.
const Deciles = 10

// Gains returns the cumulative gain and lift over k parts of equal weight.
func Gains(y, score, w []float64, k int) ([]Gain, Reason) { return Rank(y, score).Gains(w, k) }

// Gains returns the cumulative gain and lift over k parts of equal weight.
func (r Ranked) Gains(w []float64, k int) ([]Gain, Reason) {
	if k < 1 || k > MaxParts {
		return nil, BadArgument
	}
	pos, neg, why := r.totals(w)
	if why == "" && pos == 0 {
		why = OneClass
	}
	if why != "" {
		return nil, why
	}
	marks := make([]float64, k)
	for i := range marks {
		marks[i] = (pos + neg) * float64(i+1) / float64(k)
	}
	out := make([]Gain, k)
	before, prevalence := 0.0, pos/(pos+neg)
	for i, captured := range r.captured(w, marks) {
		share := float64(i+1) / float64(k)
		rate := min(max((captured-before)*float64(k)/(pos+neg), 0), 1)
		out[i] = Gain{i + 1, share, rate, rate / prevalence, captured / pos, captured / pos / share}
		before = captured
	}
	return out, ""
}

// captured returns the weight of positives among the first mark of weight, for
// rising marks.
func (r Ranked) captured(w, marks []float64) []float64 {
	out := make([]float64, len(marks))
	done, pos, at := 0.0, 0.0, 0
	for c := range r.cuts(w) {
		weight := c.pos + c.neg
		for ; at < len(marks) && marks[at] <= done+weight; at++ {
			if weight > 0 {
				out[at] = pos + c.pos*(marks[at]-done)/weight
			}
		}
		done += weight
		pos += c.pos
	}
	for ; at < len(marks); at++ { // rounding may leave the last mark beyond the end
		out[at] = pos
	}
	return out
}

// Lift returns the share of positives among the k highest scores over their share
// in all rows. Rows of one score at the border are shared in proportion.
func Lift(y, score, w []float64, k float64) Value {
	r := Rank(y, score)
	pos, neg, why := r.totals(w)
	switch {
	case why != "":
		return Undefined(why)
	case pos == 0:
		return Undefined(OneClass)
	case !(k > 0) || k > pos+neg:
		return Undefined(BadArgument)
	}
	return Defined(r.captured(w, []float64{k})[0] / k / (pos / (pos + neg)))
}
