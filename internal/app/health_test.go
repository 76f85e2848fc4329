package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFolderCheck(t *testing.T) {
	own, open := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Chmod(own, 0o700), os.Chmod(open, 0o750)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		ok         bool
		detail     string
	}{
		{"its owner's", own, true, own},
		{"not there yet", own + "/new", true, own + "/new (made at the first start)"},
		{"read by others", open, false, open + " may be read by others: mode 750, want 700"},
	}
	for _, tt := range tests {
		if got := folderCheck(tt.path); got.OK != tt.ok || got.Detail != tt.detail || got.Name != "data folder" {
			t.Errorf("%s: got %+v, want %v: %s", tt.name, got, tt.ok, tt.detail)
		}
	}
}

func TestCheckWord(t *testing.T) {
	if got := [2]string{Check{OK: true}.Word(), Check{}.Word()}; got != [2]string{"ok", "bad"} {
		t.Errorf("got %q, want ok and bad", got)
	}
}

// Folders of tables are read-only, and go all the same.
func TestRemoveData(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	table := filepath.Join(data, "tables", "ws_1", "dv_1")
	if err := os.MkdirAll(table, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(filepath.Join(table, "t.parquet"), nil, 0o400), os.Chmod(table, 0o500)); err != nil {
		t.Fatal(err)
	}
	if err := RemoveData(data); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
	if err := RemoveData(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v, want not exist", err)
	}
}
