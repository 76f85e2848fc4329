package worker

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/intake"
)

// buildCSV checks the file, decides its types, and hands its values to the
// engine as they are read: the engine's own CSV reader has no part in it.
func buildCSV(c *connection, path string, limits intake.Limits) (int64, []datasets.Warning, error) {
	sheet, err := intake.Open(path, limits)
	if err != nil {
		return 0, nil, err
	}
	fields := make([]string, len(sheet.Columns))
	for i, col := range sheet.Columns {
		fields[i] = quoteName(col.Name) + " " + col.Kind.SQL()
	}
	if err := c.exec("CREATE TABLE " + builtTable + " (" + strings.Join(fields, ", ") + ")"); err != nil {
		return 0, nil, err
	}
	a, err := newAppender(c, sheet.Columns)
	if err != nil {
		return 0, nil, err
	}
	defer a.destroy()
	if err := sheet.Each(a.add); err != nil {
		return 0, nil, err
	}
	return sheet.Rows, sheet.Warnings, a.close()
}

// appender writes rows into the built table, a chunk at a time.
type appender struct {
	columns []intake.Column
	handle  duck.Appender
	types   []duck.LogicalType
	chunk   duck.DataChunk
	cells   []cells
	rows    int
	size    int
}

// cells is a vector of the present chunk.
type cells struct {
	vector duck.Vector
	data   unsafe.Pointer
	valid  unsafe.Pointer
}

var kindTypes = map[intake.Kind]duck.Type{
	intake.Text: duck.TypeVarchar, intake.Integer: duck.TypeBigInt, intake.Float: duck.TypeDouble,
	intake.Boolean: duck.TypeBoolean, intake.Date: duck.TypeDate, intake.Timestamp: duck.TypeTimestamp,
}

func newAppender(c *connection, columns []intake.Column) (*appender, error) {
	a := &appender{columns: columns, cells: make([]cells, len(columns)), size: int(duck.VectorSize())}
	if duck.AppenderCreateExt(c.handle, "built", "main", TableName, &a.handle) == duck.StateError {
		err := engineError(duck.AppenderError(a.handle))
		duck.AppenderDestroy(&a.handle)
		return nil, err
	}
	for _, col := range columns {
		a.types = append(a.types, duck.CreateLogicalType(kindTypes[col.Kind]))
	}
	a.chunk = duck.CreateDataChunk(a.types)
	a.renew()
	return a, nil
}

// renew empties the chunk and finds its memory.
func (a *appender) renew() {
	duck.DataChunkReset(a.chunk)
	a.rows = 0
	for i := range a.cells {
		v := duck.DataChunkGetVector(a.chunk, duck.IdxT(i))
		duck.VectorEnsureValidityWritable(v)
		a.cells[i] = cells{vector: v, data: duck.VectorGetData(v), valid: duck.VectorGetValidity(v)}
		words := unsafe.Slice((*uint64)(a.cells[i].valid), (a.size+63)/64)
		for w := range words {
			words[w] = math.MaxUint64
		}
	}
}

func (a *appender) add(fields []string) error {
	for i, f := range fields {
		if err := a.set(i, f); err != nil {
			return err
		}
	}
	if a.rows++; a.rows < a.size {
		return nil
	}
	return a.flush()
}

func (a *appender) flush() error {
	if a.rows == 0 {
		return nil
	}
	duck.DataChunkSetSize(a.chunk, duck.IdxT(a.rows))
	if duck.AppendDataChunk(a.handle, a.chunk) == duck.StateError {
		return engineError(duck.AppenderError(a.handle))
	}
	a.renew()
	return nil
}

func (a *appender) close() error {
	if err := a.flush(); err != nil {
		return err
	}
	if duck.AppenderClose(a.handle) == duck.StateError {
		return engineError(duck.AppenderError(a.handle))
	}
	return nil
}

func (a *appender) destroy() {
	duck.DestroyDataChunk(&a.chunk)
	for i := range a.types {
		duck.DestroyLogicalType(&a.types[i])
	}
	duck.AppenderDestroy(&a.handle)
}

// set writes a field into its cell of the present row.
func (a *appender) set(i int, field string) error {
	c, kind := &a.cells[i], a.columns[i].Kind
	if kind.IsMissing(field) {
		word := (*uint64)(unsafe.Add(c.valid, a.rows/64*8))
		*word &^= 1 << (a.rows % 64)
		return nil
	}
	if kind == intake.Text {
		c.setText(a.rows, field)
		return nil
	}
	if err := c.setValue(a.rows, kind, intake.Trim(field)); err != nil {
		return fmt.Errorf("column %d was typed over all rows, but %w", i+1, err)
	}
	return nil
}

// setText keeps short texts in place, as the engine does, and so saves a call for each.
func (c *cells) setText(row int, s string) {
	if len(s) > 12 {
		duck.UnsafeVectorAssignStringElementLen(c.vector, duck.IdxT(row), unsafe.Slice(unsafe.StringData(s), len(s)))
		return
	}
	entry := unsafe.Add(c.data, row*16)
	*(*[16]byte)(entry) = [16]byte{}
	*(*uint32)(entry) = uint32(len(s))
	copy(unsafe.Slice((*byte)(unsafe.Add(entry, 4)), 12), s)
}

func (c *cells) setValue(row int, kind intake.Kind, s string) error {
	switch kind {
	case intake.Integer:
		n, err := strconv.ParseInt(s, 10, 64)
		put(c, row, n)
		return err
	case intake.Float:
		f, err := strconv.ParseFloat(s, 64)
		put(c, row, f)
		return err
	case intake.Boolean:
		put(c, row, s[0] == 't' || s[0] == 'T')
		return nil
	}
	t, err := intake.Moment(s)
	if kind == intake.Date {
		put(c, row, int32(t.Unix()/secondsADay)) // midnight: the division is exact
		return err
	}
	put(c, row, t.UnixMicro())
	return err
}

func put[T any](c *cells, row int, value T) {
	*(*T)(unsafe.Add(c.data, row*int(unsafe.Sizeof(value)))) = value
}
