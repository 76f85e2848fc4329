package xgboost

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"ambit/training"
)

func TestSettings(t *testing.T) {
	f := small(threeClasses)
	f.Params = training.Params{
		Booster: "dart", Objective: "multi:softprob", Metric: "mlogloss", Classes: 3, Seed: -9, Threads: 4, TreeMethod: "approx", GrowPolicy: "lossguide",
		Eta: ptr(0.05), MaxDepth: ptr(6), MaxLeaves: ptr(31), MaxBin: ptr(64), MinChild: ptr(0.5), Gamma: ptr(0.25), Subsample: ptr(0.8),
		ColTree: ptr(0.7), ColLevel: ptr(0.6), ColNode: ptr(0.9), Lambda: ptr(2.0), Alpha: ptr(1e-4), BaseScore: ptr(0.3),
		MaxDelta: ptr(1.0), Parallel: ptr(2), RateDrop: ptr(0.1), Monotone: []int{1, 0, -1},
	}
	want := "booster=dart objective=multi:softprob validate_parameters=1 eval_metric=mlogloss seed=-9 nthread=1 num_class=3 tree_method=approx grow_policy=lossguide " +
		"eta=0.05 max_depth=6 max_leaves=31 max_bin=64 min_child_weight=0.5 gamma=0.25 subsample=0.8 colsample_bytree=0.7 colsample_bylevel=0.6 colsample_bynode=0.9 " +
		"lambda=2 alpha=0.0001 base_score=0.3 max_delta_step=1 num_parallel_tree=2 rate_drop=0.1 monotone_constraints=(1,0,-1)"
	if got := line(settings(f)); got != want {
		t.Errorf("settings\n got %s\nwant %s", got, want)
	}
	f = small(binary)
	f.Valid = nil
	f.Params = training.Params{Booster: "gblinear", Objective: "binary:logistic", Metric: "auc", PosWeight: ptr(3.0)}
	want = "booster=gblinear objective=binary:logistic validate_parameters=1 eval_metric=logloss seed=0 nthread=1 updater=coord_descent scale_pos_weight=3"
	if got := line(settings(f)); got != want {
		t.Errorf("settings\n got %s\nwant %s", got, want)
	}
}

func line(settings []setting) string {
	parts := make([]string, len(settings))
	for i, s := range settings {
		parts[i] = s.Name + "=" + s.Value
	}
	return strings.Join(parts, " ")
}

// TestLibraryKnowsTheParameters fits with every parameter that there is, and
// looks for the library's warning about those that it does not use.
func TestLibraryKnowsTheParameters(t *testing.T) {
	s := openSession(t)
	used := map[string]bool{}
	for _, k := range kinds() {
		k.params.RateDrop = nil
		if k.params.Booster == "dart" {
			k.params.RateDrop = ptr(0.1)
		}
		fit := training.Fit{Train: k.train, Params: k.params, Rounds: 1}
		for _, n := range numbers(k.params) {
			if n.value != nil {
				used[n.name] = true
			}
		}
		mustFit(t, s, fit)
	}
	if words := s.process.LastWords(); words != "" {
		t.Errorf("the library says %s", words)
	}
	for _, n := range numbers(training.Params{}) {
		if !used[n.name] {
			t.Errorf("no fit has used %s", n.name)
		}
	}
	if _, err := s.exchange(t.Context(), request{Fit: &fitRequest{Settings: []setting{{"no_such", "1"}, {"validate_parameters", "1"}}, Rounds: 1, Threads: 1,
		Train: mustAdd(t, s, table(1, 10, 2, 0, binary)), Out: "x"}}, &watch{}); err != nil {
		t.Fatal(err)
	}
	if words := s.process.LastWords(); !strings.Contains(words, "no_such") {
		t.Errorf("the library says %q of a parameter that it does not know: the test shows nothing", words)
	}
}

