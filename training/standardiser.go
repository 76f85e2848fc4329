package training

import (
	"math"
	"slices"
)

// Standardiser prepares encoded rows for the linear member: missing values
// become the median, columns get mean 0 and standard deviation 1, and a feature
// that had missing values gets one more column that says so. Columns of levels
// stay 0 and 1, so that a penalty weighs on rare levels most; missing is 0 there.
// It is fitted on the rows that a model learns from.
//
// A 0 of a level or an indicator is written as missing, which means the same to a
// linear model and is left out of the engine's matrix: tables of levels, which
// are zeros for the most part, are fitted several times faster.
type Standardiser struct {
	Median []float64 `json:"median"`
	Mean   []float64 `json:"mean"` // after imputation
	SD     []float64 `json:"sd"`   // of the population, after imputation; 1 for a constant column
	// Level marks the columns of levels, whose median, mean and SD are 0, 0 and 1.
	Level []bool `json:"level"`
	// Indicators are the encoded columns whose missing values have a column of
	// their own, after all others.
	Indicators []int `json:"indicators"`
}

// fitStandardiser fits on all rows of m.
func fitStandardiser(m Matrix, columns []column) Standardiser {
	s := Standardiser{
		Median: make([]float64, m.Cols), Mean: make([]float64, m.Cols), SD: make([]float64, m.Cols),
		Level: make([]bool, m.Cols), Indicators: []int{},
	}
	present := make([]float64, 0, m.Rows)
	for c := range m.Cols {
		present = present[:0]
		for r := range m.Rows {
			if v := float64(m.Data[r*m.Cols+c]); !math.IsNaN(v) {
				present = append(present, v)
			}
		}
		missing := m.Rows - len(present)
		first := c == 0 || columns[c].feature != columns[c-1].feature
		if first && missing > 0 && len(present) > 0 {
			s.Indicators = append(s.Indicators, c) // a feature's columns are missing together
		}
		s.SD[c], s.Level[c] = 1, columns[c].level
		if !columns[c].level {
			s.fitColumn(c, present, missing)
		}
	}
	return s
}

// fitColumn fits a column by its present values and the number of missing ones.
func (s Standardiser) fitColumn(c int, present []float64, missing int) {
	n := len(present)
	if n == 0 {
		return
	}
	slices.Sort(present)
	median := (present[(n-1)/2] + present[n/2]) / 2
	s.Median[c], s.Mean[c] = median, median
	if present[0] == present[n-1] {
		return // constant: a computed deviation would be rounding, not spread
	}
	total, sum, squares := float64(n+missing), median*float64(missing), 0.0
	for _, v := range present {
		sum += v
	}
	mean := sum / total
	for _, v := range present {
		squares += (v - mean) * (v - mean)
	}
	squares += (median - mean) * (median - mean) * float64(missing)
	s.Mean[c], s.SD[c] = mean, math.Sqrt(squares/total)
}

// width returns the number of columns after standardisation.
func (s Standardiser) width() int { return len(s.Mean) + len(s.Indicators) }

// applyRow writes the standardised row to out, which has width elements.
func (s Standardiser) applyRow(row, out []float32) {
	for c, v := range row {
		x := float64(v)
		switch {
		case s.Level[c] && v == 0:
			x = math.NaN()
		case !s.Level[c] && math.IsNaN(x):
			x = s.Median[c]
		}
		out[c] = float32((x - s.Mean[c]) / s.SD[c])
	}
	for i, c := range s.Indicators {
		out[len(row)+i] = nan
		if math.IsNaN(float64(row[c])) {
			out[len(row)+i] = 1
		}
	}
}

// apply returns the standardised matrix; labels stay.
func (s Standardiser) apply(m Matrix) Matrix {
	out := Matrix{Rows: m.Rows, Cols: s.width(), Label: m.Label, Weight: m.Weight}
	out.Data = make([]float32, out.Rows*out.Cols)
	for r := range m.Rows {
		s.applyRow(m.Data[r*m.Cols:(r+1)*m.Cols], out.Data[r*out.Cols:(r+1)*out.Cols])
	}
	return out
}

// fits reports whether a stored standardiser is one for so many columns.
func (s Standardiser) fits(columns int) bool {
	for _, c := range s.Indicators {
		if c < 0 || c >= columns {
			return false
		}
	}
	for _, sd := range s.SD {
		if !(sd > 0) {
			return false
		}
	}
	return len(s.Median) == columns && len(s.Mean) == columns && len(s.SD) == columns && len(s.Level) == columns
}
