package datasets

// Profile describes a table without a target. It is computed once, at ingest.
type Profile struct {
	Rows          int64           `json:"rows"`
	DuplicateRows int64           `json:"duplicate_rows"` // rows beyond the first of each set of equal rows
	Columns       []ColumnProfile `json:"columns"`
	Pairs         []Pair          `json:"pairs,omitempty"` // columns that say nearly the same, at most 20, from up to 20,000 rows
	Warnings      []Warning       `json:"warnings"`
}

// ColumnProfile describes one column. Numbers that do not apply are null.
type ColumnProfile struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"`
	Semantic  Semantic `json:"semantic"`
	Missing   int64    `json:"missing"`
	Nonfinite int64    `json:"nonfinite,omitempty"` // NaN and infinite numbers; the figures below leave them out
	Distinct  int64    `json:"distinct"`            // exact to 10^6 rows, else perhaps an estimate
	Unique    bool     `json:"unique,omitempty"`    // every row has a value of its own
	Monotone  string   `json:"monotone,omitempty"`  // "up" or "down" in row order, for numbers and times
	Min       *string  `json:"min,omitempty"`
	Max       *string  `json:"max,omitempty"`
	Mean      *float64 `json:"mean,omitempty"`
	SD        *float64 `json:"sd,omitempty"`   // of the sample
	Skew      *float64 `json:"skew,omitempty"` // adjusted Fisher-Pearson
	P1        *float64 `json:"p1,omitempty"`   // quantiles interpolate linearly
	P5        *float64 `json:"p5,omitempty"`
	P25       *float64 `json:"p25,omitempty"`
	P50       *float64 `json:"p50,omitempty"`
	P75       *float64 `json:"p75,omitempty"`
	P95       *float64 `json:"p95,omitempty"`
	P99       *float64 `json:"p99,omitempty"`
	Zeros     *int64   `json:"zeros,omitempty"`
	Negatives *int64   `json:"negatives,omitempty"`
	Top       []Level  `json:"top,omitempty"`       // the most frequent values, at most 10, cut to 200 characters
	Disguised []Level  `json:"disguised,omitempty"` // values that probably stand for a missing one
	Lengths   *Lengths `json:"lengths,omitempty"`   // of texts
	Histogram []Bin    `json:"histogram,omitempty"` // of numbers, Freedman-Diaconis, at most 30 bins
}

// Level is a value and how often it occurs.
type Level struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
}

// Lengths describes texts, in characters.
type Lengths struct {
	Min   int64   `json:"min"`
	Max   int64   `json:"max"`
	Mean  float64 `json:"mean"`
	Words float64 `json:"words"` // mean number of words
}

// Bin is a bar of a histogram: values from From up to, but not including, To;
// the last bin includes it.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int64   `json:"count"`
}

// Pair is two columns that are closely related.
type Pair struct {
	A       string  `json:"a"`
	B       string  `json:"b"`
	Measure string  `json:"measure"` // "spearman" or "cramers_v"
	Value   float64 `json:"value"`
}