func mustAdd(t *testing.T, s *Session, m training.Matrix) matrixFile {
	t.Helper()
	f, err := s.matrices.add(m)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestNumbers tries each numeric parameter at and past its bounds.
func TestNumbers(t *testing.T) {
	bounds := map[string][2]float64{ // the closed range that passes
		"eta": {1e-9, 1}, "max_depth": {1, 64}, "max_leaves": {0, 1024}, "max_bin": {2, 65536}, "min_child_weight": {0, 1e9}, "gamma": {0, 1e9},
		"subsample": {1e-9, 1}, "colsample_bytree": {1e-9, 1}, "colsample_bylevel": {1e-9, 1}, "colsample_bynode": {1e-9, 1}, "lambda": {0, 1e9}, "alpha": {0, 1e9},
		"base_score": {1e-6, 1 - 1e-6}, "scale_pos_weight": {1e-9, 1e6}, "max_delta_step": {0, 1e6}, "num_parallel_tree": {1, 10000}, "rate_drop": {0, 1},
	}
	params := reflect.TypeFor[training.Params]()
	tried := 0
	for i := range params.NumField() {
		field := params.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Type.Kind() != reflect.Pointer {
			continue
		}
		tried++
		b := bounds[name]
		try := map[float64]bool{b[0]: true, b[1]: true, b[0] - 1: false, b[1] + 1: false}
		if field.Type.Elem().Kind() == reflect.Float64 {
			try[math.Inf(1)], try[math.Inf(-1)] = false, false
			checkNumber(t, i, name, math.NaN(), false)
		}
		for v, ok := range try {
			checkNumber(t, i, name, v, ok)
		}
	}
	if tried != len(bounds) || tried != len(numbers(training.Params{})) {
		t.Errorf("%d numeric parameters, %d with bounds, %d in the table", tried, len(bounds), len(numbers(training.Params{})))
	}
}

// checkNumber sets field i of the parameters to v.
func checkNumber(t *testing.T, i int, name string, v float64, ok bool) {
	t.Helper()
	f := small(binary)
	f.Params.Booster = "dart"
	field := reflect.ValueOf(&f.Params).Elem().Field(i)
	value := reflect.New(field.Type().Elem())
	value.Elem().Set(reflect.ValueOf(v).Convert(field.Type().Elem()))
	field.Set(value)
	switch err := checkFit(f); {
	case ok && err != nil:
		t.Errorf("%s = %v: %v", name, v, err)
	case !ok:
		wantField(t, err, "params."+name, "")
	}
}

func TestCheckParamsRefuses(t *testing.T) {
	linear := func(f *training.Fit) {
		f.Params = training.Params{Booster: "gblinear", Objective: "binary:logistic", Metric: "auc"}
	}
	tests := []struct {
		name       string
		spoil      func(f *training.Fit)
		path, rule string
	}{
		{"no booster", func(f *training.Fit) { f.Params.Booster = "" }, "params.booster", "one of gbtree, gblinear, dart"},
		{"objective", func(f *training.Fit) { f.Params.Objective = "rank:pairwise" }, "params.objective", "one of binary:logistic"},
		{"metric", func(f *training.Fit) { f.Params.Metric = "mlogloss" }, "params.metric", "one of logloss, auc, rmse"},
		{"no metric to watch", func(f *training.Fit) { f.Params.Metric = "" }, "params.metric", "one of"},
		{"several metrics", func(f *training.Fit) { f.Params.Metric = "auc,logloss" }, "params.metric", "one of"},
		{"tree method", func(f *training.Fit) { f.Params.TreeMethod = "gpu_hist" }, "params.tree_method", "one of hist, exact, approx"},
		{"grow policy", func(f *training.Fit) { f.Params.GrowPolicy = "sideways" }, "params.grow_policy", "one of depthwise, lossguide"},
		{"classes for binary", func(f *training.Fit) { f.Params.Classes = 2 }, "params.classes", "leave it out"},
		{"no classes", func(f *training.Fit) { f.Params.Objective = "multi:softprob" }, "params.classes", "[2, 1000]"},
		{"too many classes", func(f *training.Fit) { f.Params.Objective, f.Params.Classes = "multi:softprob", 1001 }, "params.classes", "[2, 1000]"},
		{"threads", func(f *training.Fit) { f.Params.Threads = 100_000 }, "params.threads", "[0, 1024]"},
		{"negative threads", func(f *training.Fit) { f.Params.Threads = -1 }, "params.threads", "[0, 1024]"},
		{"weight of the positive", func(f *training.Fit) { f.Params.Objective, f.Params.PosWeight = "reg:squarederror", ptr(2.0) }, "params.scale_pos_weight", "leave it out"},
		{"no bound on depth", func(f *training.Fit) { f.Params.MaxDepth = ptr(0) }, "params.max_depth", "max_leaves"},
		{"leaves under exact", func(f *training.Fit) { f.Params.TreeMethod, f.Params.MaxLeaves = "exact", ptr(31) }, "params.max_leaves", "exact"},
		{"bins under exact", func(f *training.Fit) { f.Params.TreeMethod, f.Params.MaxBin = "exact", ptr(31) }, "params.max_bin", "exact"},
		{"lossguide under exact", func(f *training.Fit) { f.Params.TreeMethod, f.Params.GrowPolicy = "exact", "lossguide" }, "params.grow_policy", "depthwise"},
		{"dropping without dart", func(f *training.Fit) { f.Params.RateDrop = ptr(0.1) }, "params.rate_drop", "no meaning"},
		{"depth of a line", func(f *training.Fit) { linear(f); f.Params.MaxDepth = ptr(3) }, "params.max_depth", "no meaning"},
		{"method of a line", func(f *training.Fit) { linear(f); f.Params.TreeMethod = "hist" }, "params.tree_method", "no meaning"},
		{"policy of a line", func(f *training.Fit) { linear(f); f.Params.GrowPolicy = "depthwise" }, "params.grow_policy", "no meaning"},
		{"constraints of a line", func(f *training.Fit) { linear(f); f.Params.Monotone = []int{0, 0, 1} }, "params.monotone_constraints", "no meaning"},
		{"base score", func(f *training.Fit) { f.Params.BaseScore = ptr(1.0) }, "params.base_score", "probability"},
		{"constraints too short", func(f *training.Fit) { f.Params.Monotone = []int{1} }, "params.monotone_constraints", "one value a column: 3"},
		{"constraints too long", func(f *training.Fit) { f.Params.Monotone = []int{1, 1, 1, 1} }, "params.monotone_constraints", "one value a column: 3"},
		{"constraint", func(f *training.Fit) { f.Params.Monotone = []int{0, 2, 0} }, "params.monotone_constraints[1]", "-1, 0 or 1"},
		{"constraint on categories", func(f *training.Fit) { *f = smallCodes(); f.Params.Monotone = []int{0, 1, 0} }, "params.monotone_constraints[1]", "categories"},
		{"no rounds", func(f *training.Fit) { f.Rounds = 0 }, "rounds", "[1, 10000]"},
		{"too many rounds", func(f *training.Fit) { f.Rounds = 10_001 }, "rounds", "[1, 10000]"},
		{"too many trees", func(f *training.Fit) { f.Rounds, f.Params.Parallel = 1000, ptr(1001) }, "rounds", "1000000"},
		{"patience", func(f *training.Fit) { f.Patience = -1 }, "patience", "negative"},
		{"patience without valid", func(f *training.Fit) { f.Patience, f.Valid = 3, nil }, "patience", "valid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := small(binary)
			tt.spoil(&f)
			wantField(t, checkFit(f), tt.path, tt.rule)
		})
	}
}

