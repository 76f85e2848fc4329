package worker

import (
	"encoding/binary"
	"fmt"
	"strings"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// readTable is the one table of a child that reads columns.
const readTable = "v0.main." + TableName

// read sends columns of the one attached table through the bulk pipe.
// Faults: invalid, too_large, timeout, memory, engine_unavailable.
func (w *worker) read(r wire.ColumnRead) error {
	c, err := w.db.connect()
	if err != nil {
		return err
	}
	defer c.close()
	row, err := c.oneRow("SELECT count(*) FROM " + readTable)
	if err != nil {
		return engineFault(err)
	}
	rows := int(count(row[0]))
	if size := int64(rows) * int64(newBlock(nil, r.Columns).width); size > r.MaxBytes {
		return fault.New(fault.TooLarge, "These columns have %d bytes; the limit is %d.", size, r.MaxBytes).WithFix("Read fewer columns.")
	}
	sql, err := readSQL(c, r.Columns)
	if err != nil {
		return engineFault(err)
	}
	if _, err := w.bulk.Write(binary.LittleEndian.AppendUint64(nil, uint64(rows))); err != nil {
		return err
	}
	if len(r.Columns) == 0 {
		return nil
	}
	return engineFault(sendColumns(c, sql, newBlock(w.bulk, r.Columns), rows))
}

// sendColumns sends every row, then the levels.
func sendColumns(c *connection, sql string, b *block, rows int) error {
	if err := c.stream(sql, b.take); err != nil {
		return err
	}
	if err := b.send(); err != nil {
		return err
	}
	if b.sent != rows {
		return fmt.Errorf("read %d rows of %d", b.sent, rows)
	}
	for _, s := range b.sinks {
		if s.as != datasets.AsLevels {
			continue
		}
		if err := wire.WriteLevels(b.out, s.levels); err != nil {
			return err
		}
	}
	return nil
}

// readSQL selects the columns in their forms.
func readSQL(c *connection, columns []datasets.ReadColumn) (string, error) {
	fields, err := fieldsOf(c, "SELECT * FROM "+readTable)
	if err != nil {
		return "", err
	}
	byName := map[string]field{}
	for _, f := range fields {
		byName[f.name] = f
	}
	list := make([]string, len(columns))
	for i, want := range columns {
		f, ok := byName[want.Name]
		if !ok {
			return "", fault.New(fault.Invalid, "There is no column %q.", want.Name).With("column", want.Name)
		}
		if list[i], err = formSQL(f, want.As); err != nil {
			return "", err
		}
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + readTable, nil
}

// formSQL writes a column in the form that is asked for. Dates and timestamps
// read as float64 are seconds since 1970 in UTC; float32 is too coarse for them.
func formSQL(f field, as datasets.ReadAs) (string, error) {
	numeric := f.form() == wholeForm || f.form() == floatForm || f.typ == duck.TypeBoolean
	switch {
	case as == datasets.AsLevels && f.form() != otherForm:
		return quoteName(f.name), nil
	case as == datasets.AsFloat64 && numeric, as == datasets.AsFloat32 && numeric && !f.isMoment():
		if f.isNative() {
			return quoteName(f.name), nil
		}
		return numberSQL(f), nil
	}
	return "", fault.New(fault.Invalid, "Column %q of type %s cannot be read as %s.", f.name, f.kind, as).
		With("column", f.name).WithFix("Read texts as levels, and dates as float64 or levels.")
}

// isNative reports whether the values lie in memory as numbers of Go, which are
// converted here: several times faster than a cast of the engine, which also
// fails where a float32 would be infinite.
func (f field) isNative() bool {
	switch f.typ {
	case duck.TypeBoolean, duck.TypeTinyInt, duck.TypeSmallInt, duck.TypeInteger, duck.TypeBigInt, duck.TypeUTinyInt, duck.TypeUSmallInt,
		duck.TypeUInteger, duck.TypeUBigInt, duck.TypeFloat, duck.TypeDouble:
		return true
	}
	return false
}

// numberSQL writes a column as DOUBLE.
func numberSQL(f field) string {
	name := quoteName(f.name)
	if f.isMoment() {
		return "epoch(" + name + ")::DOUBLE"
	}
	return "CAST(" + name + " AS DOUBLE)"
}
