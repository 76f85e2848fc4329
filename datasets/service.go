package datasets

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/internal/page"
)

const (
	// MaxRows is the most rows that a query answers with.
	MaxRows = 10_000
	// PreviewRows is the most rows of a preview.
	PreviewRows  = 100
	maxNameRunes = 100
)

// Service makes and reads datasets.
type Service struct {
	Store     Store
	Engine    Engine
	Now       clock.Clock
	MaxBytes  int64 // of an uploaded file
	AgentRows int   // rows that a query answers with when nothing is asked
}

// View is a dataset with its latest version.
type View struct {
	Dataset
	Number        int       `json:"version"`
	Rows          int64     `json:"rows"`
	Columns       []Column  `json:"columns"`
	Fingerprint   string    `json:"fingerprint"`
	Bytes         int64     `json:"bytes"`
	Format        Format    `json:"format"`
	SourceSHA256  string    `json:"source_sha256"`
	EngineVersion string    `json:"engine_version"`
	Warnings      []Warning `json:"warnings"`
}

func view(d Dataset, v Version) View {
	return View{
		Dataset: d, Number: v.Number, Rows: v.Rows, Columns: v.Columns, Fingerprint: v.Fingerprint, Bytes: v.Bytes,
		Format: v.Format, SourceSHA256: v.SourceSHA256, EngineVersion: v.EngineVersion, Warnings: v.Warnings,
	}
}

// Upload is a file that a caller sends.
type Upload struct {
	Name   string // of the dataset; ignored for a new version
	Format Format
	Source io.Reader
}

// Built is a table that was built and belongs to no dataset yet.
type Built struct {
	id, workspace, name string
	format              Format
	in                  Ingested
}

// Digest identifies what was uploaded.
func (b Built) Digest() string { return b.name + " " + b.in.SourceSHA256 }

// Build ingests a file. It is slow, so it comes before the transaction; whoever
// does not Create or AddVersion afterwards must Discard.
// Faults: those of Engine.Ingest, invalid (name, format).
func (s *Service) Build(ctx context.Context, workspace string, u Upload) (Built, error) {
	if u.Format != CSV && u.Format != Parquet {
		return Built{}, fault.InvalidFields([]fault.Field{{Path: "file", Rule: "must be named .csv or .parquet", Valid: []string{"csv", "parquet"}}})
	}
	id := ids.New("dv")
	in, err := s.Engine.Ingest(ctx, Ingest{Workspace: workspace, Version: id, Format: u.Format, Source: u.Source, MaxBytes: s.MaxBytes})
	return Built{id: id, workspace: workspace, name: u.Name, format: u.Format, in: in}, err
}

// CheckName returns a fault if a dataset cannot have the name.
func CheckName(name string) error {
	ok := name != "" && name == strings.TrimSpace(name) && utf8.RuneCountInString(name) <= maxNameRunes
	for _, r := range name {
		ok = ok && unicode.IsPrint(r)
	}
	if ok {
		return nil
	}
	return fault.InvalidFields([]fault.Field{{Path: "name", Rule: "must have 1 to 100 printable characters, and none that is space at its ends"}})
}

// Discard removes a table that became no version.
func (s *Service) Discard(b Built) error { return s.Engine.Remove(b.workspace, b.id) }

// Create makes a dataset of a built table. Fault: conflict (name taken).
func (s *Service) Create(ctx context.Context, b Built, by string) (View, error) {
	d := Dataset{ID: ids.New("ds"), Workspace: b.workspace, Name: b.name, Latest: b.id, CreatedAt: s.Now(), CreatedBy: by}
	if err := s.Store.InsertDataset(ctx, d); err != nil {
		return View{}, err
	}
	v := b.version(d.ID, 1, s.Now(), by)
	return view(d, v), s.Store.InsertVersion(ctx, v)
}

// AddVersion makes a built table the dataset's latest version. Plans on the one
// before become stale. Fault: not_found.
func (s *Service) AddVersion(ctx context.Context, workspace, id string, b Built, by string) (View, error) {
	d, err := s.Store.Dataset(ctx, workspace, id)
	if err != nil {
		return View{}, err
	}
	last, err := s.Store.Version(ctx, workspace, d.Latest)
	if err != nil {
		return View{}, err
	}
	v := b.version(id, last.Number+1, s.Now(), by)
	if err := s.Store.InsertVersion(ctx, v); err != nil {
		return View{}, err
	}
	d.Latest = v.ID
	return view(d, v), nil
}

func (b Built) version(dataset string, number int, now clock.Time, by string) Version {
	return Version{
		ID: b.id, Workspace: b.workspace, Dataset: dataset, Number: number,
		Rows: b.in.Rows, Columns: b.in.Columns, Fingerprint: b.in.Fingerprint, Bytes: b.in.Bytes, Format: b.format,
		SourceSHA256: b.in.SourceSHA256, EngineVersion: b.in.EngineVersion, Profile: b.in.Profile, Warnings: b.in.Warnings,
		CreatedAt: now, CreatedBy: by,
	}
}

