package xgboost

import (
	"fmt"
	"math"
)

const (
	maxTreeDepth = maxLeaves
	noParent     = math.MaxInt32 // of a root
	deletedSplit = math.MaxInt32 // feature of a node that was pruned away
)

// node is a node of a tree, 12 bytes: a third of a cache line less to fetch a
// step than the obvious struct. Children lie side by side, so that the right
// one is left+1.
type node struct {
	value float32 // threshold, or the leaf's value, or by its bits the number of a category set
	left  uint32  // place among all nodes; 0 marks a leaf, as no child is the first node
	split uint32  // feature, with the two flags below
}

const (
	missingLeft   = 1 << 31 // a missing value goes left
	onCategories  = 1 << 30
	splitFeatures = onCategories - 1
)

// categorySet is the categories of a node that go right.
type categorySet struct {
	start uint32 // first word among Model.bits
	words uint32
}

// columns is a tree as the file has it: one array a property. It is used again
// for each tree.
type columns struct {
	left, right, parents, features  []int32
	missing, types                  []int32
	conditions, gains, hessians     []float32
	baseWeights                     []float32
	sets, setNodes, setStart, sizes []int32 // of categories
	id, nodes, deleted, width       int
	depth                           []int32
}

var treeKeys = []string{
	"base_weights", "categories", "categories_nodes", "categories_segments", "categories_sizes",
	"default_left", "id", "left_children", "loss_changes", "parents", "right_children",
	"split_conditions", "split_indices", "split_type", "sum_hessian", "tree_param",
}

// tree reads, checks and packs one tree.
func (d *document) tree() {
	c := &d.columns
	d.record(treeKeys, func(key int) { d.treePart(c, key) })
	if d.err != nil {
		return
	}
	number := len(d.model.roots)
	if err := d.checkTree(c, number); err != nil {
		d.fail("tree %d: %v", number, err)
		return
	}
	d.pack(c)
}

func (d *document) treePart(c *columns, key int) {
	switch treeKeys[key] {
	case "base_weights":
		c.baseWeights = d.floats(c.baseWeights[:0])
	case "categories":
		c.sets = d.integers(c.sets[:0], 0, 1<<16)
	case "categories_nodes":
		c.setNodes = d.integers(c.setNodes[:0], 0, maxNodes)
	case "categories_segments":
		c.setStart = d.integers(c.setStart[:0], 0, maxNodes)
	case "categories_sizes":
		c.sizes = d.integers(c.sizes[:0], 1, maxNodes)
	case "default_left":
		c.missing = d.integers(c.missing[:0], 0, 1)
	case "id":
		c.id = int(d.integer(0, maxTrees))
	case "left_children":
		c.left = d.integers(c.left[:0], -1, maxNodes)
	case "loss_changes":
		c.gains = d.floats(c.gains[:0])
	case "parents":
		c.parents = d.integers(c.parents[:0], 0, noParent)
	case "right_children":
		c.right = d.integers(c.right[:0], -1, maxNodes)
	case "split_conditions":
		c.conditions = d.floats(c.conditions[:0])
	case "split_indices":
		c.features = d.integers(c.features[:0], 0, deletedSplit)
	case "split_type":
		c.types = d.integers(c.types[:0], 0, 1)
	case "sum_hessian":
		c.hessians = d.floats(c.hessians[:0])
	case "tree_param":
		d.treeParam(c)
	}
}

func (d *document) treeParam(c *columns) {
	d.record([]string{"num_deleted", "num_feature", "num_nodes", "size_leaf_vector"}, func(key int) {
		switch key {
		case 0:
			c.deleted = int(d.quotedInteger(0, maxNodes))
		case 1:
			c.width = int(d.quotedInteger(1, maxFeatures))
		case 2:
			c.nodes = int(d.quotedInteger(1, maxNodes))
		case 3:
			d.quotedInteger(0, 0)
		}
	})
}

// checkTree checks a tree's counts and then each of its nodes.
func (d *document) checkTree(c *columns, number int) error {
	n := c.nodes
	for _, length := range []int{
		len(c.left), len(c.right), len(c.parents), len(c.features), len(c.missing), len(c.types),
		len(c.conditions), len(c.gains), len(c.hessians), len(c.baseWeights),
	} {
		if length != n {
			return fmt.Errorf("an array of %d for %d nodes", length, n)
		}
	}
	if d.treeWidth == 0 {
		d.treeWidth = c.width
	}
	switch {
	case c.id != number:
		return fmt.Errorf("id %d", c.id)
	case c.width != d.treeWidth:
		return fmt.Errorf("%d features, not %d as before", c.width, d.treeWidth)
	case len(d.model.nodes)+n > maxNodes:
		return fmt.Errorf("too many nodes")
	case c.parents[0] != noParent:
		return fmt.Errorf("the root has a parent")
	}
	if err := c.checkSets(); err != nil {
		return err
	}
	return c.checkNodes()
}

