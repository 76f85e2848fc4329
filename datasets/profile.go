package datasets

// Profile describes a table without a target. It is computed once, at ingest.
type Profile struct {
	Rows          int64           `json:"rows"`
	DuplicateRows int64           `json:"duplicate_rows"` // rows beyond the first of each set of equal rows
	Columns       []ColumnProfile `json:"columns"`
	Warnings      []Warning       `json:"warnings"`
}

// ColumnProfile describes one column. Numbers that do not apply are null.
type ColumnProfile struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Semantic Semantic `json:"semantic"`
	Missing  int64    `json:"missing"`
	Distinct int64    `json:"distinct"` // exact to 10^6 rows, else an estimate
	Min      *string  `json:"min,omitempty"`
	Max      *string  `json:"max,omitempty"`
	Mean     *float64 `json:"mean,omitempty"`
	SD       *float64 `json:"sd,omitempty"`
	P25      *float64 `json:"p25,omitempty"`
	P50      *float64 `json:"p50,omitempty"`
	P75      *float64 `json:"p75,omitempty"`
	Top      []Level  `json:"top,omitempty"` // the most frequent values, at most 10
}

// Level is a value and how often it occurs.
type Level struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
}
