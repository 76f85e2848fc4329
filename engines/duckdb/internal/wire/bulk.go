package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"unsafe"
)

// The bulk pipe carries the columns of one read from a child to its parent, while
// the child is still reading: first the number of rows, 8 bytes; then blocks, each
// its number of rows, 4 bytes, and for each column that many values, one after
// another; then, for each column read as levels, their number, 4 bytes, and each
// with its length, 4 bytes, before it. Codes are in order of first appearance.
// Numbers are little-endian, as they lie in the memory of every machine that the
// engine runs on.

// BlockRows is the number of rows in a block that is not the last: few enough that
// a block of many columns stays in a core's cache.
const BlockRows = 2 * 2048

// Value is a form of a value in the pipe.
type Value interface{ float32 | float64 | int32 }

// Bytes returns the memory of values.
func Bytes[T Value](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

// WriteLevels writes the levels of a column.
func WriteLevels(w io.Writer, levels []string) error {
	if err := binary.Write(w, binary.LittleEndian, uint32(len(levels))); err != nil {
		return err
	}
	var buffer []byte
	for _, level := range levels {
		buffer = append(binary.LittleEndian.AppendUint32(buffer, uint32(len(level))), level...)
		if len(buffer) > 64<<10 {
			if _, err := w.Write(buffer); err != nil {
				return err
			}
			buffer = buffer[:0]
		}
	}
	_, err := w.Write(buffer)
	return err
}

// ReadLevels reads the levels of a column, at most the given bytes of them.
func ReadLevels(r io.Reader, most int64) ([]string, error) {
	count, err := ReadUint32(r)
	if err != nil {
		return nil, err
	}
	levels := []string{}
	for range count {
		n, err := ReadUint32(r)
		if err != nil {
			return nil, err
		}
		if most -= int64(n) + 4; most < 0 {
			return nil, fmt.Errorf("levels of more bytes than there may be")
		}
		level := make([]byte, n)
		if _, err := io.ReadFull(r, level); err != nil {
			return nil, err
		}
		levels = append(levels, string(level))
	}
	return levels, nil
}

// ReadUint32 reads a number of rows, levels or bytes.
func ReadUint32(r io.Reader) (uint32, error) {
	var raw [4]byte
	_, err := io.ReadFull(r, raw[:])
	return binary.LittleEndian.Uint32(raw[:]), err
}
