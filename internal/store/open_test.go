package store_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/migrations"
)

func TestOpenHoldsTheFolder(t *testing.T) {
	c := storetest.SQLiteConfig(t)
	first, err := store.Open(t.Context(), c)
	must(t, err)
	_, err = store.Open(t.Context(), c)
	if !errors.Is(err, store.ErrHeld) || !strings.Contains(err.Error(), "another Ambit is running on this data folder") || strings.Contains(err.Error(), c.Dir) {
		t.Errorf("got %v, want that the folder is held, without its path", err)
	}
	must(t, first.Close())
	again, err := store.Open(t.Context(), c)
	must(t, err)
	must(t, again.Close())
}

// openEnv makes the test binary open a folder and say how that went.
const openEnv = "STORE_TEST_OPEN"

func TestOpenHelper(t *testing.T) {
	dir := os.Getenv(openEnv)
	if dir == "" {
		return
	}
	_, err := store.Open(context.Background(), store.Config{Dir: dir, AuditKey: storetest.Key})
	if errors.Is(err, store.ErrHeld) {
		os.Exit(7)
	}
	os.Exit(0)
}

func TestAnotherProcessCannotOpenTheFolder(t *testing.T) {
	c := storetest.SQLiteConfig(t)
	db := storetest.Open(t, c)
	open := func() int {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestOpenHelper$")
		cmd.Env = append(os.Environ(), openEnv+"="+c.Dir)
		cmd.Run()
		return cmd.ProcessState.ExitCode()
	}
	equal(t, "exit while it is held", open(), 7)
	must(t, db.Close())
	equal(t, "exit when it is free", open(), 0)
}

func TestOpenRefuses(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	failed := errors.New("cannot migrate")
	migrate := func(context.Context, *sql.DB, string) (int64, error) { return 0, failed }
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	tests := []struct {
		name string
		c    store.Config
		want string
	}{
		{"nowhere to be", store.Config{AuditKey: storetest.Key}, "no data folder and no database URL"},
		{"no key", store.Config{Dir: t.TempDir()}, "no key for the audit log"},
		{"another kind of key", store.Config{Dir: t.TempDir(), AuditKey: other}, "not Ed25519"},
		{"not a folder", store.Config{Dir: file, AuditKey: storetest.Key}, "making the data folder"},
		{"not migrated", store.Config{Dir: t.TempDir(), AuditKey: storetest.Key, Migrate: migrate}, "cannot migrate"},
		{"not a URL", store.Config{URL: "postgres://%zz", AuditKey: storetest.Key}, "reading the database's URL"},
		{"nobody there", store.Config{URL: "postgres:///x?host=" + t.TempDir(), AuditKey: storetest.Key}, "connecting to the database"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := store.Open(t.Context(), tt.c)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOpenFreesTheFolderWhenItFails(t *testing.T) {
	c := storetest.SQLiteConfig(t)
	c.Migrate = func(context.Context, *sql.DB, string) (int64, error) { return 0, errors.New("x") }
	if _, err := store.Open(t.Context(), c); err == nil {
		t.Fatal("it opened")
	}
	c.Migrate = migrations.Up
	storetest.Open(t, c)
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	db := storetest.Open(t, store.Config{Dir: dir, AuditKey: storetest.Key, Migrate: migrations.Up})
	must(t, db.Append(t.Context(), entry("ok")))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	if len(files) < 3 {
		t.Fatalf("got %q, want a lock, a database and its log", files)
	}
	for _, file := range append(files, dir) {
		info, err := os.Stat(file)
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", filepath.Base(file), info.Mode())
		}
	}
}

// A folder's name may hold what a URL gives a meaning to.
func TestFolderOfAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20e&f=ä")
	db := storetest.Open(t, store.Config{Dir: dir, AuditKey: storetest.Key, Migrate: migrations.Up})
	must(t, db.InsertPerson(t.Context(), person("pn_1")))
	if _, err := os.Stat(filepath.Join(dir, "ambit.db")); err != nil {
		t.Error(err)
	}
}
