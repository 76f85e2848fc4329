package xgboost

import (
	"errors"
	"fmt"
	"slices"
)

const (
	maxFeatures   = 1 << 24
	maxNodes      = 1 << 28 // of all trees
	maxTextLength = 1 << 16 // of an attribute or a name, in bytes
)

// document reads a model file in one pass. Trees are checked and packed as they
// come; what refers to something further down the file is checked at the end.
type document struct {
	scanner
	model *Model

	booster    string // gbtree, gblinear, dart
	inner      string // of dart: the name of what it wraps
	parallel   int    // trees a round and group
	trees      int    // as counted by the file
	treeWidth  int    // features, as each tree says; 0 before the first
	classes    int
	named      int // features that have a name
	hasTrees   bool
	hasWeights bool
	score      float32         // base score, before it becomes a margin
	columns    columns         // of the tree being read
	categories map[uint32]bool // by feature: whether its splits are on categories
}

// read reads the whole file.
func (d *document) read() {
	d.record([]string{"learner", "version"}, func(key int) {
		if key == 0 {
			d.learner()
		} else {
			d.version()
		}
	})
	if d.peek(); d.pos < len(d.data) {
		d.fail("text after the end")
	}
}

// version accepts 1.7: the rules that follow are those of its files.
func (d *document) version() {
	v := d.integers(nil, 0, 1<<16)
	if d.err == nil && (len(v) != 3 || v[0] != 1 || v[1] != 7) {
		d.fail("version %v, want 1.7", v)
	}
}

func (d *document) learner() {
	keys := []string{"attributes", "feature_names", "feature_types", "gradient_booster", "learner_model_param", "objective"}
	d.record(keys, func(key int) {
		switch key {
		case 0:
			d.attributes()
		case 1:
			d.names()
		case 2:
			d.types()
		case 3:
			d.gradientBooster()
		case 4:
			d.learnerParam()
		case 5:
			d.objective()
		}
	})
}

// attributes are texts under free names; nothing reads them here.
func (d *document) attributes() {
	d.take('{')
	seen := map[string]bool{}
	for first := true; d.more(first, '}'); first = false {
		name := d.text(maxTextLength)
		d.take(':')
		d.text(maxTextLength)
		if seen[name] {
			d.fail("attribute %q twice", name)
		}
		seen[name] = true
	}
}

// names checks the feature names; which column is which is not theirs to say.
func (d *document) names() {
	n := 0
	d.array(func() {
		d.text(maxTextLength)
		if n++; n > maxFeatures {
			d.fail("too many names")
		}
	})
	d.named = n
}

func (d *document) types() {
	d.array(func() {
		t := d.text(8)
		if d.err == nil && !slices.Contains([]string{"q", "c", "i", "int", "float"}, t) {
			d.fail("feature type %q", t)
		}
		d.model.types = append(d.model.types, t)
	})
}

func (d *document) learnerParam() {
	keys := []string{"base_score", "boost_from_average", "num_class", "num_feature", "num_target"}
	d.record(keys, func(key int) {
		switch key {
		case 0:
			d.score = d.quotedScore()
		case 1:
			d.quotedInteger(0, 1)
		case 2:
			d.classes = int(d.quotedInteger(0, maxClasses))
		case 3:
			d.model.features = int(d.quotedInteger(1, maxFeatures))
		case 4:
			d.quotedInteger(1, 1)
		}
	})
}

// objective reads the objective and the one parameter group that belongs to it.
func (d *document) objective() {
	classes := -1
	seen := d.object([]string{"name", "reg_loss_param", "softmax_multiclass_param"}, func(key int) {
		switch key {
		case 0:
			d.model.objective = d.text(64)
		case 1:
			d.record([]string{"scale_pos_weight"}, func(int) {
				if d.quotedFloat() < 0 {
					d.fail("scale_pos_weight is negative")
				}
			})
		case 2:
			d.record([]string{"num_class"}, func(int) { classes = int(d.quotedInteger(2, maxClasses)) })
		}
	})
	want := map[string]uint32{"binary:logistic": 0b011, "reg:squarederror": 0b011, "multi:softprob": 0b101}[d.model.objective]
	switch {
	case d.err != nil:
	case want == 0:
		d.fail("objective %q is not supported", d.model.objective)
	case seen != want:
		d.fail("the parameters are not those of objective %q", d.model.objective)
	}
	d.model.groups = max(1, classes)
}

