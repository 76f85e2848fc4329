package blobs

import (
	"fmt"
	"regexp"
	"strings"
)

// keyRule: segments of [A-Za-z0-9_.-] that do not begin with a dot, so that no
// key climbs out of its folder or is hidden in it.
var keyRule = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$`)

// maxKey and maxSegment are the longest key and segment, in bytes.
const (
	maxKey     = 512
	maxSegment = 200
)

// checkKey refuses what is not a key. Keys are made by us out of ids, so that
// a bad one is a bug and not something to tell a caller.
func checkKey(key string) error {
	if len(key) > maxKey || !keyRule.MatchString(key) {
		return fmt.Errorf("%.80q is not a blob key", key)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if len(segment) > maxSegment {
			return fmt.Errorf("%.80q has a segment of %d bytes", key, len(segment))
		}
	}
	return nil
}
