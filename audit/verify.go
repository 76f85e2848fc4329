package audit

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
)

// Seal returns the signed head of a chain that ends with e.
func Seal(key crypto.Signer, e Entry) (Head, error) {
	h := Head{Seq: e.Seq, Hash: e.Hash}
	signature, err := key.Sign(nil, h.message(), crypto.Hash(0))
	if err != nil {
		return Head{}, fmt.Errorf("signing the head of the audit log: %w", err)
	}
	h.Signature = hex.EncodeToString(signature)
	return h, nil
}

// Signed reports whether the head carries a signature of the key. The head of
// an empty log carries none.
func (h Head) Signed(key ed25519.PublicKey) bool {
	signature, err := hex.DecodeString(h.Signature)
	return err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, h.message(), signature)
}

func (h Head) message() []byte { return fmt.Appendf(nil, "%d %s", h.Seq, h.Hash) }

// Verify walks a chain, oldest record first, and returns a *[BadRecord] that
// names the first record that was changed, taken out, moved or put in, or that
// is not covered by the signed head. Records cut off at the end are found
// because the head says how many there were. An error of walk is returned as it is.
//
// What it cannot find: a log whose records and head were both put back to an
// older state. Keep a head elsewhere to find that.
func Verify(walk func(func(Entry) error) error, head Head, key ed25519.PublicKey) error {
	var last Head
	err := walk(func(e Entry) error {
		if reason := wrongWith(last, e, head); reason != "" {
			return &BadRecord{Seq: last.Seq + 1, Reason: reason}
		}
		last = Head{Seq: e.Seq, Hash: e.Hash}
		return nil
	})
	switch {
	case err != nil:
		return err
	case last.Seq < head.Seq:
		return &BadRecord{last.Seq + 1, fmt.Sprintf("is missing: the log ends with record %d, its head is record %d", last.Seq, head.Seq)}
	case head == Head{}:
		return nil
	case !head.Signed(key):
		return &BadRecord{head.Seq, "is the head of the log, and is not signed with this key"}
	}
	return nil
}

// wrongWith says what is wrong with e as the record after last, or "".
func wrongWith(last Head, e Entry, head Head) string {
	switch {
	case e.Seq > last.Seq+1:
		return fmt.Sprintf("is missing: the next one is record %d", e.Seq)
	case e.Seq != last.Seq+1:
		return fmt.Sprintf("is out of order: record %d is in its place", e.Seq)
	case e.Prev != last.Hash:
		return "does not carry the hash of the one before"
	case e.Hash != HashOf(e):
		return "was changed: its hash is another one"
	case e.Seq > head.Seq:
		return "is not covered by the signed head"
	case e.Seq == head.Seq && e.Hash != head.Hash:
		return "is not the one that the head was signed for"
	}
	return ""
}

// Check verifies the log of a store as it is at one moment.
func Check(ctx context.Context, s Store, key ed25519.PublicKey) (Head, error) {
	var head Head
	err := s.Snapshot(ctx, func(ctx context.Context) (err error) {
		if head, err = s.Head(ctx); err != nil {
			return err
		}
		return Verify(func(f func(Entry) error) error { return s.Walk(ctx, f) }, head, key)
	})
	return head, err
}
