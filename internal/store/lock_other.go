//go:build !unix

package store

import (
	"errors"
	"os"
)

// ErrHeld says that another process holds the data folder.
var ErrHeld = errors.New("another Ambit is running on this data folder")

// holdFolder fails: without a lock that the kernel takes back from a dead
// process, two processes could write one folder.
func holdFolder(string) (*os.File, error) {
	return nil, errors.New("opening the store: this system cannot lock a data folder; use PostgreSQL")
}
