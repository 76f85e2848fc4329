package intake

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"ambit/internal/fault"
)

// maxFooter bounds the footer of a Parquet file, in bytes.
const maxFooter = 32 << 20

// Footer is what the end of a Parquet file says about it.
type Footer struct {
	Columns []string
	Rows    int64
}

// ReadFooter reads and checks the footer of a Parquet file; nothing else of it is read.
// Faults: invalid, too_large.
func ReadFooter(path string, limit Limits) (*Footer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the upload: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the upload: %w", err)
	}
	if err := checkMagic(f, info.Size()); err != nil {
		return nil, err
	}
	meta, err := parse(f, info.Size())
	if err != nil {
		return nil, notParquet().Because(err)
	}
	return check(meta, limit)
}

// checkMagic refuses a file without the marks of Parquet, or with a footer that
// cannot be: the reader would take its length on trust.
func checkMagic(f io.ReaderAt, size int64) error {
	if size < 12 {
		return notParquet()
	}
	var head [4]byte
	var tail [8]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("reading the upload: %w", err)
	}
	if _, err := f.ReadAt(tail[:], size-8); err != nil {
		return fmt.Errorf("reading the upload: %w", err)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	if string(head[:]) != "PAR1" || string(tail[4:]) != "PAR1" || length > size-12 {
		return notParquet()
	}
	if length > maxFooter {
		return fault.New(fault.Invalid, "The footer of the Parquet file has %d bytes; the limit is %d.", length, maxFooter).
			WithFix("Write the file with fewer columns or larger row groups.")
	}
	return nil
}

// parse returns the footer. The library panics on some broken footers.
func parse(f io.ReaderAt, size int64) (meta *parquet.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the footer's reader failed: %v", r)
		}
	}()
	return parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

func check(file *parquet.File, limit Limits) (*Footer, error) {
	meta := file.Metadata()
	footer := &Footer{Rows: meta.NumRows}
	for _, c := range file.Root().Columns() {
		footer.Columns = append(footer.Columns, c.Name())
	}
	var rows int64
	for _, g := range meta.RowGroups {
		if g.NumRows < 0 || rows+g.NumRows < rows {
			return nil, notParquet()
		}
		rows += g.NumRows
	}
	switch {
	case rows != meta.NumRows:
		return nil, fault.New(fault.Invalid, "The Parquet file says it has %d rows, and its parts have %d.", meta.NumRows, rows).WithFix("Write the file again.")
	case rows == 0:
		return nil, fault.New(fault.Invalid, "The file has no rows.").WithFix("Send a file with at least one row.")
	case rows > limit.Rows:
		return nil, fault.New(fault.TooLarge, "The file has %d rows; the limit is %d.", rows, limit.Rows).WithFix("Split the file, or sample it.")
	case len(meta.Schema)-1 > limit.Columns:
		return nil, fault.New(fault.Invalid, "The file has %d columns, nested ones included; the limit is %d.", len(meta.Schema)-1, limit.Columns).
			WithFix("Send fewer columns.")
	}
	return footer, CheckNames(footer.Columns, limit.Columns)
}

func notParquet() *fault.Fault {
	return fault.New(fault.Invalid, "The file is not a readable Parquet file.").WithFix("Write the file again, or send it as CSV.")
}
