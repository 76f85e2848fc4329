package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadKeyMakesOneAndKeepsIt(t *testing.T) {
	dir := t.TempDir()
	first, err := LoadKey("", dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := LoadKey("", dir)
	if err != nil || !first.Equal(second) {
		t.Errorf("the second start has another key, or %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "audit.key"))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("got mode %v, %v; want 0600", info.Mode(), err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, ".*")); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
	other, err := LoadKey("", t.TempDir())
	if err != nil || first.Equal(other) {
		t.Errorf("two folders have the same key, or %v", err)
	}
}

func TestLoadKey(t *testing.T) {
	seed := strings.Repeat("0a", 32)
	tests := []struct {
		name, seed, file string
		mode             os.FileMode
		want             string // part of the error; "" is success
	}{
		{"from the variable", seed, "", 0, ""},
		{"the variable wins over the file", seed, "nonsense", 0o600, ""},
		{"from the file", "", seed + "\n", 0o600, ""},
		{"variable too short", seed[:62], "", 0, "AMBIT_AUDIT_KEY must be 64 hex digits"},
		{"variable not hex", strings.Repeat("zz", 32), "", 0, "AMBIT_AUDIT_KEY must be 64 hex digits"},
		{"file empty", "", "\n", 0o600, "audit.key must be 64 hex digits"},
		{"file that others read", "", seed, 0o640, "must be a file of mode 0600"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.file != "" {
				path := filepath.Join(dir, "audit.key")
				if err := os.WriteFile(path, []byte(tt.file), tt.mode); err != nil {
					t.Fatal(err)
				}
			}
			key, err := LoadKey(tt.seed, dir)
			if tt.want == "" {
				if err != nil || key[0] != 10 || key[31] != 10 {
					t.Errorf("got %v, %v; want the seed's key", key, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want %q without the folder", err, tt.want)
			}
		})
	}
}

func TestLoadKeyRefusesALink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(t.TempDir(), "seed")
	if err := os.WriteFile(target, []byte(strings.Repeat("0a", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, "audit.key")); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKey("", dir); err == nil {
		t.Error("a link was followed")
	}
}

func TestLoadKeyNeedsAPlace(t *testing.T) {
	if _, err := LoadKey("", ""); err == nil || !strings.Contains(err.Error(), "set AMBIT_AUDIT_KEY") {
		t.Errorf("got %v, want the variable's name", err)
	}
}
