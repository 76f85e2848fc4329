package duckdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// instance is a folder of this process's own, under a folder that several
// processes share. A lock tells the others that its owner lives.
type instance struct {
	path string
	lock *os.File
}

const (
	instancePrefix = "engine-"
	emptyFolder    = "empty" // where children live; nothing is ever in it
	lockFile       = "lock"
)

func newInstance(parent string) (*instance, error) {
	parent, err := filepath.Abs(parent)
	if err != nil {
		return nil, fmt.Errorf("the folder: %w", err)
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	path, err := os.MkdirTemp(parent, instancePrefix)
	if err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	lock, err := locked(filepath.Join(path, lockFile), unix.LOCK_EX|unix.LOCK_NB)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	if err := os.Mkdir(filepath.Join(path, emptyFolder), 0o500); err != nil {
		return nil, errors.Join(err, lock.Close(), os.RemoveAll(path))
	}
	return &instance{path: path, lock: lock}, nil
}

// locked opens a file and locks it for this process. With LOCK_NB it fails at
// once if another has it. Closing the file unlocks it.
func locked(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a lock: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(fmt.Errorf("locking: %w", err), f.Close())
	}
	return f, nil
}

func (i *instance) close() error {
	return errors.Join(os.RemoveAll(i.path), i.lock.Close())
}

// sweepInstances removes the folders of processes that are gone.
func sweepInstances(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("listing instances: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), instancePrefix) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		lock, err := locked(filepath.Join(path, lockFile), unix.LOCK_EX|unix.LOCK_NB)
		if err != nil {
			continue // its owner lives
		}
		errs = append(errs, os.RemoveAll(path), lock.Close())
	}
	return errors.Join(errs...)
}
