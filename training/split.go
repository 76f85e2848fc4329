package training

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"

	"ambit/metrics"
	"ambit/plans"
)

// Sealed is the fold of a row of the holdout: no model sees it.
const Sealed = -1

// Folds returns the fold of each row, from 0 to k-1. Rows have keys from seed and
// ordinal, so that the same table gives the same folds in every language:
// key(i) = splitmix64(seed × golden + i). Classes in ascending text order, or all
// rows as one if stratify is false, are dealt in the order of their keys, with one
// counter running on.
func Folds(labels []string, k int, seed int64, stratify bool) []int {
	rows, codes := len(labels), []int(nil)
	if stratify {
		codes = codesOf(labels)
	}
	return deal(rows, codes, plans.Split{K: k, Seed: seed})
}

// codesOf numbers labels in ascending text order.
func codesOf(labels []string) []int {
	sorted := slices.Clone(labels)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	codes := make([]int, len(labels))
	for i, l := range labels {
		codes[i], _ = slices.BinarySearch(sorted, l)
	}
	return codes
}

// deal returns the fold of each row. Class numbers each row's class in ascending
// text order; nil makes all rows one class. The holdout is dealt first, by the
// same keys: of each class its share, with rounding carried on to the next.
func deal(rows int, class []int, split plans.Split) []int {
	fold := make([]int, rows)
	counter, seen, sealed := 0, 0, 0
	for _, group := range grouped(rows, class, split.Seed) {
		seen += len(group)
		share := int(math.Round(split.Holdout*float64(seen))) - sealed
		for _, i := range group[:share] {
			fold[i] = Sealed
		}
		sealed += share
		for _, i := range group[share:] {
			fold[i] = counter % split.K
			counter++
		}
	}
	return fold
}

// grouped returns the rows of each class in ascending order of their keys.
func grouped(rows int, class []int, seed int64) [][]int {
	groups := [][]int{}
	for i := range rows {
		c := 0
		if class != nil {
			c = class[i]
		}
		for len(groups) <= c {
			groups = append(groups, nil)
		}
		groups[c] = append(groups[c], i)
	}
	key := func(i int) uint64 { return metrics.SplitMix64(uint64(seed)*metrics.Golden + uint64(i)) }
	for _, g := range groups {
		slices.SortFunc(g, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	}
	return groups
}

// SplitID returns the SHA-256, in hex, of one byte a row: its fold, 255 if sealed.
func SplitID(fold []int) string {
	raw := make([]byte, len(fold))
	for i, f := range fold {
		raw[i] = byte(f) // Sealed, -1, is 255
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// apart returns the places of rows in a fold, and of those outside of it that
// are not sealed. For a fold that no row is in, the latter are all open rows.
func apart(fold []int, number int) (inside, outside []int) {
	for i, f := range fold {
		switch f {
		case Sealed:
		case number:
			inside = append(inside, i)
		default:
			outside = append(outside, i)
		}
	}
	return inside, outside
}
