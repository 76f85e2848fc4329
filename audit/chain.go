package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// maxText bounds each text of a record, in bytes.
const maxText = 2 << 10

// Chain returns e as the record that follows prev, with Seq, Prev and Hash
// set. Its texts are made storable first: bytes that are not UTF-8 and NUL
// become U+FFFD, and what is over 2 KiB is cut.
func Chain(prev Head, e Entry) Entry {
	for _, text := range []*string{
		&e.Principal, &e.ActsFor, &e.Tool, &e.Host, &e.Route, &e.Workspace, &e.Entity,
		&e.Outcome, &e.Detail, &e.Key, &e.Digest, &e.RequestID,
	} {
		*text = storable(*text)
	}
	e.Seq, e.Prev = prev.Seq+1, prev.Hash
	e.Hash = HashOf(e)
	return e
}

// HashOf returns the hash that e must carry: the SHA-256, in hex, of its JSON
// form without the member "hash", written as RFC 8785 (JCS) says: members in
// order of their names, no white space, and only the escapes that JSON demands.
// The JSON form is the one that [Entry] marshals to, so a third party needs the
// exported record and nothing else.
func HashOf(e Entry) string {
	sum := sha256.Sum256(canonical(e))
	return hex.EncodeToString(sum[:])
}

// storable returns s as both databases can keep it: as valid UTF-8 without NUL.
func storable(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}

// BadRecord says which record of a chain is the first that is not as it was written.
type BadRecord struct {
	Seq    int64
	Reason string
}

func (b *BadRecord) Error() string { return fmt.Sprintf("audit record %d %s", b.Seq, b.Reason) }
