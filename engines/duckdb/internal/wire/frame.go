// Package wire is the language between the server and its engine children:
// frames over pipes, a JSON message in each, and a body of raw bytes where a
// message announces one.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Frame bounds, in bytes. A child that has been taken over can send what it
// likes, so the server never reads more than this for one answer.
const (
	MaxMessage = 8 << 20
	MaxBody    = 16 << 20
)

// Write sends a message and, if body is not empty, the body that follows it.
func Write(w io.Writer, message any, body []byte) error {
	text, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encoding a frame: %w", err)
	}
	if len(text) > MaxMessage || len(body) > MaxBody {
		return fmt.Errorf("frame of %d+%d bytes is over the bound", len(text), len(body))
	}
	frame := make([]byte, 8, 8+len(text)+len(body))
	binary.LittleEndian.PutUint32(frame, uint32(len(text)))
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(body)))
	frame = append(append(frame, text...), body...)
	_, err = w.Write(frame)
	return err
}

// Read receives what Write sent. Unknown members of the message are ignored:
// both ends are the same program.
func Read(r io.Reader, message any) (body []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n, m := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if n > MaxMessage || m > MaxBody {
		return nil, fmt.Errorf("frame of %d+%d bytes is over the bound", n, m)
	}
	frame := make([]byte, int(n)+int(m))
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, fmt.Errorf("reading a frame: %w", err)
	}
	if err := json.Unmarshal(frame[:n], message); err != nil {
		return nil, fmt.Errorf("decoding a frame: %w", err)
	}
	return frame[n:], nil
}

// AppendRow adds a row to a body of rows.
func AppendRow(body, row []byte) []byte {
	body = binary.LittleEndian.AppendUint32(body, uint32(len(row)))
	return append(body, row...)
}

// Rows splits a body of rows. The rows share the body's memory.
func Rows(body []byte) ([]json.RawMessage, error) {
	rows := []json.RawMessage{}
	for len(body) > 0 {
		if len(body) < 4 {
			return nil, fmt.Errorf("rows end in the middle of a length")
		}
		n := binary.LittleEndian.Uint32(body)
		body = body[4:]
		if uint64(n) > uint64(len(body)) {
			return nil, fmt.Errorf("row of %d bytes in a body of %d", n, len(body))
		}
		rows = append(rows, json.RawMessage(body[:n:n]))
		body = body[n:]
	}
	return rows, nil
}
