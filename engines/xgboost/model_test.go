package xgboost

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/training"
)

// twoTrees is a model with a number split, a category split and two pruned nodes.
func twoTrees(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/two_trees.json")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

func TestParseTwoTrees(t *testing.T) {
	m, err := Parse([]byte(twoTrees(t)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind() != Trees || m.Objective() != "binary:logistic" || m.Features() != 2 || m.Groups() != 1 || m.Rounds() != 2 {
		t.Errorf("model %s, %s, %d features, %d groups, %d rounds", m.Kind(), m.Objective(), m.Features(), m.Groups(), m.Rounds())
	}
	nan := float32(math.NaN())
	tests := []struct{ number, category, want float32 }{
		{0, 0, -0.25 + 0.1},
		{0, 1, -0.25 - 0.125},
		{0.5, 3, 0.25 - 0.125},
		{0.5, 2, 0.25 + 0.1},
		{nan, 1, -0.25 - 0.125},
		{1, nan, 0.25 - 0.125},
		{1, 3.9, 0.25 - 0.125},
		{1, -1, 0.25 + 0.1},
		{1, 64, 0.25 + 0.1},
		{1, 16777216, 0.25 + 0.1},
	}
	out := make([]float32, 1)
	for _, tt := range tests {
		if m.Margin([]float32{tt.number, tt.category}, out); out[0] != tt.want {
			t.Errorf("margin of (%g, %g) = %g, want %g", tt.number, tt.category, out[0], tt.want)
		}
	}
}

// TestLibraryReadsTwoTrees shows that the hand-written model is one, and what it says.
func TestLibraryReadsTwoTrees(t *testing.T) {
	s := openSession(t)
	model := []byte(twoTrees(t))
	rows := oddRows(1, 500, training.Matrix{Rows: 2, Cols: 2, Data: []float32{0.4, 1, 0.5, 3}})
	margins, err := s.Score(t.Context(), model, rows)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	sameMargins(t, m, rows, margins)
}

// TestParseRefuses changes one thing at a time in a good model.
func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"space before", `{"learner":`, ` {"learner":`, "does not begin"},
		{"text after", `"version":[1,7,4]}`, `"version":[1,7,4]} {}`, "text after the end"},
		{"cut off", `,"version":[1,7,4]}`, ``, "want ','"},
		{"other version", `[1,7,4]`, `[2,0,3]`, "want 1.7"},
		{"unknown key", `"num_target":"1"`, `"num_target":"1","x":"1"`, `unknown key "x"`},
		{"key in capitals", `"tree_info"`, `"Tree_Info"`, `unknown key "Tree_Info"`},
		{"key twice", `"id":0`, `"id":0,"id":0`, `key "id" twice`},
		{"key missing", `"id":0,`, ``, "keys are missing"},
		{"escaped key", `"id":0`, `"\u0069d":0`, "plain text"},
		{"attribute twice", `"note":`, `"best_iteration":`, `attribute "best_iteration" twice`},
		{"bad escape", `a \"quoted`, `a \x`, "unknown escape"},
		{"bad UTF-8", `a \"quoted`, "a \xff", "not UTF-8"},
		{"control character", `a \"quoted`, "a \x01", "control character"},

		{"objective", `"name":"binary:logistic"`, `"name":"rank:pairwise"`, "not supported"},
		{"objective's parameters", `"reg_loss_param":{"scale_pos_weight":"1"}`, `"softmax_multiclass_param":{"num_class":"2"}`, "parameters are not those"},
		{"negative weight of the positive", `"scale_pos_weight":"1"`, `"scale_pos_weight":"-1"`, "is negative"},
		{"booster", `"name":"gbtree"`, `"name":"gblinear"`, "without weights"},
		{"dart without weights", `"name":"gbtree"`, `"name":"dart"`, "parts are not those"},
		{"base score", `"base_score":"5E-1"`, `"base_score":"nan"`, "finite"},
		{"base score too long", `"base_score":"5E-1"`, `"base_score":"0.1234567891"`, "not a finite number"},
		{"base score in another form", `"base_score":"5E-1"`, `"base_score":"5"`, "not a finite number"},
		{"base score and more", `"base_score":"5E-1"`, `"base_score":"5E-1]"`, "not a finite number"},
		{"base score no probability", `"base_score":"5E-1"`, `"base_score":"1E0"`, "no probability"},
		{"classes", `"num_class":"0"`, `"num_class":"3"`, "3 classes"},
		{"targets", `"num_target":"1"`, `"num_target":"2"`, "is not in [1, 1]"},
		{"features", `"num_class":"0","num_feature":"2"`, `"num_class":"0","num_feature":"3"`, "feature names for 3"},
		{"names", `["f0","f1"]`, `["f0"]`, "1 feature names for 2"},
		{"types", `["q","c"]`, `["q"]`, "1 feature types for 2"},
		{"unknown type", `["q","c"]`, `["q","x"]`, `feature type "x"`},
		{"type against splits", `["q","c"]`, `["q","q"]`, "not of its type"},

		{"tree count", `"num_trees":"2"`, `"num_trees":"3"`, "counted as 3"},
		{"parallel trees", `"num_parallel_tree":"1"`, `"num_parallel_tree":"3"`, "rounds of 3"},
		{"leaf vectors", `"num_trees":"2","size_leaf_vector":"0"`, `"num_trees":"2","size_leaf_vector":"1"`, "is not in [0, 0]"},
		{"groups", `"tree_info":[0,0]`, `"tree_info":[0]`, "with 1 groups"},
		{"group", `"tree_info":[0,0]`, `"tree_info":[0,1]`, "tree 1 is of group 1"},
		{"tree id", `"id":1`, `"id":0`, "id 0"},
		{"tree width", `"num_deleted":"0","num_feature":"2"`, `"num_deleted":"0","num_feature":"9"`, "features"},
		{"node count", `"num_nodes":"3"`, `"num_nodes":"4"`, "array of 3 for 4"},
		{"deleted count", `"num_deleted":"2"`, `"num_deleted":"1"`, "2 deleted"},
		{"deleted hangs on", `"left_children":[1,-1,-1,-1,-1]`, `"left_children":[3,-1,-1,-1,-1]`, "children 3 and 2"},
		{"deleted without its mark", `"default_left":[0,0,0,1,1]`, `"default_left":[0,0,0,1,0]`, "bare"},
		{"deleted parent", `"parents":[2147483647,0,0,1,1]`, `"parents":[2147483647,0,0,1,9]`, "bare"},

		{"array length", `"default_left":[1,0,0]`, `"default_left":[1,0]`, "array of 2 for 3"},
		{"default", `"default_left":[1,0,0]`, `"default_left":[2,0,0]`, "is not in [0, 1]"},
		{"child outside", `"left_children":[1,-1,-1],"loss_changes":[1E1`, `"left_children":[7,-1,-1],"loss_changes":[1E1`, "children 7 and 2"},
		{"child before", `"right_children":[2,-1,-1],"split_conditions":[5E-1`, `"right_children":[0,-1,-1],"split_conditions":[5E-1`, "children 1 and 0"},
		{"one child", `"right_children":[2,-1,-1],"split_conditions":[5E-1`, `"right_children":[-1,-1,-1],"split_conditions":[5E-1`, "children 1 and -1"},
		{"loop", `"left_children":[1,-1,-1],"loss_changes":[1E1`, `"left_children":[1,0,-1],"loss_changes":[1E1`, "node 1: children"},
		{"parent", `"parents":[2147483647,0,0],`, `"parents":[2147483647,1,0],`, "children 1 and 2"},
		{"root's parent", `"parents":[2147483647,0,0],`, `"parents":[0,0,0],`, "root has a parent"},
		{"feature", `"split_indices":[0,0,0]`, `"split_indices":[2,0,0]`, "feature 2 of 2"},
		{"negative feature", `"split_indices":[0,0,0]`, `"split_indices":[-1,0,0]`, "is not in"},
		{"threshold", `[5E-1,-2.5E-1`, `[NaN,-2.5E-1`, "no threshold"},
		{"leaf", `[5E-1,-2.5E-1`, `[5E-1,Infinity`, "finite value"},
		{"whole number for a float", `[5E-1,-2.5E-1`, `[1,-2.5E-1`, "fraction or an exponent"},
		{"float for a whole number", `"id":0`, `"id":0E0`, "whole number"},
		{"leading zero", `"id":0`, `"id":00`, "whole number"},
		{"overflow", `[5E-1,-2.5E-1`, `[5E39,-2.5E-1`, "fits 32 bits"},

		{"category", `"categories":[1,3]`, `"categories":[1,-3]`, "is not in"},
		{"huge category", `"categories":[1,3]`, `"categories":[1,99999999]`, "is not in"},
		{"category node", `"categories_nodes":[0]`, `"categories_nodes":[1]`, "categories for node 1"},
		{"category segment", `"categories_segments":[0]`, `"categories_segments":[1]`, "categories from 1"},
		{"category size", `"categories_sizes":[2]`, `"categories_sizes":[3]`, "3 of them"},
		{"empty set", `"categories_sizes":[2]`, `"categories_sizes":[0]`, "is not in"},
		{"categories left over", `"categories_sizes":[2]`, `"categories_sizes":[1]`, "sets of categories"},
		{"split without categories", `"split_type":[0,0,0],`, `"split_type":[1,0,0],`, "sets of categories"},
		{"split type", `"split_type":[1,0,0,0,0]`, `"split_type":[2,0,0,0,0]`, "is not in [0, 1]"},
		{"both kinds of split", `"split_indices":[1,0,0,`, `"split_indices":[0,0,0,`, "both as a number and as categories"},
	}
	good := twoTrees(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Count(good, tt.old) != 1 {
				t.Fatalf("%q is %d times in the model, want once", tt.old, strings.Count(good, tt.old))
			}
			_, err := Parse([]byte(strings.Replace(good, tt.old, tt.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, want %q", err, tt.want)
			}
			if err != nil && fault.From(err).Code != fault.Invalid {
				t.Errorf("code %q, want invalid", fault.From(err).Code)
			}
		})
	}
}

