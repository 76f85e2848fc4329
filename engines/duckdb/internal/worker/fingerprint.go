package worker

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"

	"ambit/datasets"
)

// digest is the fingerprint of a table in the making: the same for the same rows
// in any order, another if one value differs.
//
// It is the SHA-256 of three lines: the JSON array of "name:type" in column
// order, the number of rows, and, in hexadecimal, the sum over all rows, modulo
// 2^128, of the SHA-256 of the row's canonical text read as a big-endian number.
type digest struct {
	high, low uint64
	rows      int64
	heads     []uint64 // of each row's hash, to count equal rows
}

func (d *digest) add(row []byte) {
	sum := sha256.Sum256(row)
	var carry uint64
	d.low, carry = bits.Add64(d.low, binary.BigEndian.Uint64(sum[24:]), 0)
	d.high, _ = bits.Add64(d.high, binary.BigEndian.Uint64(sum[16:]), carry)
	d.rows++
	d.heads = append(d.heads, binary.BigEndian.Uint64(sum[:]))
}

// fingerprint returns the finished fingerprint, "sha256:<hex>".
func (d *digest) fingerprint(columns []datasets.Column) (string, error) {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name + ":" + c.Type
	}
	head, err := json.Marshal(names)
	if err != nil {
		return "", fmt.Errorf("encoding the columns: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(head, "\n%d\n%016x%016x", d.rows, d.high, d.low))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// duplicates returns the number of rows beyond the first of each set of equal
// rows. Rows whose hashes agree in 64 bits count as equal.
func (d *digest) duplicates() int64 {
	slices.Sort(d.heads)
	var n int64
	for i := 1; i < len(d.heads); i++ {
		if d.heads[i] == d.heads[i-1] {
			n++
		}
	}
	return n
}

// digestTable reads the built table once.
func digestTable(c *connection, rows int64) (*digest, error) {
	d := &digest{heads: make([]uint64, 0, rows)}
	e := &encoder{canonical: true}
	var row []byte
	err := c.stream("SELECT * FROM "+builtTable, func(columns []*column, n int) (bool, error) {
		for i := range n {
			row = e.row(row[:0], columns, i)
			d.add(row)
		}
		return true, nil
	})
	if err == nil && d.rows != rows {
		err = fmt.Errorf("the built table has %d rows, not %d", d.rows, rows)
	}
	return d, err
}
