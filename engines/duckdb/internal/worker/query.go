package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/gate"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// interruptEvery is how often a statement that is over its time is interrupted:
// one interrupt can be lost between two steps of the engine.
const interruptEvery = 20 * time.Millisecond

// query checks a statement and runs what it says, on a connection of its own.
// Faults: those of the gate, invalid, timeout, memory, engine_unavailable, too_large.
func (w *worker) query(q wire.Query) (*wire.RowSet, []byte, error) {
	if err := gate.Precheck(q.SQL); err != nil {
		return nil, nil, err
	}
	c, err := w.db.connect()
	if err != nil {
		return nil, nil, err
	}
	defer c.close()
	over := w.watch(q.Timeout, c, w.parser)
	set, body, err := w.run(q, c)
	if over() && err != nil {
		err = timedOut()
	}
	return set, body, engineFault(err)
}

// watch interrupts the connections from the deadline on, or from a cancel, until
// the returned function is called, which says whether it had to.
func (w *worker) watch(limit time.Duration, connections ...*connection) (stop func() bool) {
	done, ended := make(chan struct{}), make(chan bool)
	cancelled := w.cancel.raised()
	go func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-done:
			ended <- false
			return
		case <-timer.C:
		case <-cancelled:
		}
		tick := time.NewTicker(interruptEvery)
		defer tick.Stop()
		for {
			for _, c := range connections {
				c.interrupt()
			}
			select {
			case <-done:
				ended <- true
				return
			case <-tick.C:
			}
		}
	}()
	return func() bool { close(done); return <-ended }
}

func (w *worker) run(q wire.Query, c *connection) (*wire.RowSet, []byte, error) {
	canonical, err := w.restate(q.SQL)
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	p, err := prepareSelect(c, fmt.Sprintf("SELECT * FROM (%s) AS q LIMIT %d", canonical, q.MaxRows+1))
	if err != nil {
		return nil, nil, err
	}
	defer duck.DestroyPrepare(&p)
	r := &rowReader{maxRows: q.MaxRows, maxBytes: q.MaxBytes}
	if err := streamPrepared(p, r.chunk); err != nil {
		return nil, nil, err
	}
	digest := sha256.Sum256([]byte(canonical))
	return &wire.RowSet{
		Columns: resultColumns(p), HasMore: r.more, Nonfinite: r.encoder.nonfinite,
		ElapsedMS: float64(time.Since(start).Microseconds()) / 1000, QueryHash: hex.EncodeToString(digest[:]),
	}, r.body, nil
}

// restate returns the text that is run: made by the engine from the checked
// tree, and parsed back to see that it says the same.
func (w *worker) restate(sql string) (string, error) {
	tree, err := apply(w.serialize, sql)
	if err != nil {
		return "", err
	}
	checked, err := w.catalogue.Check([]byte(tree))
	if err != nil {
		return "", err
	}
	canonical, err := apply(w.deserialize, string(checked))
	if err != nil {
		return "", gate.Inexact().Because(err)
	}
	again, err := apply(w.serialize, canonical)
	if err != nil {
		return "", err
	}
	if err := gate.Same(checked, []byte(again)); err != nil {
		return "", gate.Inexact().Because(err)
	}
	return canonical, nil
}

// prepareSelect prepares a text that must be one SELECT.
func prepareSelect(c *connection, sql string) (duck.PreparedStatement, error) {
	var none duck.PreparedStatement
	var statements duck.ExtractedStatements
	n := duck.ExtractStatements(c.handle, sql, &statements)
	defer duck.DestroyExtracted(&statements)
	if n != 1 {
		return none, fmt.Errorf("%d statements: %s", n, duck.ExtractStatementsError(statements))
	}
	var p duck.PreparedStatement
	if duck.PrepareExtractedStatement(c.handle, statements, 0, &p) == duck.StateError {
		err := engineError(duck.PrepareError(p))
		duck.DestroyPrepare(&p)
		return none, err
	}
	if duck.PreparedStatementType(p) != duck.StatementTypeSelect {
		duck.DestroyPrepare(&p)
		return none, errors.New("not a SELECT")
	}
	return p, nil
}

func resultColumns(p duck.PreparedStatement) []datasets.ResultColumn {
	columns := make([]datasets.ResultColumn, duck.PreparedStatementColumnCount(p))
	for i := range columns {
		t := duck.PreparedStatementColumnLogicalType(p, duck.IdxT(i))
		columns[i] = datasets.ResultColumn{Name: duck.PreparedStatementColumnName(p, duck.IdxT(i)), Type: typeName(t)}
		duck.DestroyLogicalType(&t)
	}
	return columns
}

// rowReader encodes rows until a limit is reached.
type rowReader struct {
	maxRows, maxBytes int

	encoder encoder
	body    []byte
	row     []byte
	rows    int
	more    bool
}

func (r *rowReader) chunk(columns []*column, rows int) (bool, error) {
	for i := range rows {
		if r.rows == r.maxRows {
			r.more = true
			return false, nil
		}
		r.row = r.encoder.row(r.row[:0], columns, i)
		if len(r.body)+len(r.row)+4 > r.maxBytes {
			if r.rows == 0 {
				return false, fault.New(fault.TooLarge, "The first row is larger than the %d bytes that an answer may have.", r.maxBytes).
					WithFix("Select fewer columns, or shorten long texts and lists.")
			}
			r.more = true
			return false, nil
		}
		r.body = wire.AppendRow(r.body, r.row)
		r.rows++
	}
	return true, nil
}
