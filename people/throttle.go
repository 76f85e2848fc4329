package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"ambit/internal/fault"
	"ambit/internal/limits"
)

// failures is how often a password may be wrong, per account and per address:
// ten times at once, and then once each 90 seconds.
var failures = limits.Rate{Burst: 10, Per: 15 * time.Minute}

// attempt counts an attempt under every key before its outcome is known, so
// that attempts at the same time count too. Who succeeds calls forgive.
// Fault: rate_limited.
func (s *Service) attempt(ctx context.Context, keys ...string) (forgive func(), err error) {
	refund := func(keys []string) {
		for _, key := range keys {
			s.Limiter.Refund(ctx, key, failures)
		}
	}
	for i, key := range keys {
		if ok, wait := s.Limiter.Allow(ctx, key, failures); !ok {
			refund(keys[:i])
			return nil, tooMany(wait)
		}
	}
	return func() { refund(keys) }, nil
}

func tooMany(wait time.Duration) error {
	f := fault.New(fault.RateLimited, "Too many attempts with a wrong password, for this account or from this address.").
		WithFix("Wait, then try again; an admin can make you a one-time sign-in link.")
	f.RetryAfter = wait
	return f
}

// accountKey is the same for an account that there is and one that there is not.
func accountKey(email string) string {
	sum := sha256.Sum256([]byte(normalEmail(email)))
	return "password:account:" + hex.EncodeToString(sum[:16])
}

func addressKey(address string) string { return "password:address:" + limits.Network(address) }
