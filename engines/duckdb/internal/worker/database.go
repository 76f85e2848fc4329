package worker

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"
)

// engineError is an error in the engine's own words.
type engineError string

func (e engineError) Error() string { return string(e) }

// database is an open engine.
type database struct {
	handle duck.Database
}

func openDatabase() (*database, error) {
	var config duck.Config
	if duck.CreateConfig(&config) == duck.StateError {
		return nil, errors.New("no configuration")
	}
	defer duck.DestroyConfig(&config)
	d := &database{}
	var message string
	if duck.OpenExt(":memory:", &d.handle, config, &message) == duck.StateError {
		return nil, engineError(message)
	}
	return d, nil
}

// connection is a connection of its own: what one does in it no other sees.
type connection struct {
	handle duck.Connection
}

func (d *database) connect() (*connection, error) {
	c := &connection{}
	if duck.Connect(d.handle, &c.handle) == duck.StateError {
		return nil, errors.New("no connection")
	}
	return c, nil
}

func (c *connection) close()     { duck.Disconnect(&c.handle) }
func (c *connection) interrupt() { duck.Interrupt(c.handle) }

// exec runs a statement of ours.
func (c *connection) exec(sql string) error {
	var r duck.Result
	defer duck.DestroyResult(&r)
	if duck.Query(c.handle, sql, &r) == duck.StateError {
		return engineError(duck.ResultError(&r))
	}
	return nil
}

// prepare returns a statement of ours.
func (c *connection) prepare(sql string) (duck.PreparedStatement, error) {
	var p duck.PreparedStatement
	if duck.Prepare(c.handle, sql, &p) == duck.StateError {
		err := engineError(duck.PrepareError(p))
		duck.DestroyPrepare(&p)
		return p, err
	}
	return p, nil
}

// apply runs a prepared statement on one text and returns the one text that it makes.
func apply(p duck.PreparedStatement, argument string) (string, error) {
	if duck.BindVarcharLength(p, 1, argument, duck.IdxT(len(argument))) == duck.StateError {
		return "", engineError(duck.PrepareError(p))
	}
	var r duck.Result
	defer duck.DestroyResult(&r)
	if duck.ExecutePrepared(p, &r) == duck.StateError {
		return "", engineError(duck.ResultError(&r))
	}
	chunk := duck.FetchChunk(r)
	if chunk.Ptr == nil {
		return "", errors.New("no row")
	}
	defer duck.DestroyDataChunk(&chunk)
	vector := duck.DataChunkGetVector(chunk, 0)
	if !isValid((*uint64)(duck.VectorGetValidity(vector)), 0) {
		return "", errors.New("no text")
	}
	return string(textAt(duck.VectorGetData(vector), 0)), nil
}

// stream runs a statement and hands its chunks to each, in row order, until it
// returns false.
func (c *connection) stream(sql string, each func(columns []*column, rows int) (bool, error)) error {
	p, err := c.prepare(sql)
	if err != nil {
		return err
	}
	defer duck.DestroyPrepare(&p)
	return streamPrepared(p, each)
}

func streamPrepared(p duck.PreparedStatement, each func(columns []*column, rows int) (bool, error)) error {
	var r duck.Result
	defer duck.DestroyResult(&r)
	if duck.ExecutePreparedStreaming(p, &r) == duck.StateError {
		return engineError(duck.ResultError(&r))
	}
	columns, err := columnsOf(&r)
	if err != nil {
		return err
	}
	for {
		chunk := duck.FetchChunk(r)
		if chunk.Ptr == nil {
			if message := duck.ResultError(&r); message != "" {
				return engineError(message)
			}
			return nil
		}
		more, err := eachChunk(chunk, columns, each)
		if err != nil || !more {
			return err
		}
	}
}

func eachChunk(chunk duck.DataChunk, columns []*column, each func([]*column, int) (bool, error)) (bool, error) {
	defer duck.DestroyDataChunk(&chunk)
	rows := int(duck.DataChunkGetSize(chunk))
	if rows == 0 {
		return false, nil
	}
	for i, c := range columns {
		c.bind(duck.DataChunkGetVector(chunk, duck.IdxT(i)))
	}
	return each(columns, rows)
}

// quoteName writes a name so that the engine takes it as it is.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoteText writes a text so that the engine takes it as it is.
func quoteText(s string) string { return `'` + strings.ReplaceAll(s, `'`, `''`) + `'` }

// textAt returns text i of a vector of texts, in the engine's memory: it is good
// until the chunk is destroyed. The layout is duckdb_string_t: a length, then
// either up to 12 bytes in place, or 4 bytes of prefix and a pointer.
func textAt(data unsafe.Pointer, i int) []byte {
	entry := unsafe.Add(data, i*16)
	n := *(*uint32)(entry)
	if n <= 12 {
		return unsafe.Slice((*byte)(unsafe.Add(entry, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(entry, 8)), n)
}

// isValid reports whether value i of a vector with the mask is not NULL.
func isValid(mask *uint64, i int) bool {
	if mask == nil {
		return true
	}
	word := *(*uint64)(unsafe.Add(unsafe.Pointer(mask), i/64*8))
	return word&(1<<(i%64)) != 0
}

// oneRow returns the first row of a statement of ours, as texts; nil is NULL.
func (c *connection) oneRow(sql string) ([]*string, error) {
	var row []*string
	err := c.stream(sql, func(columns []*column, _ int) (bool, error) {
		for _, col := range columns {
			if col.null(0) {
				row = append(row, nil)
				continue
			}
			s := string(col.appendText(nil, 0))
			row = append(row, &s)
		}
		return false, nil
	})
	if err == nil && row == nil {
		err = fmt.Errorf("no row from %s", sql)
	}
	return row, err
}
