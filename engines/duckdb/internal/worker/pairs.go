package worker

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ambit/datasets"
)

// Bounds on the search for related columns.
const (
	pairRows    = 20_000
	pairColumns = 100 // of each sort, the first in the table
	pairLevels  = 50
	maxPairs    = 20
	related     = 0.95
	fewest      = 20 // rows, below which anything looks related
	perLevel    = 5  // rows for each level, below which levels do
)

// pairs returns the columns that are closely related, the closest first: numbers
// by Spearman's rank correlation, categories by Cramér's V, over evenly spaced rows.
func pairs(c *connection, profiles []datasets.ColumnProfile, fields []field, rows int64) ([]datasets.Pair, error) {
	numbers, levels := comparable(profiles, fields)
	if len(numbers)+len(levels) < 2 {
		return nil, nil
	}
	s, err := readSample(c, fields, numbers, levels, rows)
	if err != nil {
		return nil, err
	}
	for i := range s.numbers {
		s.numbers[i] = ranks(s.numbers[i])
	}
	found := each2(len(numbers), func(i, j int) datasets.Pair {
		return datasets.Pair{A: fields[numbers[i]].name, B: fields[numbers[j]].name, Measure: "spearman", Value: correlation(s.numbers[i], s.numbers[j])}
	})
	found = append(found, each2(len(levels), func(i, j int) datasets.Pair {
		return datasets.Pair{A: fields[levels[i]].name, B: fields[levels[j]].name, Measure: "cramers_v", Value: cramersV(s.codes[i], s.codes[j])}
	})...)
	slices.SortStableFunc(found, func(a, b datasets.Pair) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	return found[:min(len(found), maxPairs)], nil
}

// each2 measures every two of n columns and keeps those that are related.
func each2(n int, measure func(i, j int) datasets.Pair) []datasets.Pair {
	var out []datasets.Pair
	for i := range n {
		for j := i + 1; j < n; j++ {
			if p := measure(i, j); math.Abs(p.Value) >= related {
				out = append(out, p)
			}
		}
	}
	return out
}

// comparable returns the columns of numbers and those of categories.
func comparable(profiles []datasets.ColumnProfile, fields []field) (numbers, levels []int) {
	for i, p := range profiles {
		switch {
		case p.Distinct < 2:
		case fields[i].form() == textForm && p.Distinct <= pairLevels && len(levels) < pairColumns:
			levels = append(levels, i)
		case (fields[i].form() == wholeForm || fields[i].form() == floatForm) && len(numbers) < pairColumns:
			numbers = append(numbers, i)
		}
	}
	return numbers, levels
}

// sampled is a sample of rows, by column; NaN and -1 are missing.
type sampled struct {
	numbers [][]float64
	codes   [][]int
}

func readSample(c *connection, fields []field, numbers, levels []int, rows int64) (*sampled, error) {
	s := &sampled{numbers: make([][]float64, len(numbers)), codes: make([][]int, len(levels))}
	seen := make([]map[string]int, len(levels))
	var list []string
	for _, i := range numbers {
		list = append(list, numberSQL(fields[i]))
	}
	for n, i := range levels {
		list = append(list, "CAST("+quoteName(fields[i].name)+" AS VARCHAR)")
		seen[n] = map[string]int{}
	}
	step := max(1, rows/pairRows)
	sql := fmt.Sprintf("SELECT %s FROM %s WHERE rowid %% %d = 0", strings.Join(list, ", "), builtTable, step)
	return s, c.stream(sql, func(columns []*column, n int) (bool, error) {
		for i := range n {
			for k := range numbers {
				s.numbers[k] = append(s.numbers[k], floatOrNaN(columns[k], i))
			}
			for k := range levels {
				s.codes[k] = append(s.codes[k], code(columns[len(numbers)+k], i, seen[k]))
			}
		}
		return true, nil
	})
}

func floatOrNaN(c *column, i int) float64 {
	if c.null(i) {
		return math.NaN()
	}
	return at[float64](c.data, i)
}

func code(c *column, i int, seen map[string]int) int {
	if c.null(i) {
		return -1
	}
	text := textAt(c.data, i)
	n, ok := seen[string(text)]
	if !ok {
		n = len(seen)
		seen[string(text)] = n
	}
	return n
}

// ranks replaces values by their ranks, equals by the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, 0, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := slices.Repeat([]float64{math.NaN()}, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			out[at] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// correlation is Pearson's, over the rows in which neither is missing; 0 if one
// does not vary or there are too few.
func correlation(a, b []float64) float64 {
	var n, sa, sb, saa, sbb, sab float64
	for i := range a {
		x, y := a[i], b[i]
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		n, sa, sb, saa, sbb, sab = n+1, sa+x, sb+y, saa+x*x, sbb+y*y, sab+x*y
	}
	va, vb := saa-sa*sa/n, sbb-sb*sb/n
	if n < fewest || va <= 0 || vb <= 0 {
		return 0
	}
	return (sab - sa*sb/n) / math.Sqrt(va*vb)
}

// cramersV is the square root of chi-squared over its greatest value (Cramér
// 1946), over the rows in which neither is missing.
func cramersV(a, b []int) float64 {
	table := map[[2]int]float64{}
	rows, columns := map[int]float64{}, map[int]float64{}
	n := 0.0
	for i := range a {
		if a[i] < 0 || b[i] < 0 {
			continue
		}
		n++
		table[[2]int{a[i], b[i]}]++
		rows[a[i]]++
		columns[b[i]]++
	}
	least, most := min(len(rows), len(columns))-1, max(len(rows), len(columns))
	if n < fewest || n < float64(perLevel*most) || least < 1 {
		return 0
	}
	sum := 0.0
	for cell, count := range table {
		sum += count * count / (rows[cell[0]] * columns[cell[1]])
	}
	return math.Sqrt(max(0, sum-1) / float64(least)) // chi² = n (sum - 1)
}
