package contracttest

import "testing"

// Tests that need a world with a trained model share one: it takes seconds to make.
func TestTheWall(t *testing.T) {
	w := newWorld(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, w *world)
	}{
		{"every route with every caller", testMatrix},
		{"keys", testKeys},
		{"planned rows", testPlanned},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, w) })
	}
}
