package api

import (
	"testing"

	"ambit/internal/fault"
)

func TestCrowd(t *testing.T) {
	var c crowd
	var leave []func()
	for i := range maxOpen {
		l, err := c.enter("token:a")
		if err != nil {
			t.Fatalf("enter #%d = %v", i+1, err)
		}
		leave = append(leave, l)
	}
	if _, err := c.enter("token:a"); !fault.Is(err, fault.RateLimited) {
		t.Errorf("one more than %d = %v, want rate_limited", maxOpen, err)
	}
	other, err := c.enter("token:b")
	if err != nil {
		t.Errorf("another caller = %v, want let in", err)
	}
	leave[0]()
	if _, err := c.enter("token:a"); err != nil {
		t.Errorf("after one left = %v, want let in", err)
	}
	other()
	if len(c.open) != 1 {
		t.Errorf("%d callers are kept, want the one that has something open", len(c.open))
	}
}
