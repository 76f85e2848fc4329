// Package limits bounds how often something may happen, in one process or,
// through Redis, over all replicas.
//
// The rule is GCRA: of each key one number is kept, the moment at which all that
// was let through so far would have been due at an even pace (its "theoretical
// arrival time", ITU-T I.371). A key may run ahead of that pace by a burst.
package limits

import (
	"context"
	"net/netip"
	"time"
)

// Rate lets Burst events through at once, and as many again for each Per, at an
// even pace: one every Per/Burst. The zero Rate lets nothing through.
type Rate struct {
	Burst int
	Per   time.Duration
}

// Limiter counts events by key. It never fails: an implementation that loses
// its shared state falls back to a narrower one of its own.
type Limiter interface {
	// Allow counts one event of key and reports whether it is within the rate.
	// If not, nothing is counted, and retryAfter is how long until it would be
	// (0 for a rate that lets nothing through). One key has one rate.
	Allow(ctx context.Context, key string, r Rate) (ok bool, retryAfter time.Duration)
	// Refund takes back one event that Allow let through, so that an attempt can
	// be counted before its outcome is known, and only failures stay counted.
	Refund(ctx context.Context, key string, r Rate)
}

// Network names what an address is counted as: an IPv6 address by its network of
// /64, which is what a single subscriber is given; what is no address, as one.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "unknown"
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		prefix, _ := ip.Prefix(64) // 64 bits are always in range
		return prefix.String()
	}
	return ip.String()
}

// interval is the time between two events at an even pace; 0 for a rate that
// lets nothing through. No pace is finer than a microsecond, Redis's own unit.
func (r Rate) interval() time.Duration {
	if r.Burst < 1 || r.Per <= 0 {
		return 0
	}
	return max(r.Per/time.Duration(r.Burst), time.Microsecond)
}

// share is what one of n replicas may let through on its own, so that together
// they keep to the rate. The burst is at least one event: a limit is never
// turned into a refusal of everything, so n replicas may let n through.
func (r Rate) share(n int) Rate {
	if n < 2 || r.interval() == 0 {
		return r
	}
	burst := max(1, r.Burst/n)
	return Rate{Burst: burst, Per: r.interval() * time.Duration(n) * time.Duration(burst)}
}
