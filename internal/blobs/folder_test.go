package blobs

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"ambit/internal/fault"
)

var _ Store = (*Folder)(nil)

func open(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t *testing.T, f *Folder, key, content string) {
	t.Helper()
	n, err := f.Put(t.Context(), key, strings.NewReader(content))
	if err != nil || n != int64(len(content)) {
		t.Fatalf("Put(%q) = %d, %v; want %d", key, n, err, len(content))
	}
}

func get(t *testing.T, f *Folder, key string) string {
	t.Helper()
	r, err := f.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFolderKeepsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "blobs")
	f := open(t, dir)
	put(t, f, "runs/rn_1/model.json", "one")
	put(t, f, "runs/rn_1/empty", "")
	put(t, f, "runs/rn_1/model.json", "one")
	for key, want := range map[string]string{"runs/rn_1/model.json": "one", "runs/rn_1/empty": ""} {
		if got := get(t, open(t, dir), key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	if err := f.Delete(t.Context(), "runs/rn_1/empty"); err != nil {
		t.Error(err)
	}
	if err := f.Delete(t.Context(), "runs/rn_1/empty"); err != nil {
		t.Errorf("deleting again: got %v, want nil", err)
	}
	if _, err := f.Get(t.Context(), "runs/rn_1/empty"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("after deletion: got %v, want not_found", err)
	}
}

func TestFolderKeys(t *testing.T) {
	f := open(t, t.TempDir())
	for _, key := range []string{"a/b/2", "a/b/1", "a/bc", "ab/1", "z"} {
		put(t, f, key, "x")
	}
	tests := []struct {
		prefix string
		want   []string
	}{
		{"", []string{"a/b/1", "a/b/2", "a/bc", "ab/1", "z"}},
		{"a/", []string{"a/b/1", "a/b/2", "a/bc"}},
		{"a/b", []string{"a/b/1", "a/b/2", "a/bc"}},
		{"a/b/", []string{"a/b/1", "a/b/2"}},
		{"a/b/1", []string{"a/b/1"}},
		{"b", nil},
		{".tmp", nil},
	}
	for _, tt := range tests {
		got, err := f.Keys(t.Context(), tt.prefix)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Keys(%q) = %q, %v; want %q", tt.prefix, got, err, tt.want)
		}
	}
}

func TestFolderRefusesWhatIsNoKey(t *testing.T) {
	parent := t.TempDir()
	f := open(t, filepath.Join(parent, "blobs"))
	bad := []string{
		"", ".", "..", "../x", "a/../../x", "/x", "x/", "a//b", ".hidden", "a/.hidden", ".tmp/x", "a\\b", "a b", "a\x00b",
		"ä", strings.Repeat("a", 201), strings.Repeat("a/", 256) + "aa",
	}
	for _, key := range bad {
		_, putErr := f.Put(t.Context(), key, strings.NewReader("x"))
		_, getErr := f.Get(t.Context(), key)
		if putErr == nil || getErr == nil || f.Delete(t.Context(), key) == nil {
			t.Errorf("%.40q was taken", key)
		}
		if fault.CodeOf(getErr) == fault.NotFound {
			t.Errorf("%.40q: not_found hides a bug", key)
		}
	}
	if keys, err := f.Keys(t.Context(), ""); err != nil || len(keys) != 0 {
		t.Errorf("got keys %q, %v; want none", keys, err)
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 1 {
		t.Errorf("something was written outside: %v", entries)
	}
}

func TestFolderFollowsNoLinkOut(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir)
	if _, err := f.Get(t.Context(), "link/secret"); err == nil {
		t.Error("a link out of the folder was followed")
	}
	if _, err := f.Put(t.Context(), "link/new", strings.NewReader("x")); err == nil {
		t.Error("a file was written through a link")
	}
}

func TestFolderGetsNoFolder(t *testing.T) {
	f := open(t, t.TempDir())
	put(t, f, "a/b", "x")
	if _, err := f.Get(t.Context(), "a"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("got %v, want not_found", err)
	}
}

func TestFolderKeepsWholeFilesOnly(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	broken := errors.New("broken")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		r    io.Reader
		want error
	}{
		{"the reader fails", t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)), broken},
		{"the context has ended", ended, strings.NewReader("x"), context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := f.Put(tt.ctx, "a/b", tt.r); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if _, err := f.Get(t.Context(), "a/b"); fault.CodeOf(err) != fault.NotFound {
				t.Errorf("a part was kept: %v", err)
			}
			if left, _ := os.ReadDir(filepath.Join(dir, ".tmp")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestFolderSweepsWhatTheDeadLeft(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	old, young := filepath.Join(dir, ".tmp", "old"), filepath.Join(dir, ".tmp", "young")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a day old: got %v, want it gone", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("being written: got %v, want it kept", err)
	}
}
