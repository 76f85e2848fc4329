package metrics

import (
	"hash/fnv"
	"math/bits"
)

// Golden is the step of splitmix64: 2^64 divided by the golden ratio, made odd.
const Golden uint64 = 0x9E3779B97F4A7C15

// SplitMix64 returns the splitmix64 output for state x (Steele, Lea and Flood,
// 2014). It is a bijection. The key of row i in a split of seed s is
// SplitMix64(s*Golden + i).
func SplitMix64(x uint64) uint64 {
	x += Golden
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
	x = (x ^ (x >> 27)) * 0x94D049BB133111EB
	return x ^ (x >> 31)
}

// RNG is a splitmix64 generator: the same numbers for a seed on every machine. It
// is a math/rand/v2 Source. It is not for secrets, and not for several goroutines.
type RNG struct{ state uint64 }

// NewRNG returns the generator of a seed.
func NewRNG(seed uint64) *RNG { return &RNG{state: seed} }

// Stream returns the generator of one purpose and number under a seed, such as
// ("trial", 7), so that drawing more for one purpose leaves the others as they are.
func Stream(seed uint64, purpose string, number uint64) *RNG {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	state := SplitMix64(SplitMix64(seed) ^ h.Sum64())
	return NewRNG(SplitMix64(state + number))
}

// Uint64 returns the next 64 random bits.
func (r *RNG) Uint64() uint64 {
	out := SplitMix64(r.state)
	r.state += Golden
	return out
}

// Float64 returns a number in [0, 1), of 53 random bits.
func (r *RNG) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// IntN returns a whole number in [0, n), each equally likely; 0 if n < 2. It is
// Lemire's method (2019).
func (r *RNG) IntN(n int) int {
	if n < 2 {
		return 0
	}
	bound := uint64(n)
	high, low := bits.Mul64(r.Uint64(), bound)
	for floor := -bound % bound; low < floor; {
		high, low = bits.Mul64(r.Uint64(), bound)
	}
	return int(high)
}

// Perm returns 0..n-1 in random order.
func (r *RNG) Perm(n int) []int {
	out := make([]int, max(n, 0))
	for i := range out {
		j := r.IntN(i + 1)
		out[i] = out[j]
		out[j] = i
	}
	return out
}
