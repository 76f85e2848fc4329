package contracttest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"ambit/internal/fault"
)

func TestCodesKeepTheLaw(t *testing.T) {
	want := goldenLines(t, "testdata/codes.golden")
	var got []string
	for _, code := range slices.Sorted(maps.Keys(fault.Codes())) {
		got = append(got, fmt.Sprintf("%d %s", fault.Codes()[code], code))
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%s: the law has it, package fault has not", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("%s: package fault has it, the law has not", line)
		}
	}
}
