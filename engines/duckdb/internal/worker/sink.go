package worker

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
)

// block gathers chunks until they are worth a write.
type block struct {
	out   io.Writer
	sinks []*sink
	width int // bytes of a row
	rows  int
	sent  int
}

func newBlock(out io.Writer, columns []datasets.ReadColumn) *block {
	b := &block{out: out}
	for _, c := range columns {
		s := &sink{as: c.As, width: 4}
		switch c.As {
		case datasets.AsFloat64:
			s.width = 8
		case datasets.AsLevels:
			s.codes = map[string]int32{}
		}
		b.sinks = append(b.sinks, s)
		b.width += s.width
	}
	return b
}

// take adds a chunk.
func (b *block) take(columns []*column, rows int) (bool, error) {
	for i, s := range b.sinks {
		s.take(columns[i], rows)
	}
	if b.rows += rows; b.rows < wire.BlockRows {
		return true, nil
	}
	return true, b.send()
}

func (b *block) send() error {
	if b.rows == 0 {
		return nil
	}
	if _, err := b.out.Write(binary.LittleEndian.AppendUint32(nil, uint32(b.rows))); err != nil {
		return err
	}
	for _, s := range b.sinks {
		if _, err := b.out.Write(s.buffer); err != nil {
			return err
		}
		s.buffer = s.buffer[:0]
	}
	b.sent += b.rows
	b.rows = 0
	return nil
}

// sink holds the values of one column of a block.
type sink struct {
	as     datasets.ReadAs
	width  int // bytes of a value
	buffer []byte
	codes  map[string]int32
	levels []string
}

func (s *sink) take(c *column, rows int) {
	start := len(s.buffer)
	s.buffer = slices.Grow(s.buffer, rows*s.width)[:start+rows*s.width]
	into := unsafe.Pointer(&s.buffer[start])
	switch s.as {
	case datasets.AsFloat32:
		takeNumbers(unsafe.Slice((*float32)(into), rows), c)
	case datasets.AsFloat64:
		takeNumbers(unsafe.Slice((*float64)(into), rows), c)
	default:
		s.takeLevels(unsafe.Slice((*int32)(into), rows), c)
	}
}

// takeNumbers converts a vector of numbers; one that is missing is NaN.
func takeNumbers[T float32 | float64](dst []T, c *column) {
	convert(dst, c)
	if c.valid == nil {
		return
	}
	for i := range dst {
		if c.null(i) {
			dst[i] = T(math.NaN())
		}
	}
}

// convert fills dst from a vector of numbers.
func convert[T float32 | float64](dst []T, c *column) {
	switch c.typ {
	case duck.TypeFloat:
		convertFrom[float32](dst, c.data)
	case duck.TypeDouble:
		convertFrom[float64](dst, c.data)
	case duck.TypeBoolean, duck.TypeUTinyInt:
		convertFrom[uint8](dst, c.data)
	case duck.TypeTinyInt:
		convertFrom[int8](dst, c.data)
	case duck.TypeSmallInt:
		convertFrom[int16](dst, c.data)
	case duck.TypeUSmallInt:
		convertFrom[uint16](dst, c.data)
	case duck.TypeInteger:
		convertFrom[int32](dst, c.data)
	case duck.TypeUInteger:
		convertFrom[uint32](dst, c.data)
	case duck.TypeUBigInt:
		convertFrom[uint64](dst, c.data)
	default:
		convertFrom[int64](dst, c.data)
	}
}

func convertFrom[S float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64, T float32 | float64](dst []T, data unsafe.Pointer) {
	src := unsafe.Slice((*S)(data), len(dst))
	for len(src) >= 4 && len(dst) >= 4 { // the compiler neither unrolls nor vectorises
		dst[0], dst[1], dst[2], dst[3] = T(src[0]), T(src[1]), T(src[2]), T(src[3])
		src, dst = src[4:], dst[4:]
	}
	for i := range min(len(src), len(dst)) {
		dst[i] = T(src[i])
	}
}

// takeLevels writes each value as its number in order of first appearance, or -1.
// A number that is NaN is missing.
func (s *sink) takeLevels(dst []int32, c *column) {
	var text []byte
	for i := range dst {
		dst[i] = -1
		if c.null(i) {
			continue
		}
		if text = c.appendText(text[:0], i); !isNaN(c, text) {
			dst[i] = s.code(text)
		}
	}
}

func isNaN(c *column, text []byte) bool {
	return (c.typ == duck.TypeFloat || c.typ == duck.TypeDouble) && string(text) == "NaN"
}

func (s *sink) code(text []byte) int32 {
	code, ok := s.codes[string(text)]
	if !ok {
		code = int32(len(s.levels))
		level := string(text)
		s.codes[level] = code
		s.levels = append(s.levels, level)
	}
	return code
}