// TestParseRefusesLinear does the same for weights.
func TestParseRefusesLinear(t *testing.T) {
	const good = `{"learner":{"attributes":{},"feature_names":[],"feature_types":[],"gradient_booster":{"model":{"boosted_rounds":2,"weights":[1E0,2E0,3E0]},"name":"gblinear"},` +
		`"learner_model_param":{"base_score":"5E-1","boost_from_average":"0","num_class":"0","num_feature":"2","num_target":"1"},` +
		`"objective":{"name":"reg:squarederror","reg_loss_param":{"scale_pos_weight":"1"}}},"version":[1,7,6]}`
	m, err := Parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, 1)
	if m.Margin([]float32{1, float32(math.NaN())}, out); out[0] != 4.5 {
		t.Errorf("margin %g, want 3 + 0.5 + 1·1 = 4.5", out[0])
	}
	for old, new := range map[string]string{
		"3E0]": "3E0,4E0]", ",3E0]": "]", "1E0,": "NaN,", `"boosted_rounds":2`: `"boosted_rounds":0`,
		`"boosted_rounds":2,`: ``, `"gblinear"`: `"gbtree"`, `"boosted_rounds":2,` + `"weights"`: `"trees":[],"weights"`,
	} {
		if _, err := Parse([]byte(strings.Replace(good, old, new, 1))); err == nil {
			t.Errorf("%s for %s is accepted", new, old)
		}
	}
}

