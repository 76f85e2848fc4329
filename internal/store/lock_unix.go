//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ErrHeld says that another process holds the data folder.
var ErrHeld = errors.New("another Ambit is running on this data folder")

// lockFile is the file in the data folder whose lock stands for the folder.
const lockFile = "lock"

// holdFolder makes the folder if it is not there and takes it for this process.
// The kernel lets go of it when the process ends, in whatever way.
func holdFolder(dir string) (*os.File, error) {
	if dir == "" {
		return nil, errors.New("opening the store: no data folder and no database URL")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the data folder's lock: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("%w: stop it, choose another folder, or let both use PostgreSQL", ErrHeld)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
