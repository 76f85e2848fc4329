// Package blobs keeps files by key.
package blobs

import (
	"context"
	"io"
)

// Store keeps files. A key is a path of [A-Za-z0-9_.-] segments, none of which
// begins with a dot; another one is a bug, and an error. A written file is
// never changed: writing a key again with other bytes is a bug.
type Store interface {
	// Put keeps the bytes under the key, whole or not at all.
	Put(ctx context.Context, key string, r io.Reader) (int64, error)
	// Get opens a file. Fault: not_found.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// Delete removes a file; none is no error.
	Delete(ctx context.Context, key string) error
	// Keys returns the keys that begin with prefix.
	Keys(ctx context.Context, prefix string) ([]string, error)
}
