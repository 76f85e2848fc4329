package datasets

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// Engine reads and builds tables in child processes. It owns the folder of
// built tables: one immutable file for each dataset version.
type Engine interface {
	// Ingest builds the table of a new version from a caller's file and profiles it.
	// On any error nothing of the version is left.
	// Faults: invalid (names row, column or limit), too_large, timeout, memory, engine_unavailable.
	Ingest(ctx context.Context, in Ingest) (Ingested, error)

	// Query runs one SELECT over the tables of one workspace.
	// Faults: not_select, multiple_statements, function_not_allowed, unknown_table,
	// too_complex, too_long, invalid, timeout, memory, engine_unavailable.
	Query(ctx context.Context, q Query) (Result, error)

	// Read returns whole columns of one version, in row order.
	// Faults: invalid (no such column), memory, engine_unavailable.
	Read(ctx context.Context, r Read) (Frame, error)

	// Remove deletes the table of a version. It is no error if there is none.
	Remove(workspace, version string) error
}

// Ingest is a request to build a table.
type Ingest struct {
	Workspace string
	Version   string // id of the new version
	Format    Format
	Source    io.Reader // the caller's bytes; read once
	MaxBytes  int64
}

// Format is the format of an uploaded file.
type Format string

// Formats that are taken.
const (
	CSV     Format = "csv"
	Parquet Format = "parquet"
)

// Ingested describes a table that was built.
type Ingested struct {
	Rows          int64
	Columns       []Column
	Fingerprint   string // "sha256:<hex>", 50-domain section 0
	Bytes         int64  // of the caller's file
	SourceSHA256  string // of the caller's bytes, hex
	EngineVersion string
	Profile       Profile
	Warnings      []Warning
}

// Column is a column of a table.
type Column struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // the engine's type, such as BIGINT
	Semantic Semantic `json:"semantic"`
}

// Semantic is what a column means.
type Semantic string

// Semantic types.
const (
	Number   Semantic = "number"
	Category Semantic = "category"
	Boolean  Semantic = "boolean"
	Date     Semantic = "date"
	Datetime Semantic = "datetime"
	Text     Semantic = "text"
	ID       Semantic = "id"
	Constant Semantic = "constant"
	Other    Semantic = "other"
)

// Warning is something about the data that a user should know.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"msg"`
	Fix     string `json:"fix,omitempty"`
}

// Query is one SELECT of a caller.
type Query struct {
	Workspace string
	Tables    []Table
	SQL       string
	MaxRows   int           // at most 10,000
	Timeout   time.Duration // at most 10 s; zero takes the engine's default
}

// Table is a table that a query may name.
type Table struct {
	Name    string   // the dataset's name
	Version string   // the version's id
	Masked  []string // columns that read as NULL, before the query sees them
}

// Result is the answer to a query.
type Result struct {
	Columns   []ResultColumn    `json:"columns"`
	Rows      []json.RawMessage `json:"rows"` // each an array in column order
	HasMore   bool              `json:"has_more"`
	Nonfinite int64             `json:"nonfinite,omitempty"` // NaN and infinite numbers, which are null in the rows
	ElapsedMS float64           `json:"elapsed_ms"`
	QueryHash string            `json:"query_hash"` // of the canonical SQL
}

// ResultColumn is a column of a result.
type ResultColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Read asks for columns of one version.
type Read struct {
	Workspace string
	Version   string
	Columns   []ReadColumn
}

// ReadColumn names a column and the form to read it in.
type ReadColumn struct {
	Name string
	As   ReadAs
}

// ReadAs is the form of a column that is read.
type ReadAs string

// Forms: float32 for features, float64 for targets, levels for everything that
// is not a number.
const (
	AsFloat32 ReadAs = "float32"
	AsFloat64 ReadAs = "float64"
	AsLevels  ReadAs = "levels"
)

// Frame holds columns of one table, in row order.
type Frame struct {
	Rows    int
	Columns []Series
}

// Series is a column that was read; one of Float32, Float64 and Codes is set.
type Series struct {
	Name    string
	Float32 []float32 // NaN is missing
	Float64 []float64 // NaN is missing
	Codes   []int32   // index into Levels; -1 is missing
	Levels  []string  // distinct values as text, in ascending byte order
}
