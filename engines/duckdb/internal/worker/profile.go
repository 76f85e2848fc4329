package worker

import (
	"errors"
	"fmt"
	"sync"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
)

// describe fingerprints and profiles the built table.
func (w *worker) describe(rows int64) (*wire.Ingested, error) {
	c, err := w.db.connect()
	if err != nil {
		return nil, err
	}
	defer c.close()
	fields, err := fieldsOf(c, "SELECT * FROM "+builtTable)
	if err != nil {
		return nil, err
	}
	p := datasets.Profile{Rows: rows}
	var digest *digest
	var unread error
	var group sync.WaitGroup
	group.Go(func() { digest, unread = digestTable(c, rows) }) // one thread's work, beside the columns'
	p.Columns, err = w.profileColumns(fields, rows)
	group.Wait()
	if err := errors.Join(err, unread); err != nil {
		return nil, err
	}
	p.DuplicateRows = digest.duplicates()
	if p.Pairs, err = pairs(c, p.Columns, fields, rows); err != nil {
		return nil, err
	}
	p.Warnings = warnings(p)
	out := &wire.Ingested{File: builtFile, Profile: p}
	for _, col := range p.Columns {
		out.Columns = append(out.Columns, datasets.Column{Name: col.Name, Type: col.Type, Semantic: col.Semantic})
	}
	out.Fingerprint, err = digest.fingerprint(out.Columns)
	return out, err
}

// field is a column of a table.
type field struct {
	name string
	kind string // the engine's name of the type
	typ  duck.Type
}

// fieldsOf returns the columns of a statement of ours.
func fieldsOf(c *connection, sql string) ([]field, error) {
	p, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer duck.DestroyPrepare(&p)
	fields := make([]field, duck.PreparedStatementColumnCount(p))
	for i := range fields {
		t := duck.PreparedStatementColumnLogicalType(p, duck.IdxT(i))
		fields[i] = field{name: duck.PreparedStatementColumnName(p, duck.IdxT(i)), kind: typeName(t), typ: duck.GetTypeId(t)}
		duck.DestroyLogicalType(&t)
	}
	return fields, nil
}

// profileColumns profiles the columns, one on each of the engine's threads at a time.
func (w *worker) profileColumns(fields []field, rows int64) ([]datasets.ColumnProfile, error) {
	out := make([]datasets.ColumnProfile, len(fields))
	errs := make([]error, len(fields))
	next := make(chan int)
	var group sync.WaitGroup
	for range max(1, w.boot.Limits.Threads) {
		group.Go(func() {
			for i := range next {
				out[i], errs[i] = w.profileColumn(fields[i], rows)
			}
		})
	}
	for i := range fields {
		next <- i
	}
	close(next)
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("profiling column %d: %w", i+1, err)
		}
	}
	return out, nil
}

func (w *worker) profileColumn(f field, rows int64) (datasets.ColumnProfile, error) {
	p := datasets.ColumnProfile{Name: f.name, Type: f.kind}
	c, err := w.db.connect()
	if err != nil {
		return p, err
	}
	defer c.close()
	switch f.form() {
	case wholeForm:
		err = profileNumbers[int64](c, f, &p)
	case floatForm:
		err = profileNumbers[float64](c, f, &p)
	case textForm:
		err = profileTexts(c, f, &p)
	default:
		err = profileOther(c, f, &p)
	}
	p.Unique = rows > 0 && p.Distinct == rows && p.Missing == 0
	p.Semantic = semantic(p, f, rows)
	return p, err
}

// form is how the values of a column are profiled.
type form int

const (
	otherForm form = iota
	wholeForm      // as whole numbers: integers, dates, timestamps
	floatForm      // as numbers with a fraction
	textForm       // as texts
)

func (f field) form() form {
	switch f.typ {
	case duck.TypeTinyInt, duck.TypeSmallInt, duck.TypeInteger, duck.TypeBigInt, duck.TypeUTinyInt, duck.TypeUSmallInt, duck.TypeUInteger,
		duck.TypeDate, duck.TypeTimestamp, duck.TypeTimestampS, duck.TypeTimestampMS, duck.TypeTimestampNS, duck.TypeTimestampTZ:
		return wholeForm
	case duck.TypeFloat, duck.TypeDouble, duck.TypeDecimal, duck.TypeUBigInt, duck.TypeHugeInt, duck.TypeUHugeInt:
		return floatForm
	case duck.TypeVarchar, duck.TypeBoolean, duck.TypeEnum, duck.TypeUUID, duck.TypeTime, duck.TypeTimeNS, duck.TypeInterval:
		return textForm
	}
	return otherForm
}

// isMoment reports whether the column holds dates or timestamps.
func (f field) isMoment() bool {
	switch f.typ {
	case duck.TypeDate, duck.TypeTimestamp, duck.TypeTimestampS, duck.TypeTimestampMS, duck.TypeTimestampNS, duck.TypeTimestampTZ:
		return true
	}
	return false
}

// profileOther counts what can be counted of lists, structs and bytes.
func profileOther(c *connection, f field, p *datasets.ColumnProfile) error {
	name := quoteName(f.name)
	row, err := c.oneRow(fmt.Sprintf("SELECT count(*) - count(%s), approx_count_distinct(%s) FROM %s", name, name, builtTable))
	if err != nil {
		return err
	}
	p.Missing, p.Distinct = count(row[0]), count(row[1])
	return nil
}