func TestTreeMethodAndThreads(t *testing.T) {
	tests := []struct {
		name    string
		rows    int
		edit    func(f *training.Fit)
		method  string
		threads int
	}{
		{"small", 9_999, func(*training.Fit) {}, "exact", 1},
		{"large", 10_000, func(*training.Fit) {}, "hist", 2},
		{"large, no threads asked", 10_000, func(f *training.Fit) { f.Params.Threads = 0 }, "hist", 1},
		{"large, more threads than there are", 10_000, func(f *training.Fit) { f.Params.Threads = 1000 }, "hist", 2},
		{"as the plan says", 10_000, func(f *training.Fit) { f.Params.TreeMethod = "approx" }, "approx", 2},
		{"small with categories", 10, func(f *training.Fit) { f.Train.Categories = []bool{false, true} }, "hist", 1},
		{"small by leaves", 10, func(f *training.Fit) { f.Params.GrowPolicy = "lossguide" }, "hist", 1},
		{"small with bins", 10, func(f *training.Fit) { f.Params.MaxBin = ptr(16) }, "hist", 1},
	}
	for _, tt := range tests {
		f := training.Fit{Train: training.Matrix{Rows: tt.rows, Cols: 2}, Params: training.Params{Threads: 2}}
		tt.edit(&f)
		if got := fmt.Sprint(treeMethod(f), " ", threads(f, 2)); got != fmt.Sprint(tt.method, " ", tt.threads) {
			t.Errorf("%s: %s, want %s %d", tt.name, got, tt.method, tt.threads)
		}
	}
}
