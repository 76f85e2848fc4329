package worker

import (
	"errors"
	"fmt"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/gate"
	"ambit/engines/duckdb/internal/intake"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// builtFile is the name of the built file in the output folder, and builtTable
// the table in it while it is attached for writing.
const (
	builtFile  = "built.duckdb"
	builtTable = "built.main." + TableName
)

// ingest builds the table of the booted source, profiles it and closes the file.
// Faults: invalid, too_large, memory, engine_unavailable.
func (w *worker) ingest(r wire.Ingest) (*wire.Ingested, error) {
	c, err := w.db.connect()
	if err != nil {
		return nil, err
	}
	limits := intake.Limits{Rows: r.MaxRows, Columns: r.MaxColumns, Line: r.MaxLine}
	var warnings []datasets.Warning
	var rows int64
	switch r.Format {
	case datasets.CSV:
		rows, warnings, err = buildCSV(c, w.boot.Source, limits)
	case datasets.Parquet:
		rows, err = buildParquet(c, w.boot.Source, limits)
	default:
		err = fault.New(fault.Invalid, "The format %q is not taken.", r.Format).WithFix("Send CSV or Parquet.")
	}
	if err != nil {
		return nil, intakeFault(err)
	}
	out, err := w.describe(rows)
	if err != nil {
		return nil, engineFault(err)
	}
	out.Warnings = append(warnings, out.Profile.Warnings...)
	out.Profile.Warnings = out.Warnings
	if err := c.exec("CHECKPOINT built"); err != nil {
		return nil, engineFault(err)
	}
	c.close()
	return out, w.finish()
}

// finish closes the engine, so that the file is whole and nothing is beside it.
func (w *worker) finish() error {
	if err := w.parser.exec("DETACH built"); err != nil {
		return fmt.Errorf("closing the built file: %w", err)
	}
	return nil
}

// intakeFault turns an error that was raised while a caller's file was read:
// what the engine says of it is the file's fault. Its errors of input and output
// are too, because a broken file has it read past the end.
func intakeFault(err error) error {
	var said engineError
	f := fault.From(engineFault(err))
	switch {
	case !errors.As(err, &said):
		return f
	case f.Code == fault.Memory:
		return fault.New(fault.Memory, "The file needs more memory than an upload may have.").
			WithFix("Split the file, or send fewer columns.").Because(err)
	}
	return fault.New(fault.Invalid, "The file cannot be read: %s", gate.Clean(string(said))).
		WithFix("Write the file again, or send it as CSV.").Because(err)
}

// buildParquet has the engine read the file, in file order, after its footer was checked.
func buildParquet(c *connection, path string, limits intake.Limits) (int64, error) {
	footer, err := intake.ReadFooter(path, limits)
	if err != nil {
		return 0, err
	}
	source := "read_parquet(" + quoteText(path) + ", hive_partitioning = false)"
	if err := storable(c, "SELECT * FROM "+source); err != nil {
		return 0, err
	}
	if err := c.exec("CREATE TABLE " + builtTable + " AS SELECT * FROM " + source); err != nil {
		return 0, err
	}
	row, err := c.oneRow("SELECT count(*) FROM " + builtTable)
	if err != nil {
		return 0, err
	}
	if *row[0] != fmt.Sprint(footer.Rows) {
		return 0, fault.New(fault.Invalid, "The Parquet file says it has %d rows, and has %s.", footer.Rows, *row[0]).WithFix("Write the file again.")
	}
	return footer.Rows, nil
}

// storable refuses columns of types that cannot be read back.
func storable(c *connection, sql string) error {
	p, err := c.prepare(sql)
	if err != nil {
		return err
	}
	defer duck.DestroyPrepare(&p)
	for i := range duck.PreparedStatementColumnCount(p) {
		t := duck.PreparedStatementColumnLogicalType(p, i)
		_, err := newColumn("", t)
		kind := typeName(t)
		duck.DestroyLogicalType(&t)
		if err != nil {
			name := duck.PreparedStatementColumnName(p, i)
			return fault.New(fault.Invalid, "Column %q has the type %s, which is not taken.", name, kind).
				With("column", name).WithFix("Write the column as text or numbers.")
		}
	}
	return nil
}
