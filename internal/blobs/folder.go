package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"ambit/internal/fault"
	"ambit/internal/ids"
)

// Folder keeps files in a local folder. It uses the file system itself:
// gocloud's fileblob does not wait for the disk, keeps files of its own beside
// the blobs, and links an RPC and a tracing library into the server.
type Folder struct {
	root *os.Root // nothing outside of it can be reached, links included
}

// temporary is the folder of files that are being written. No key begins so.
const temporary = ".tmp"

// staleAfter is the age at which a file that is being written counts as left
// behind by a process that died.
const staleAfter = 24 * time.Hour

// OpenFolder opens the folder, making it with mode 0700 if it is not there.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the blob folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the blob folder: %w", err)
	}
	f := &Folder{root: root}
	if err := root.MkdirAll(temporary, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("making a folder for files being written: %w", err), root.Close())
	}
	if err := f.sweep(time.Now().Add(-staleAfter)); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// sweep removes what processes that died before t have left half written.
func (f *Folder) sweep(t time.Time) error {
	names, err := fs.ReadDir(f.root.FS(), temporary)
	if err != nil {
		return fmt.Errorf("sweeping the blob folder: %w", err)
	}
	for _, name := range names {
		info, err := name.Info()
		if err != nil || info.ModTime().After(t) {
			continue // it is gone, or somebody is writing it
		}
		if err := f.root.Remove(path.Join(temporary, name.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sweeping the blob folder: %w", err)
		}
	}
	return nil
}

// Put writes the bytes under another name, waits until they are on the disk,
// and gives them their key. When it returns without an error the file
// outlives a power cut.
func (f *Folder) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	temp := path.Join(temporary, ids.Random(16))
	n, err := f.write(temp, contextReader{ctx, r})
	if err == nil {
		err = f.publish(temp, key)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("keeping blob %s: %w", key, err), f.remove(temp))
	}
	return n, nil
}

func (f *Folder) write(name string, r io.Reader) (int64, error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(file, r)
	return n, errors.Join(err, file.Sync(), file.Close())
}

// publish renames a written file and makes the folders on its way durable.
func (f *Folder) publish(temp, key string) error {
	dir := path.Dir(key)
	if err := f.root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := f.root.Rename(temp, key); err != nil {
		return err
	}
	for {
		if err := f.syncDir(dir); err != nil || dir == "." {
			return err
		}
		dir = path.Dir(dir)
	}
}

func (f *Folder) syncDir(name string) error {
	dir, err := f.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Get opens a file.
func (f *Folder) Get(_ context.Context, key string) (io.ReadCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	file, err := f.root.Open(key)
	if err == nil {
		var info os.FileInfo
		if info, err = file.Stat(); err == nil && info.Mode().IsRegular() {
			return file, nil
		}
		err = errors.Join(fs.ErrNotExist, err, file.Close())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "No such file.").Because(err)
	}
	return nil, fmt.Errorf("opening blob %s: %w", key, err)
}

// Delete removes a file.
func (f *Folder) Delete(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return f.remove(key)
}

func (f *Folder) remove(name string) error {
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing blob %s: %w", name, err)
	}
	return nil
}

// Keys returns the keys that begin with prefix, in ascending order of bytes.
func (f *Folder) Keys(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed while we walk
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && !onTheWay(name, prefix):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasPrefix(name, prefix):
			keys = append(keys, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing blobs: %w", err)
	}
	slices.Sort(keys)
	return keys, nil
}

// onTheWay reports whether a folder may hold keys that begin with prefix.
func onTheWay(dir, prefix string) bool {
	if dir == "." {
		return true
	}
	dir += "/"
	return dir != temporary+"/" && (strings.HasPrefix(dir, prefix) || strings.HasPrefix(prefix, dir))
}

// contextReader stops reading when the context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
