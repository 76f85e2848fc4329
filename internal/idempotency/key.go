package idempotency

import "ambit/internal/fault"

// Header is the request header that carries a key.
const Header = "Idempotency-Key"

// maxKey is the longest key, in bytes.
const maxKey = 255

// ParseKey returns the key of a request whose header has these values, or ""
// if it has none. A key is 1 to 255 visible ASCII characters, taken as it is.
// Fault: malformed.
func ParseKey(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		return "", malformed("The header %s is there %d times.", Header, len(values))
	}
	key := values[0]
	if key == "" || len(key) > maxKey {
		return "", malformed("The header %s has %d characters.", Header, len(key))
	}
	for i := range len(key) {
		if key[i] < '!' || key[i] > '~' {
			return "", malformed("Character %d of the header %s is not visible ASCII.", i+1, Header)
		}
	}
	return key, nil
}

func malformed(format string, args ...any) error {
	return fault.New(fault.Malformed, format, args...).
		WithFix("Send one %s of 1 to %d visible ASCII characters, such as a UUID.", Header, maxKey)
}
