package training

import (
	"math"

	"ambit/plans"
)

// Link says how the margins of a model's boosters become predictions.
type Link string

// Links.
const (
	LinkPrior Link = "prior" // no boosters: the same for every row
	LinkModel Link = "model" // logistic for two classes, softmax for several, as it is for amounts
	LinkShare Link = "share" // forests of 0 and 1: cut to [0, 1], and of several classes scaled to sum 1
)

// scoreWidth returns how many numbers a prediction has: the probability of the
// positive class, one probability a class, or the amount.
func scoreWidth(task plans.Task, classes int) int {
	if task == plans.Multiclass {
		return classes
	}
	return 1
}

// apply turns the margins of one row, in place, into its prediction.
func (l Link) apply(task plans.Task, row []float64) {
	switch {
	case l == LinkPrior || task == plans.Regression:
	case l == LinkShare:
		shares(task, row)
	case task == plans.Multiclass:
		softmax(row)
	default:
		row[0] = 1 / (1 + math.Exp(-row[0]))
	}
}

func softmax(row []float64) {
	top := row[0]
	for _, v := range row {
		top = max(top, v)
	}
	sum := 0.0
	for i, v := range row {
		row[i] = math.Exp(v - top)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}

func shares(task plans.Task, row []float64) {
	sum := 0.0
	for i, v := range row {
		row[i] = min(max(v, 0), 1)
		sum += row[i]
	}
	if task != plans.Multiclass {
		return
	}
	for i := range row {
		if sum == 0 {
			row[i] = 1 / float64(len(row))
		} else {
			row[i] /= sum
		}
	}
}

// scores returns the predictions of rows, width numbers each: of a prior, or of
// margins by booster, where one booster has all numbers of a row or each has one.
func (l Link) scores(task plans.Task, width, rows int, prior []float64, margins [][]float32) []float64 {
	out := make([]float64, rows*width)
	for r := range rows {
		row := out[r*width : (r+1)*width]
		switch {
		case l == LinkPrior:
			copy(row, prior)
		case len(margins) == 1:
			for i := range row {
				row[i] = float64(margins[0][r*width+i])
			}
		default:
			for i := range row {
				row[i] = float64(margins[i][r])
			}
		}
		l.apply(task, row)
	}
	return out
}
