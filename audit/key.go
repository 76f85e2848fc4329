package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// KeyEnv is the variable that holds the seed of the signing key, 64 hex
// digits. Servers that share a database must share it.
const KeyEnv = "AMBIT_AUDIT_KEY"

// keyFile is the name of the seed's file in the data folder.
const keyFile = "audit.key"

// LoadKey returns the key that signs the end of the chain: from seed, the
// value of [KeyEnv], if that is not empty; else from the file audit.key in dir,
// which is made with mode 0600 if it is not there. A file that others may read
// is refused.
func LoadKey(seed, dir string) (ed25519.PrivateKey, error) {
	if seed != "" {
		return parseKey(seed, KeyEnv)
	}
	if dir == "" {
		return nil, fmt.Errorf("no key for the audit log: set %s to 64 hex digits", KeyEnv)
	}
	path := filepath.Join(dir, keyFile)
	raw, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("the audit log's key: %w", err)
	}
	return parseKey(raw, keyFile)
}

func parseKey(seed, from string) (ed25519.PrivateKey, error) {
	raw, err := hex.DecodeString(strings.TrimSpace(seed))
	if err != nil || len(raw) != ed25519.SeedSize {
		return nil, fmt.Errorf("the audit log's key in %s must be %d hex digits", from, 2*ed25519.SeedSize)
	}
	return ed25519.NewKeyFromSeed(raw), nil
}

func readKey(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s has mode %v; it must be a file of mode 0600", keyFile, info.Mode())
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}

// makeKey puts a new seed under a name that was free. It is written elsewhere
// first and is on the disk before it has its name: a key that a crash left half
// written could not sign, and one that it took away could not be verified.
func makeKey(path string) (string, error) {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed)
	text := hex.EncodeToString(seed)
	f, err := os.CreateTemp(filepath.Dir(path), ".audit-*.key")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", err
	}
	return text, os.Link(f.Name(), path)
}
