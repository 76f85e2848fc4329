// Package ids makes identifiers: a prefix that says what a thing is, and
// enough random characters that nobody guesses one.
package ids

import "crypto/rand"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// New returns prefix_ and 16 random base62 characters (95 bits).
func New(prefix string) string { return prefix + "_" + Random(16) }

// Random returns n random base62 characters, without bias.
func Random(n int) string {
	out := make([]byte, 0, n)
	buf := make([]byte, n*2)
	for len(out) < n {
		rand.Read(buf) // never fails: the runtime ends the process instead
		for _, b := range buf {
			if b < 248 && len(out) < n { // 248 = 4 × 62
				out = append(out, alphabet[b%62])
			}
		}
	}
	return string(out)
}
