package duckdb

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
)

// readName is the name that a table has in a child that reads columns.
const readName = "t"

// Read returns whole columns of one version, in row order. Columns come as raw
// numbers through a pipe of their own, while the child reads, and not as JSON.
// Dates and timestamps read as float64 are seconds since 1970 in UTC; truth
// values are 0 and 1.
func (e *Engine) Read(ctx context.Context, r datasets.Read) (datasets.Frame, error) {
	boot, err := e.catalogue(r.Workspace, []datasets.Table{{Name: readName, Version: r.Version}})
	if err != nil {
		return datasets.Frame{}, err
	}
	e.cfg.limit(boot, e.cfg.Read)
	boot.Limits.Threads = 1 // one consumer takes the rows in order: more threads cost more and gain nothing
	request := wire.Request{Op: wire.OpRead, Read: &wire.ColumnRead{Columns: r.Columns, MaxBytes: e.cfg.MaxRead}}
	var frame datasets.Frame
	bulk := func(in io.Reader) (err error) {
		frame, err = readFrame(in, r.Columns, e.cfg.MaxRead)
		return err
	}
	_, _, err = e.run(ctx, job{workspace: r.Workspace, profile: "read", boot: boot, request: request, timeout: e.cfg.Read.Timeout, bulk: bulk})
	if err != nil {
		return datasets.Frame{}, err
	}
	return frame, nil
}

// readFrame takes columns out of the bulk pipe, at most the given bytes of them.
func readFrame(in io.Reader, asked []datasets.ReadColumn, most int64) (datasets.Frame, error) {
	r := bufio.NewReaderSize(in, 256<<10)
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return datasets.Frame{}, err
	}
	rows := binary.LittleEndian.Uint64(head[:])
	if rows > uint64(most)/4/uint64(max(1, len(asked))) {
		return datasets.Frame{}, fmt.Errorf("a child sends %d rows", rows)
	}
	frame := newFrame(asked, int(rows))
	if len(asked) == 0 {
		return frame, nil
	}
	if err := readBlocks(r, frame); err != nil {
		return frame, err
	}
	for i := range frame.Columns {
		if s := &frame.Columns[i]; s.Codes != nil {
			if err := readLevels(r, s, most); err != nil {
				return frame, fmt.Errorf("levels of column %d: %w", i+1, err)
			}
		}
	}
	return frame, nil
}

// readBlocks takes blocks until every row is there.
func readBlocks(r io.Reader, frame datasets.Frame) error {
	for done := 0; done < frame.Rows; {
		n, err := wire.ReadUint32(r)
		if err != nil {
			return err
		}
		if n == 0 || int64(n) > int64(frame.Rows-done) {
			return fmt.Errorf("a block of %d rows after %d of %d", n, done, frame.Rows)
		}
		for i := range frame.Columns {
			if _, err := io.ReadFull(r, valuesOf(&frame.Columns[i], done, int(n))); err != nil {
				return err
			}
		}
		done += int(n)
	}
	return nil
}

func newFrame(asked []datasets.ReadColumn, rows int) datasets.Frame {
	frame := datasets.Frame{Rows: rows, Columns: make([]datasets.Series, len(asked))}
	for i, want := range asked {
		s := &frame.Columns[i]
		s.Name = want.Name
		switch want.As {
		case datasets.AsFloat32:
			s.Float32 = make([]float32, rows)
		case datasets.AsFloat64:
			s.Float64 = make([]float64, rows)
		default:
			s.Codes = make([]int32, rows)
		}
	}
	return frame
}

// valuesOf returns the memory of some rows of a column.
func valuesOf(s *datasets.Series, first, n int) []byte {
	switch {
	case s.Float32 != nil:
		return wire.Bytes(s.Float32[first : first+n])
	case s.Float64 != nil:
		return wire.Bytes(s.Float64[first : first+n])
	}
	return wire.Bytes(s.Codes[first : first+n])
}

// readLevels takes the levels of a column, puts them into ascending byte order
// and renames the codes.
func readLevels(r io.Reader, s *datasets.Series, most int64) error {
	levels, err := wire.ReadLevels(r, most)
	if err != nil {
		return err
	}
	s.Levels = slices.Compact(slices.Sorted(slices.Values(levels)))
	rank := make([]int32, len(levels))
	for i, level := range levels {
		at, _ := slices.BinarySearch(s.Levels, level)
		rank[i] = int32(at)
	}
	for i, code := range s.Codes {
		if code < -1 || int(code) >= len(rank) {
			return fmt.Errorf("code %d of %d levels", code, len(rank))
		}
		if code >= 0 {
			s.Codes[i] = rank[code]
		}
	}
	return nil
}
