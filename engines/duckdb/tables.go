package duckdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// tables is the folder of built tables: <workspace>/<version>.duckdb, files 0444
// in folders 0555, so that neither a child nor a slip can change one. What is
// being built lies in a folder beside them, on the same file system.
type tables struct {
	root     string
	building *instance
	sweepAge time.Duration
	now      func() time.Time

	mu sync.Mutex // a folder is writable for a moment only, while this and the lock file are held
}

const (
	tableSuffix = ".duckdb"
	buildFolder = ".building" // no workspace's id starts with a dot
)

// safeID are the ids of which a path may be made.
var safeID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func openTables(root string, sweepAge time.Duration, now func() time.Time) (*tables, error) {
	building, err := newInstance(filepath.Join(root, buildFolder))
	if err != nil {
		return nil, err
	}
	return &tables{root: root, building: building, sweepAge: sweepAge, now: now}, nil
}

func (t *tables) close() error { return t.building.close() }

// path returns where a version's table is, or would be.
func (t *tables) path(workspace, version string) (string, error) {
	if !safeID.MatchString(workspace) || !safeID.MatchString(version) {
		return "", fmt.Errorf("no table can have the ids %q and %q", workspace, version)
	}
	return filepath.Join(t.root, workspace, version+tableSuffix), nil
}

// site makes an empty folder to build in; remove it when done.
func (t *tables) site() (string, error) {
	return os.MkdirTemp(t.building.path, "site-")
}

// publish makes a finished file the table of a version: whole or not at all.
func (t *tables) publish(file, workspace, version string) error {
	to, err := t.path(workspace, version)
	if err != nil {
		return err
	}
	if err := os.Chmod(file, 0o444); err != nil {
		return fmt.Errorf("closing the table: %w", err)
	}
	if err := syncFile(file); err != nil {
		return err
	}
	return t.writable(filepath.Dir(to), func() error {
		if _, err := os.Lstat(to); err == nil {
			return fmt.Errorf("version %s has a table already", version)
		}
		if err := os.Rename(file, to); err != nil {
			return fmt.Errorf("publishing the table: %w", err)
		}
		return syncFile(filepath.Dir(to))
	})
}

// writable opens a workspace's folder, which it makes if need be, for one change.
func (t *tables) writable(folder string, change func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	lock, err := locked(filepath.Join(t.root, buildFolder, lockFile), unix.LOCK_EX) // other processes publish here too
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the workspace's folder: %w", err)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		return fmt.Errorf("opening the workspace's folder: %w", err)
	}
	return errors.Join(change(), os.Chmod(folder, 0o555))
}

// remove deletes a version's table, if there is one.
func (t *tables) remove(workspace, version string) error {
	path, err := t.path(workspace, version)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); os.IsNotExist(err) {
		return nil
	}
	return t.writable(filepath.Dir(path), func() error { return os.Remove(path) })
}

// sweep removes the tables that nobody keeps, except young ones, which may be
// waiting for their record, and what dead processes were building.
func (t *tables) sweep(keep func(workspace, version string) bool) error {
	workspaces, err := os.ReadDir(t.root)
	if err != nil {
		return fmt.Errorf("listing workspaces: %w", err)
	}
	errs := []error{sweepInstances(filepath.Join(t.root, buildFolder))}
	for _, w := range workspaces {
		if w.IsDir() && safeID.MatchString(w.Name()) {
			errs = append(errs, t.sweepWorkspace(w.Name(), keep))
		}
	}
	return errors.Join(errs...)
}

func (t *tables) sweepWorkspace(workspace string, keep func(workspace, version string) bool) error {
	files, err := os.ReadDir(filepath.Join(t.root, workspace))
	if err != nil {
		return fmt.Errorf("listing tables: %w", err)
	}
	var errs []error
	for _, f := range files {
		version, isTable := strings.CutSuffix(f.Name(), tableSuffix)
		info, err := f.Info()
		if err != nil || !isTable || t.now().Sub(info.ModTime()) < t.sweepAge || keep(workspace, version) {
			continue
		}
		errs = append(errs, t.remove(workspace, version))
	}
	return errors.Join(errs...)
}

// syncFile makes sure that a file, or the entries of a folder, are on the disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("syncing: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
