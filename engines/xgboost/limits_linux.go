package xgboost

import (
	"os"
	"strconv"
	"strings"
)

// ownData returns what the data limit must leave to the process itself: what
// it holds now, as the kernel counts for the limit, and some slack.
func ownData() uint64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return ownSlack
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 6 {
		return ownSlack
	}
	pages, _ := strconv.ParseUint(fields[5], 10, 64)
	return pages*uint64(os.Getpagesize()) + ownSlack
}