// gradientBooster reads a booster of any kind; the kind's name comes last in the file.
func (d *document) gradientBooster() {
	seen := d.object([]string{"name", "model", "gbtree", "weight_drop"}, func(key int) {
		switch key {
		case 0:
			d.booster = d.text(64)
		case 1:
			d.boosterModel()
		case 2:
			d.wrapped()
		case 3:
			d.model.drop = d.floats(nil)
		}
	})
	want := map[string]uint32{"gbtree": 0b0011, "gblinear": 0b0011, "dart": 0b1101}[d.booster]
	switch {
	case d.err != nil:
	case want == 0:
		d.fail("booster %q is not supported", d.booster)
	case seen != want:
		d.fail("the parts are not those of booster %q", d.booster)
	}
}

// wrapped reads the trees of a dart booster.
func (d *document) wrapped() {
	d.record([]string{"model", "name"}, func(key int) {
		if key == 0 {
			d.boosterModel()
		} else if d.inner = d.text(64); d.inner != "gbtree" {
			d.fail("dart wraps %q", d.inner)
		}
	})
}

// boosterModel reads trees or weights.
func (d *document) boosterModel() {
	seen := d.object([]string{"gbtree_model_param", "tree_info", "trees", "boosted_rounds", "weights"}, func(key int) {
		switch key {
		case 0:
			d.treesParam()
		case 1:
			d.model.group = d.integers(nil, 0, maxClasses-1)
		case 2:
			d.array(d.tree)
		case 3:
			d.model.rounds = int(d.integer(1, maxTrees))
		case 4:
			d.model.weights = d.floats(nil)
		}
	})
	d.hasTrees, d.hasWeights = seen == 0b00111, seen == 0b11000
	if d.err == nil && !d.hasTrees && !d.hasWeights {
		d.fail("a model of neither trees nor weights")
	}
}

func (d *document) treesParam() {
	d.record([]string{"num_parallel_tree", "num_trees", "size_leaf_vector"}, func(key int) {
		switch key {
		case 0:
			d.parallel = int(d.quotedInteger(1, maxTrees))
		case 1:
			d.trees = int(d.quotedInteger(1, maxTrees))
		case 2:
			d.quotedInteger(0, 0)
		}
	})
}

// assemble checks what spans parts of the file.
func (d *document) assemble() error {
	m := d.model
	if d.classes != m.groups && !(d.classes == 0 && m.groups == 1) {
		return fmt.Errorf("%d classes under objective %s", d.classes, m.objective)
	}
	if n := d.named; n != 0 && n != m.features {
		return fmt.Errorf("%d feature names for %d features", n, m.features)
	}
	if n := len(m.types); n != 0 && n != m.features {
		return fmt.Errorf("%d feature types for %d features", n, m.features)
	}
	base, err := margin(m.objective, d.score)
	if err != nil {
		return err
	}
	m.base = base
	if d.booster == "gblinear" {
		return d.assembleLinear()
	}
	return d.assembleTrees()
}

func (d *document) assembleLinear() error {
	m := d.model
	m.kind = Linear
	if !d.hasWeights {
		return errors.New("gblinear without weights")
	}
	if want := (m.features + 1) * m.groups; len(m.weights) != want {
		return fmt.Errorf("%d weights, want %d", len(m.weights), want)
	}
	return finite("weight", m.weights)
}

func (d *document) assembleTrees() error {
	m := d.model
	n, a, round := len(m.roots), d.parallel, d.parallel*m.groups
	switch {
	case !d.hasTrees:
		return errors.New("a tree booster without trees")
	case n != d.trees, len(m.group) != n, n%round != 0:
		return fmt.Errorf("%d trees in rounds of %d, counted as %d, with %d groups", n, round, d.trees, len(m.group))
	case d.treeWidth != m.features:
		return fmt.Errorf("trees of %d features in a model of %d", d.treeWidth, m.features)
	case d.booster == "dart" && len(m.drop) != n:
		return fmt.Errorf("%d weights for %d trees", len(m.drop), n)
	}
	for i, g := range m.group {
		if int(g) != i/a%m.groups {
			return fmt.Errorf("tree %d is of group %d", i, g)
		}
	}
	if err := d.checkTypes(); err != nil {
		return err
	}
	m.rounds = n / round
	m.kind = Trees
	switch {
	case d.booster == "dart":
		m.kind = Dart
	case d.parallel > 1:
		m.kind = Forest
	}
	return finite("weight_drop", m.drop)
}

// checkTypes compares how features are split with the types that are told.
func (d *document) checkTypes() error {
	for feature, isCategory := range d.categories {
		if len(d.model.types) > 0 && (d.model.types[feature] == "c") != isCategory {
			return fmt.Errorf("splits on feature %d are not of its type %q", feature, d.model.types[feature])
		}
	}
	return nil
}

func finite(what string, values []float32) error {
	for i, v := range values {
		if v-v != 0 {
			return fmt.Errorf("%s %d is not finite", what, i)
		}
	}
	return nil
}
