package wire

import (
	"time"

	"ambit/datasets"
	"ambit/internal/fault"
)

// Op is what a child is asked to do.
type Op string

// Operations. A child takes one Boot first, then the work of its profile, one
// request at a time; Cancel ends the one that runs.
const (
	OpBoot   Op = "boot"
	OpQuery  Op = "query"
	OpRead   Op = "read"
	OpIngest Op = "ingest"
	OpCancel Op = "cancel"
)

// Request goes to a child. The member that Op names is set.
type Request struct {
	Op     Op          `json:"op"`
	Boot   *Boot       `json:"boot,omitempty"`
	Query  *Query      `json:"query,omitempty"`
	Read   *ColumnRead `json:"read,omitempty"`
	Ingest *Ingest     `json:"ingest,omitempty"`
}

// Answer comes from a child. Fault is set if the request failed; else the
// member of its kind.
type Answer struct {
	Fault    *Fault    `json:"fault,omitempty"`
	Spent    bool      `json:"spent,omitempty"` // the child must not be used again
	CPU      float64   `json:"cpu_s,omitempty"` // seconds of CPU that the child has used in its life
	Booted   *Booted   `json:"booted,omitempty"`
	Rows     *RowSet   `json:"rows,omitempty"` // the rows are in the body
	Ingested *Ingested `json:"ingested,omitempty"`
}

// Boot turns a blank child into one that serves one workspace.
type Boot struct {
	Limits   Limits  `json:"limits"`
	Insecure bool    `json:"insecure"` // go on where the sandbox cannot be set
	Tables   []Table `json:"tables,omitempty"`
	Source   string  `json:"source,omitempty"` // ingest: the one file to read
	Output   string  `json:"output,omitempty"` // ingest: the one folder to write
}

// Limits bound a child; sizes in bytes.
type Limits struct {
	Memory  uint64 `json:"memory"`  // the engine's own limit
	Data    uint64 `json:"data"`    // private memory of the whole process
	Spill   uint64 `json:"spill"`   // temporary files; 0 is none
	File    uint64 `json:"file"`    // one written file
	CPU     uint64 `json:"cpu"`     // seconds in the child's life
	Files   uint64 `json:"files"`   // open files
	Threads int    `json:"threads"` // of the engine
}

// Table is a table to attach, read-only.
type Table struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	Masked []string `json:"masked,omitempty"` // columns that read as NULL
}

// Booted says what holds the child.
type Booted struct {
	Engine   string `json:"engine"`   // the engine's version
	Landlock int    `json:"landlock"` // ABI in force; 0 is none
	Limited  bool   `json:"limited"`  // resource limits are set
}

// Query is one statement of a caller.
type Query struct {
	SQL      string        `json:"sql"`
	MaxRows  int           `json:"max_rows"`
	MaxBytes int           `json:"max_bytes"`
	Timeout  time.Duration `json:"timeout"`
}

// RowSet describes the rows in an answer's body.
type RowSet struct {
	Columns   []datasets.ResultColumn `json:"columns"`
	HasMore   bool                    `json:"has_more"`
	Nonfinite int64                   `json:"nonfinite"`
	ElapsedMS float64                 `json:"elapsed_ms"`
	QueryHash string                  `json:"query_hash"`
}

// ColumnRead asks for columns of the one attached table, written to the bulk pipe.
type ColumnRead struct {
	Columns  []datasets.ReadColumn `json:"columns"`
	MaxBytes int64                 `json:"max_bytes"`
}

// Ingest asks for a table from the booted source.
type Ingest struct {
	Format     datasets.Format `json:"format"`
	MaxRows    int64           `json:"max_rows"`
	MaxColumns int             `json:"max_columns"`
	MaxLine    int             `json:"max_line"` // bytes
}

// Ingested is what was built.
type Ingested struct {
	File        string             `json:"file"` // name in the output folder
	Columns     []datasets.Column  `json:"columns"`
	Fingerprint string             `json:"fingerprint"`
	Profile     datasets.Profile   `json:"profile"`
	Warnings    []datasets.Warning `json:"warnings"`
}

// Fault is a refusal on its way to the caller.
type Fault struct {
	Code   fault.Code     `json:"code"`
	Detail string         `json:"detail"`
	Fix    string         `json:"fix,omitempty"`
	Info   map[string]any `json:"info,omitempty"`
	Cause  string         `json:"cause,omitempty"` // for the log
}

// FromError returns err as a message.
func FromError(err error) *Fault {
	f := fault.From(err)
	m := &Fault{Code: f.Code, Detail: f.Detail, Fix: f.Fix, Info: f.Info}
	if f.Err != nil {
		m.Cause = f.Err.Error()
	}
	return m
}

// Error returns the fault that the message carries.
func (m *Fault) Error() *fault.Fault {
	f := &fault.Fault{Code: m.Code, Detail: m.Detail, Fix: m.Fix, Info: m.Info}
	if m.Cause != "" {
		f.Err = causeError(m.Cause)
	}
	return f
}

type causeError string

func (c causeError) Error() string { return string(c) }
