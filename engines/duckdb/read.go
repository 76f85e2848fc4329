package duckdb

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
)

// readName is the name that a table has in a child that reads columns.
const readName = "t"

// Read returns whole columns of one version, in row order. Columns come as raw
// numbers through a file that is shared with the child, not as JSON. Dates and
// timestamps read as float64 are seconds since 1970 in UTC; truth values are 0 and 1.
func (e *Engine) Read(ctx context.Context, r datasets.Read) (datasets.Frame, error) {
	boot, err := e.catalogue(r.Workspace, []datasets.Table{{Name: readName, Version: r.Version}})
	if err != nil {
		return datasets.Frame{}, err
	}
	e.cfg.limit(boot, e.cfg.Read)
	boot.Limits.File = uint64(e.cfg.MaxRead)
	request := wire.Request{Op: wire.OpRead, Read: &wire.ColumnRead{Columns: r.Columns, MaxBytes: e.cfg.MaxRead}}
	var frame datasets.Frame
	err = e.run(ctx, job{workspace: r.Workspace, profile: "read", boot: boot, request: request, timeout: e.cfg.Read.Timeout},
		func(p *process, a wire.Answer, _ []byte) error {
			frame, err = readFrame(p, a.Columns, r.Columns, e.cfg.MaxRead)
			if err != nil {
				p.spent = true
				return unavailable(err)
			}
			return nil
		})
	return frame, err
}

// readFrame takes the columns out of the shared file and empties it.
func readFrame(p *process, c *wire.Columns, asked []datasets.ReadColumn, most int64) (datasets.Frame, error) {
	if c == nil || c.Rows < 0 || len(c.Levels) != len(asked) {
		return datasets.Frame{}, fmt.Errorf("a child answered without columns")
	}
	if int64(c.Rows) > most/4 {
		return datasets.Frame{}, fmt.Errorf("a child answered with %d rows", c.Rows)
	}
	frame := datasets.Frame{Rows: c.Rows, Columns: make([]datasets.Series, len(asked))}
	offset := int64(0)
	for i, want := range asked {
		s := datasets.Series{Name: want.Name}
		var err error
		switch want.As {
		case datasets.AsFloat32:
			s.Float32, err = readValues[float32](p.bulk, &offset, c.Rows)
		case datasets.AsFloat64:
			s.Float64, err = readValues[float64](p.bulk, &offset, c.Rows)
		default:
			s.Codes, err = readValues[int32](p.bulk, &offset, c.Rows)
			if err == nil {
				s.Levels, err = readLevels(p.bulk, c.Levels[i], most)
			}
			if err == nil {
				err = sortLevels(&s)
			}
		}
		if err != nil {
			return datasets.Frame{}, fmt.Errorf("column %d: %w", i+1, err)
		}
		frame.Columns[i] = s
	}
	return frame, p.bulk.Truncate(0)
}

// readValues reads n numbers as they lie in the file, which is how they lie in
// memory: every machine that the engine runs on is little-endian.
func readValues[T float32 | float64 | int32](f io.ReaderAt, offset *int64, n int) ([]T, error) {
	values := make([]T, n)
	if n == 0 {
		return values, nil
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), n*int(unsafe.Sizeof(values[0])))
	if _, err := f.ReadAt(raw, *offset); err != nil {
		return nil, err
	}
	*offset += int64(len(raw))
	return values, nil
}

func readLevels(f io.ReaderAt, x wire.Extent, most int64) ([]string, error) {
	if x.Bytes < 0 || x.Bytes > most || x.Count < 0 || int64(x.Count) > x.Bytes {
		return nil, fmt.Errorf("levels of %d bytes", x.Bytes)
	}
	raw := make([]byte, x.Bytes)
	if _, err := f.ReadAt(raw, x.Offset); err != nil && len(raw) > 0 {
		return nil, err
	}
	levels := make([]string, 0, x.Count)
	for len(raw) >= 4 {
		n := int64(binary.LittleEndian.Uint32(raw))
		if n > int64(len(raw)-4) {
			return nil, fmt.Errorf("a level of %d bytes", n)
		}
		levels = append(levels, string(raw[4:4+n]))
		raw = raw[4+n:]
	}
	if len(raw) > 0 || len(levels) != x.Count {
		return nil, fmt.Errorf("%d levels, not %d", len(levels), x.Count)
	}
	return levels, nil
}

// sortLevels puts the levels into ascending byte order and renames the codes.
func sortLevels(s *datasets.Series) error {
	if len(s.Levels) > math.MaxInt32 {
		return fmt.Errorf("%d levels", len(s.Levels))
	}
	order := make([]int32, len(s.Levels))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case s.Levels[a] < s.Levels[b]:
			return -1
		case s.Levels[a] > s.Levels[b]:
			return 1
		}
		return 0
	})
	sorted, rank := make([]string, len(order)), make([]int32, len(order))
	for i, old := range order {
		sorted[i], rank[old] = s.Levels[old], int32(i)
	}
	for i, code := range s.Codes {
		if code < -1 || int(code) >= len(rank) {
			return fmt.Errorf("code %d of %d levels", code, len(rank))
		}
		if code >= 0 {
			s.Codes[i] = rank[code]
		}
	}
	s.Levels = sorted
	return nil
}