func TestParseTooDeep(t *testing.T) {
	for depth, ok := range map[int]bool{maxTreeDepth: true, maxTreeDepth + 1: false} {
		if _, err := Parse(vine(depth)); (err == nil) != ok {
			t.Errorf("a tree of depth %d: %v", depth, err)
		}
	}
}

// vine writes a tree whose right children alone go on.
func vine(depth int) []byte {
	n := 2*depth + 1
	column := func(value func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = value(i)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	inner := func(i int) bool { return i%2 == 0 && i < n-1 }
	child := func(step int) string {
		return column(func(i int) string {
			if inner(i) {
				return strconv.Itoa(i + step)
			}
			return "-1"
		})
	}
	parents := column(func(i int) string {
		if i == 0 {
			return "2147483647"
		}
		return strconv.Itoa((i - 1) / 2 * 2)
	})
	zeros, floats := column(func(int) string { return "0" }), column(func(int) string { return "0E0" })
	var b bytes.Buffer
	b.WriteString(`{"learner":{"attributes":{},"feature_names":[],"feature_types":[],"gradient_booster":{"model":{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"1","size_leaf_vector":"0"},"tree_info":[0],"trees":[{"base_weights":` + floats +
		`,"categories":[],"categories_nodes":[],"categories_segments":[],"categories_sizes":[],"default_left":` + zeros + `,"id":0,"left_children":` + child(1) + `,"loss_changes":` + floats +
		`,"parents":` + parents + `,"right_children":` + child(2) + `,"split_conditions":` + floats + `,"split_indices":` + zeros + `,"split_type":` + zeros + `,"sum_hessian":` + floats +
		`,"tree_param":{"num_deleted":"0","num_feature":"1","num_nodes":"` + strconv.Itoa(n) + `","size_leaf_vector":"0"}}]},"name":"gbtree"},` +
		`"learner_model_param":{"base_score":"5E-1","boost_from_average":"1","num_class":"0","num_feature":"1","num_target":"1"},"objective":{"name":"reg:squarederror","reg_loss_param":{"scale_pos_weight":"1"}}},"version":[1,7,4]}`)
	return b.Bytes()
}
