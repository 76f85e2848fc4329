package runs

import (
	"cmp"
	"math"
	"slices"

	"ambit/plans"
)

// Row is one trial on the leaderboard of a run. Numbers that do not apply are null.
type Row struct {
	Rank      int       `json:"rank,omitempty"` // from 1; absent for a trial without a score
	TrialID   string    `json:"trial_id"`
	Name      string    `json:"name"`
	Family    string    `json:"family"`
	State     State     `json:"state"`
	CV        *float64  `json:"cv"`         // mean over the folds of the run's metric
	SE        *float64  `json:"se"`         // sd over the folds / √k
	GapSE     *float64  `json:"gap_se"`     // distance to the best, in the best's se
	OverFloor *float64  `json:"over_floor"` // better than the floor by; negative is worse
	TieWith   []string  `json:"tie_with"`   // names of trials within one se of the best, and the best
	Folds     []float64 `json:"folds"`
	Rounds    int       `json:"rounds"`
	Seconds   float64   `json:"seconds"` // of fitting
	Bytes     int64     `json:"bytes"`   // of the model
	Flags     []string  `json:"flags"`
	Failure   *Failure  `json:"failure,omitempty"`
}

// Flags of a row. A model that loses to a simpler one is marked.
const (
	FlagBelowFloor  = "not_above_floor"
	FlagBelowLinear = "not_above_linear"
)

// Rank orders the trials of a run by the metric, best first, equals in the order
// of the run. Trials without a score come last.
func Rank(trials []Trial, metric plans.Metric) []Row {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b Trial) int { return order(metric, a, b) })
	b := board{metric: metric, trials: sorted, rows: make([]Row, len(sorted))}
	for i, t := range sorted {
		b.rows[i] = rowOf(t)
		if scored(t) {
			b.rows[i].Rank = i + 1
			b.scored = i + 1
		}
	}
	b.compare()
	return b.rows
}

// board is trials in order of merit, the scored ones first, and their rows.
type board struct {
	metric plans.Metric
	trials []Trial
	rows   []Row
	scored int
}

// order puts the better trial first.
func order(metric plans.Metric, a, b Trial) int {
	if scored(a) != scored(b) {
		if scored(a) {
			return -1
		}
		return 1
	}
	if by := -cmp.Compare(gain(metric, a.CV, b.CV), 0); scored(a) && by != 0 {
		return by
	}
	return cmp.Compare(a.Position, b.Position)
}

// gain returns by how much a is better than b.
func gain(metric plans.Metric, a, b float64) float64 {
	if metric.HigherIsBetter {
		return a - b
	}
	return b - a
}

func scored(t Trial) bool {
	return t.State == Succeeded && !math.IsNaN(t.CV) && !math.IsInf(t.CV, 0)
}

func rowOf(t Trial) Row {
	row := Row{
		TrialID: t.ID, Name: t.Name, Family: t.Family, State: t.State, Rounds: t.Rounds,
		Seconds: t.Seconds, Bytes: t.Bytes, Folds: t.Folds, TieWith: []string{}, Flags: []string{},
	}
	if row.Folds == nil {
		row.Folds = []float64{}
	}
	if scored(t) {
		row.CV, row.SE = &t.CV, &t.SE
	}
	if t.Failure != (Failure{}) {
		row.Failure = &t.Failure
	}
	return row
}

// compare fills what a row says of other rows.
func (b board) compare() {
	floor, linear := b.find(plans.Floor), b.find(plans.Linear)
	for i := range b.scored {
		b.toBest(i)
		b.toBaselines(i, floor, linear)
	}
}

// find returns the best scored trial of a family, or nil.
func (b board) find(family plans.Family) *Trial {
	for i, t := range b.trials[:b.scored] {
		if t.Family == string(family) {
			return &b.trials[i]
		}
	}
	return nil
}

// toBest sets the gap of row i to the best one, and marks both if it is no more
// than the best's standard error.
func (b board) toBest(i int) {
	row, top, best := &b.rows[i], &b.rows[0], b.trials[0]
	gap := gain(b.metric, best.CV, *row.CV)
	switch {
	case gap == 0:
		row.GapSE = new(float64)
	case best.SE > 0:
		inSE := gap / best.SE
		row.GapSE = &inSE
	}
	if i > 0 && gap <= best.SE {
		row.TieWith = append(row.TieWith, top.Name)
		top.TieWith = append(top.TieWith, row.Name)
	}
}

func (b board) toBaselines(i int, floor, linear *Trial) {
	row, t := &b.rows[i], b.trials[i]
	if floor != nil {
		over := gain(b.metric, t.CV, floor.CV)
		row.OverFloor = &over
		if over <= 0 && t.Family != string(plans.Floor) {
			row.Flags = append(row.Flags, FlagBelowFloor)
		}
	}
	simple := t.Family == string(plans.Linear) || t.Family == string(plans.Floor)
	if linear != nil && !simple && gain(b.metric, t.CV, linear.CV) <= 0 {
		row.Flags = append(row.Flags, FlagBelowLinear)
	}
}
