package intake

import (
	"bytes"
	"io"

	"ambit/internal/fault"
)

// bom is the mark that some programs put before UTF-8 text.
const bom = "\ufeff"

// guard stands before the CSV reader, which keeps a record of any length in
// memory: it stops at a record that is too long, at a NUL, and skips a byte
// order mark.
type guard struct {
	in  io.Reader
	max int

	started bool
	handed  int64 // bytes given to the reader
	recent  int64 // offset at which the reader's present record starts
	lines   int64
}

// record tells the guard that the reader has come to the offset.
func (g *guard) record(offset int64) { g.recent = offset }

func (g *guard) Read(p []byte) (int, error) {
	if !g.started {
		g.started = true
		return g.first(p)
	}
	if g.handed-g.recent > int64(g.max) {
		return 0, fault.New(fault.Invalid, "Line %d is part of a row of more than %d bytes.", g.lines+1, g.max).
			WithFix("Shorten the row; if its text is not that long, look for a double quote that is never closed.")
	}
	n, err := g.in.Read(p[:min(len(p), 64<<10)])
	return n, g.pass(p[:n], err)
}

// first hands over the start of the file without the byte order mark.
func (g *guard) first(p []byte) (int, error) {
	head := make([]byte, len(bom))
	n, err := io.ReadFull(g.in, head)
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	if string(head[:n]) == bom {
		return 0, err
	}
	if n >= 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff) {
		return 0, fault.New(fault.Invalid, "The file is UTF-16 text.").WithFix("Save the file as UTF-8 and send it again.")
	}
	copy(p, head[:n])
	return n, g.pass(head[:n], err)
}

func (g *guard) pass(b []byte, err error) error {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		line := g.lines + int64(bytes.Count(b[:i], []byte("\n"))) + 1
		return fault.New(fault.Invalid, "Line %d holds a NUL byte.", line).WithFix("Send text, saved as UTF-8; this may be a binary file or UTF-16.")
	}
	g.handed += int64(len(b))
	g.lines += int64(bytes.Count(b, []byte("\n")))
	return err
}
