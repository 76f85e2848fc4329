package xgboost

import "math"

// firstInvalidCategory is the library's bound for category codes: floats from
// here on are no longer exact integers.
const firstInvalidCategory = 1 << 24

// Margin scores a row of Features() values, NaN being missing, into out, which
// has Groups() values. The sums are those of the library, in its order and in
// 32 bits, so that the result is equal to the last bit. It allocates nothing.
// A row or an out that is too short panics, as an index out of range does.
func (m *Model) Margin(row, out []float32) {
	row, out = row[:m.features], out[:m.groups]
	if m.kind == Linear {
		m.linear(row, out)
		return
	}
	for i := range out {
		out[i] = m.base
	}
	for t, root := range m.roots {
		leaf := m.leaf(root, row)
		if m.drop != nil {
			leaf = float32(leaf * m.drop[t]) // rounded before it is added, on every processor
		}
		out[m.group[t]] += leaf
	}
}

// leaf walks a tree and returns the value it ends at. Which way a row goes is
// as good as random to the processor: the usual step is written so that it
// compiles to conditional moves, which saves a third of the time.
func (m *Model) leaf(at uint32, row []float32) float32 {
	for {
		n := &m.nodes[at]
		if n.left == 0 {
			return n.value
		}
		v := row[n.split&splitFeatures]
		right := uint32(1)
		if v < n.value {
			right = 0
		}
		if v != v {
			right = 1 - n.split>>31
		} else if n.split&onCategories != 0 {
			right = m.inSet(math.Float32bits(n.value), v)
		}
		at = n.left + right
	}
}

// inSet returns 1 if a value is a category of a set, else 0. Codes are
// truncated; what is no code is in no set.
func (m *Model) inSet(set uint32, v float32) uint32 {
	if v < 0 || v >= firstInvalidCategory {
		return 0
	}
	s, code := m.sets[set], uint32(v)
	if code/32 >= s.words {
		return 0
	}
	return m.bits[s.start+code/32] >> (code % 32) & 1
}

// linear adds up weighted features; a missing one counts as zero.
func (m *Model) linear(row, out []float32) {
	bias := m.weights[m.features*m.groups:]
	for g := range out {
		sum := bias[g] + m.base
		for i, v := range row {
			if v == v {
				sum += float32(v * m.weights[i*m.groups+g])
			}
		}
		out[g] = sum
	}
}
