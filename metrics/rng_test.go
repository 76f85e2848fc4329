package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"
)

var _ rand.Source = (*RNG)(nil)

func TestSplitMix64(t *testing.T) {
	// The published outputs of splitmix64 from seed 0, and keys of seed 42's split.
	r := NewRNG(0)
	for i, want := range []uint64{0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F} {
		if got := r.Uint64(); got != want {
			t.Errorf("output %d = %#x, want %#x", i, got, want)
		}
	}
	seed := uint64(42)
	for i, want := range []uint64{0x7DC930B302278A8, 0x3C821FBF59108163, 0x21AA27732571887} {
		if got := SplitMix64(seed*Golden + uint64(i)); got != want {
			t.Errorf("key %d = %#x, want %#x", i, got, want)
		}
	}
}

func TestStreams(t *testing.T) {
	first := Stream(7, "trial", 1).Uint64()
	if again := Stream(7, "trial", 1).Uint64(); again != first {
		t.Errorf("same stream = %#x, then %#x", first, again)
	}
	for name, other := range map[string]*RNG{
		"seed": Stream(8, "trial", 1), "purpose": Stream(7, "split", 1), "number": Stream(7, "trial", 2),
	} {
		if got := other.Uint64(); got == first {
			t.Errorf("another %s gives the same number %#x", name, got)
		}
	}
}

func TestDrawsAreEven(t *testing.T) {
	r, counts, sum := Stream(1, "test", 0), make([]int, 7), 0.0
	for range 70_000 {
		counts[r.IntN(7)]++
		v := r.Float64()
		if v < 0 || v >= 1 {
			t.Fatalf("Float64 = %v, want [0, 1)", v)
		}
		sum += v
	}
	for i, n := range counts {
		if n < 9_600 || n > 10_400 { // 4 standard deviations
			t.Errorf("IntN(7) gave %d %d times, want about 10000", i, n)
		}
	}
	if m := sum / 70_000; m < 0.495 || m > 0.505 {
		t.Errorf("mean of Float64 = %v, want about 0.5", m)
	}
	for _, n := range []int{-3, 0, 1} {
		if got := r.IntN(n); got != 0 {
			t.Errorf("IntN(%d) = %d, want 0", n, got)
		}
	}
}

func TestPerm(t *testing.T) {
	r := NewRNG(3)
	got := r.Perm(50)
	if slices.IsSorted(got) {
		t.Error("Perm(50) is in order")
	}
	slices.Sort(got)
	for i, v := range got {
		if i != v {
			t.Fatalf("Perm(50) lacks %d", i)
		}
	}
	if n := len(r.Perm(-1)); n != 0 {
		t.Errorf("Perm(-1) has %d, want 0", n)
	}
}
