package people

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"ambit/internal/fault"
)

// Cost is what a hash by argon2id (RFC 9106) costs.
type Cost struct {
	Memory  uint32 // KiB
	Time    uint32 // passes over the memory
	Threads uint8  // lanes
}

// DefaultCost is the second recommended option of RFC 9106, section 4: 64 MiB,
// 3 passes, 4 lanes.
var DefaultCost = Cost{Memory: 64 << 10, Time: 3, Threads: 4}

const (
	atOnce  = 2 // hashes at a time, so that a flood of sign-ins is no attack on memory
	saltLen = 16
	keyLen  = 32
)

// Hasher hashes passwords with argon2id, two at a time; others wait their turn.
type Hasher struct {
	cost  Cost
	slots chan struct{}
}

// NewHasher returns a Hasher at [DefaultCost].
func NewHasher() *Hasher { return NewHasherAt(DefaultCost) }

// NewHasherAt returns a Hasher for new passwords of another cost, such as tests
// can afford. Old hashes are checked at the cost that they were made with.
func NewHasherAt(cost Cost) *Hasher {
	return &Hasher{cost: cost, slots: make(chan struct{}, atOnce)}
}

// Hash returns the password's hash in PHC form, under a new salt.
// Faults: unavailable if ctx ends before its turn comes.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLen)
	rand.Read(salt) // never fails: the runtime ends the process instead
	p := phc{Cost: h.cost, salt: salt, key: make([]byte, keyLen)}
	key, err := h.derive(ctx, p, password)
	if err != nil {
		return "", err
	}
	p.key = key
	return p.String(), nil
}

// Matches reports whether the password has the hash. An empty hash matches
// nothing, and finding that out costs as much as any other check: who is
// unknown takes as long as who is known.
// Faults: unavailable if ctx ends before its turn comes.
func (h *Hasher) Matches(ctx context.Context, hash, password string) (bool, error) {
	p := phc{Cost: h.cost, salt: make([]byte, saltLen), key: make([]byte, keyLen)}
	if hash != "" {
		var err error
		if p, err = parsePHC(hash); err != nil {
			return false, err
		}
	}
	key, err := h.derive(ctx, p, password)
	if err != nil {
		return false, err
	}
	return hash != "" && subtle.ConstantTimeCompare(key, p.key) == 1, nil
}

// derive computes the key in one of the slots. Two ways to type the same
// characters give the same key (NFC, as RFC 8265 asks).
func (h *Hasher) derive(ctx context.Context, p phc, password string) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "Too many sign-ins are under way.").
			WithFix("Try again in a moment.").Because(ctx.Err())
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(norm.NFC.String(password)), p.salt, p.Time, p.Memory, p.Threads, uint32(len(p.key))), nil
}

// phc is a hash with what it was made from, but for the password.
type phc struct {
	Cost
	salt, key []byte
}

var b64 = base64.RawStdEncoding.Strict()

func (p phc) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, p.Memory, p.Time, p.Threads, b64.EncodeToString(p.salt), b64.EncodeToString(p.key))
}

var errPHC = errors.New("a stored password hash is not argon2id in PHC form")

// parsePHC reads a hash, within bounds that keep a mangled record from taking
// all the memory. The error does not repeat the hash.
func parsePHC(s string) (p phc, err error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return phc{}, errPHC
	}
	n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.Memory, &p.Time, &p.Threads)
	if err != nil || n != 3 || p.Memory > 1<<20 || p.Time < 1 || p.Time > 100 || p.Threads < 1 {
		return phc{}, errPHC
	}
	var saltErr, keyErr error
	p.salt, saltErr = b64.DecodeString(parts[4])
	p.key, keyErr = b64.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(p.salt) < 8 || len(p.key) < 16 || p.String() != s {
		return phc{}, errPHC
	}
	return p, nil
}