// Get returns a dataset and its latest version.
func (s *Service) Get(ctx context.Context, workspace, id string) (View, error) {
	d, v, err := s.latest(ctx, workspace, id)
	return view(d, v), err
}

func (s *Service) latest(ctx context.Context, workspace, id string) (Dataset, Version, error) {
	d, err := s.Store.Dataset(ctx, workspace, id)
	if err != nil {
		return Dataset{}, Version{}, err
	}
	v, err := s.Store.Version(ctx, workspace, d.Latest)
	return d, v, err
}

// List returns the newest datasets first.
func (s *Service) List(ctx context.Context, workspace string, p page.Page) (page.List[Dataset], error) {
	found, err := s.Store.Datasets(ctx, workspace, p)
	if err != nil {
		return page.List[Dataset]{}, err
	}
	return page.Cut(found, p.Limit, func(d Dataset) page.Cursor { return page.Cursor{At: d.CreatedAt, ID: d.ID} }), nil
}

// Delete hides a dataset. Faults: not_found, in_use (names what refers to it).
func (s *Service) Delete(ctx context.Context, workspace, id string) error {
	if _, err := s.Store.Dataset(ctx, workspace, id); err != nil {
		return err
	}
	refs, err := s.Store.References(ctx, workspace, id)
	if err != nil {
		return err
	}
	if len(refs) > 0 {
		return fault.New(fault.InUse, "%d plans or models refer to this dataset.", len(refs)).
			WithFix("Delete or cancel them first.").With("refers", refs[:min(len(refs), 10)])
	}
	return s.Store.DeleteDataset(ctx, workspace, id, s.Now())
}

// Query runs one SELECT on the workspace's datasets, each under its name.
// limit 0 takes the default. Faults: those of Engine.Query, invalid (limit).
func (s *Service) Query(ctx context.Context, workspace, sql string, limit int) (Result, error) {
	if limit == 0 {
		limit = s.AgentRows
	}
	if limit < 1 || limit > MaxRows {
		return Result{}, fault.InvalidFields([]fault.Field{{Path: "limit", Rule: fmt.Sprintf("must be from 1 to %d", MaxRows)}})
	}
	named, err := s.Store.Named(ctx, workspace)
	if err != nil {
		return Result{}, err
	}
	tables := make([]Table, len(named))
	for i, n := range named {
		tables[i] = Table{Name: n.Dataset.Name, Version: n.Version.ID}
	}
	return s.Engine.Query(ctx, Query{Workspace: workspace, Tables: tables, SQL: sql, MaxRows: limit, Timeout: 10 * time.Second})
}

// Preview returns the first rows of a dataset in file order.
func (s *Service) Preview(ctx context.Context, workspace, id string, limit int) (Result, error) {
	if limit == 0 {
		limit = 20
	}
	if limit < 1 || limit > PreviewRows {
		return Result{}, fault.InvalidFields([]fault.Field{{Path: "limit", Rule: fmt.Sprintf("must be from 1 to %d", PreviewRows)}})
	}
	d, v, err := s.latest(ctx, workspace, id)
	if err != nil {
		return Result{}, err
	}
	return s.Engine.Query(ctx, Query{
		Workspace: workspace, Tables: []Table{{Name: d.Name, Version: v.ID}},
		SQL: "SELECT * FROM " + quote(d.Name), MaxRows: limit, Timeout: 10 * time.Second,
	})
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Profiled is the profile of a dataset's latest version.
type Profiled struct {
	Dataset     string  `json:"dataset_id"`
	Version     int     `json:"version"`
	Fingerprint string  `json:"fingerprint"`
	Profile     Profile `json:"profile"`
}

// Profile returns the stored profile, of the named columns or of all.
// Faults: not_found, invalid (no such column).
func (s *Service) Profile(ctx context.Context, workspace, id string, columns []string) (Profiled, error) {
	_, v, err := s.latest(ctx, workspace, id)
	if err != nil {
		return Profiled{}, err
	}
	p := Profiled{Dataset: id, Version: v.Number, Fingerprint: v.Fingerprint, Profile: v.Profile}
	if len(columns) == 0 {
		return p, nil
	}
	p.Profile.Columns, err = choose(v.Profile.Columns, columns)
	return p, err
}

func choose(all []ColumnProfile, names []string) ([]ColumnProfile, error) {
	var chosen []ColumnProfile
	for i, name := range names {
		at := slices.IndexFunc(all, func(c ColumnProfile) bool { return c.Name == name })
		if at < 0 {
			return nil, fault.InvalidFields([]fault.Field{{Path: fmt.Sprintf("columns[%d]", i), Rule: "must be a column of the dataset"}})
		}
		chosen = append(chosen, all[at])
	}
	return chosen, nil
}
