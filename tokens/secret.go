package tokens

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"

	"ambit/internal/ids"
)

// Pattern finds tokens in text, for secret scanners: a match whose last six
// characters are the checksum of what precedes them is a token of ours.
const Pattern = `\bamb_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}\b`

// A token is amb_<id>_<secret><checksum>. The id is public; 43 random base62
// characters are 256 bits.
const (
	prefix    = "amb_"
	idLen     = 12
	secretLen = 43
	sumLen    = 6
	bodyLen   = len(prefix) + idLen + 1 + secretLen // all but the checksum
	tokenLen  = bodyLen + sumLen
)

// newSecret returns a new token, and the id in it.
func newSecret() (id, token string) {
	id = ids.Random(idLen)
	body := prefix + id + "_" + ids.Random(secretLen)
	return id, body + checksum(body)
}

// parse returns the id of a well-formed token. A slip of the pen, and nearly
// everything that was never a token, ends here, before any look-up.
func parse(token string) (id string, ok bool) {
	if len(token) != tokenLen || token[:len(prefix)] != prefix || token[len(prefix)+idLen] != '_' {
		return "", false
	}
	if token[bodyLen:] != checksum(token[:bodyLen]) {
		return "", false
	}
	return token[len(prefix) : len(prefix)+idLen], true
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// checksum is the CRC-32 (IEEE) of s as six base62 digits, most significant first.
func checksum(s string) string {
	v := crc32.ChecksumIEEE([]byte(s))
	var out [sumLen]byte
	for i := sumLen - 1; i >= 0; i-- {
		out[i] = base62[v%62]
		v /= 62
	}
	return string(out[:])
}

// hash is what is stored in a token's place: SHA-256 of the whole, hex. A slow
// hash would add nothing to 256 random bits.
func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