// checkSets checks that the categories are laid out set after set, one a
// categorical node, in the order of the nodes.
func (c *columns) checkSets() error {
	if len(c.setStart) != len(c.setNodes) || len(c.sizes) != len(c.setNodes) {
		return fmt.Errorf("category arrays of %d, %d and %d", len(c.setNodes), len(c.setStart), len(c.sizes))
	}
	end, last := int32(0), int32(-1)
	for i, node := range c.setNodes {
		if node <= last || int(node) >= c.nodes || c.types[node] != 1 {
			return fmt.Errorf("categories for node %d", node)
		}
		if c.setStart[i] != end || int(c.sizes[i]) > len(c.sets)-int(end) {
			return fmt.Errorf("node %d: categories from %d, %d of them", node, c.setStart[i], c.sizes[i])
		}
		end, last = end+c.sizes[i], node
	}
	categorical := 0
	for _, t := range c.types {
		categorical += int(t)
	}
	if int(end) != len(c.sets) || categorical != len(c.setNodes) {
		return fmt.Errorf("%d sets of categories for %d categorical nodes", len(c.setNodes), categorical)
	}
	return nil
}

// checkNodes checks that the nodes are one tree: each but the root is the child
// of the node that it names as its parent, or was pruned away.
func (c *columns) checkNodes() error {
	c.depth = append(c.depth[:0], make([]int32, c.nodes)...)
	reached, deleted := 1, 0
	for i := range c.nodes {
		switch {
		case c.features[i] == deletedSplit:
			if err := c.checkDeleted(i); err != nil {
				return err
			}
			deleted++
		case int(c.features[i]) >= c.width:
			return fmt.Errorf("node %d: feature %d of %d", i, c.features[i], c.width)
		case c.left[i] == -1 && c.right[i] == -1:
			if v := c.conditions[i]; v-v != 0 || c.types[i] != 0 {
				return fmt.Errorf("node %d: a leaf must have a finite value", i)
			}
		default:
			if err := c.checkSplit(i); err != nil {
				return err
			}
			reached += 2
		}
	}
	if reached+deleted != c.nodes || deleted != c.deleted {
		return fmt.Errorf("%d nodes reached and %d deleted of %d", reached, deleted, c.nodes)
	}
	return nil
}

// checkSplit checks an inner node. Its children come later, which rules out
// cycles, side by side, which the library takes for granted, and name it as
// their parent, which rules out shared ones.
func (c *columns) checkSplit(i int) error {
	l, r := int(c.left[i]), int(c.right[i])
	if l <= i || r != l+1 || r >= c.nodes || c.parents[l] != int32(i) || c.parents[r] != int32(i) {
		return fmt.Errorf("node %d: children %d and %d", i, l, r)
	}
	if c.features[l] == deletedSplit || c.features[r] == deletedSplit {
		return fmt.Errorf("node %d: a child was deleted", i)
	}
	if v := c.conditions[i]; v != v && c.types[i] == 0 {
		return fmt.Errorf("node %d: no threshold", i)
	}
	c.depth[l], c.depth[r] = c.depth[i]+1, c.depth[i]+1
	if c.depth[l] > maxTreeDepth {
		return fmt.Errorf("node %d: deeper than %d", l, maxTreeDepth)
	}
	return nil
}

// checkDeleted checks a node that was pruned away. It hangs on nothing, but the
// library looks its parent up. Its mark is the feature and the default together.
func (c *columns) checkDeleted(i int) error {
	if i == 0 || c.left[i] != -1 || c.right[i] != -1 || int(c.parents[i]) >= i || c.types[i] != 0 || c.missing[i] != 1 {
		return fmt.Errorf("node %d: a deleted node must be bare", i)
	}
	return nil
}

// pack appends a checked tree to the model.
func (d *document) pack(c *columns) {
	m, root := d.model, uint32(len(d.model.nodes))
	m.roots = append(m.roots, root)
	set := 0
	for i := range c.nodes {
		n := node{value: c.conditions[i]}
		if c.left[i] >= 0 {
			n.left = root + uint32(c.left[i])
			n.split = uint32(c.features[i])
			d.note(n.split, c.types[i] == 1)
			if c.missing[i] == 1 {
				n.split |= missingLeft
			}
			if c.types[i] == 1 {
				n.split |= onCategories
				n.value = math.Float32frombits(uint32(len(m.sets)))
				m.addSet(c.sets[c.setStart[set]:][:c.sizes[set]])
				set++
			}
		}
		m.nodes = append(m.nodes, n)
	}
}

// note keeps how a feature is split; one split otherwise shows later.
func (d *document) note(feature uint32, isCategory bool) {
	if d.categories == nil {
		d.categories = map[uint32]bool{}
	}
	if before, ok := d.categories[feature]; ok && before != isCategory {
		d.fail("feature %d is split both as a number and as categories", feature)
	}
	d.categories[feature] = isCategory
}

// addSet appends a set of categories as bits.
func (m *Model) addSet(categories []int32) {
	set := categorySet{start: uint32(len(m.bits))}
	for _, c := range categories {
		word := uint32(c) / 32
		for set.words <= word {
			m.bits = append(m.bits, 0)
			set.words++
		}
		m.bits[set.start+word] |= 1 << (uint32(c) % 32)
	}
	m.sets = append(m.sets, set)
}
