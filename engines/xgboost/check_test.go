package xgboost

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/training"
)

// small returns a good fit of each task that tests spoil. Matrices are fresh.
func small(kind task) training.Fit {
	train, valid := table(1, 40, 3, 0, kind), table(2, 20, 3, 0, kind)
	for i, m := range []training.Matrix{train, valid} { // every class, however small the table
		copy(m.Label, map[task][]float32{binary: {0, 1}, threeClasses: {0, 1, 2}, regression: {float32(i)}}[kind])
	}
	return training.Fit{Train: train, Valid: &valid, Predict: []training.Matrix{table(3, 5, 3, 0, kind)}, Params: smallParams(kind), Rounds: 3}
}

// smallCodes is small with a column of categories.
func smallCodes() training.Fit {
	f := small(binary)
	f.Train, *f.Valid, f.Predict[0] = withCategories(f.Train, 5, 1), withCategories(*f.Valid, 5, 1), withCategories(f.Predict[0], 5, 1)
	return f
}

var (
	nan      = float32(math.NaN())
	infinity = float32(math.Inf(1))
)

func TestCheckFitAccepts(t *testing.T) {
	for kind, f := range map[string]training.Fit{"binary": small(binary), "regression": small(regression), "classes": small(threeClasses), "categories": smallCodes()} {
		if err := checkFit(f); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, k := range kinds() {
		if err := checkFit(training.Fit{Train: k.train, Params: k.params, Rounds: k.rounds}); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	f := small(binary)
	f.Train.Data[4], f.Train.Weight = nan, slices.Repeat([]float32{0, 1}, 20)
	if err := checkFit(f); err != nil {
		t.Errorf("a missing value and some weights of zero: %v", err)
	}
}

// TestCheckFitRefuses spoils one thing at a time.
func TestCheckFitRefuses(t *testing.T) {
	tests := []struct {
		name  string
		fit   training.Fit
		spoil func(f *training.Fit)
		path  string
		rule  string
	}{
		{"no rows", small(binary), func(f *training.Fit) { f.Train = training.Matrix{Cols: 3} }, "train.rows", "at least one row"},
		{"no columns", small(binary), func(f *training.Fit) { f.Train.Cols = 0 }, "train.cols", "at least one column"},
		{"negative rows", small(binary), func(f *training.Fit) { f.Valid.Rows = -1 }, "valid.rows", "at least one row"},
		{"too few values", small(binary), func(f *training.Fit) { f.Train.Data = f.Train.Data[1:] }, "train.data", "rows × columns"},
		{"valid narrower", small(binary), func(f *training.Fit) { *f.Valid = table(2, 20, 2, 0, binary) }, "valid.cols", "3 columns"},
		{"predict narrower", small(binary), func(f *training.Fit) { f.Predict[0] = table(2, 20, 2, 0, binary) }, "predict[0].cols", "3 columns"},
		{"predict wider", small(binary), func(f *training.Fit) { f.Predict[0] = table(2, 20, 4, 0, binary) }, "predict[0].cols", "3 columns"},
		{"infinite", small(binary), func(f *training.Fit) { f.Train.Data[7] = infinity }, "train.data", "row 2, column 1 is infinite"},
		{"minus infinite in predict", small(binary), func(f *training.Fit) { f.Predict[0].Data[0] = -infinity }, "predict[0].data", "row 0, column 0 is infinite"},
		{"nothing but missing", small(binary), func(f *training.Fit) { f.Train.Data = slices.Repeat([]float32{nan}, 120) }, "train.data", "not missing"},

		{"no labels", small(binary), func(f *training.Fit) { f.Train.Label = nil }, "train.label", "one label a row"},
		{"labels missing in valid", small(binary), func(f *training.Fit) { f.Valid.Label = f.Valid.Label[:19] }, "valid.label", "one label a row"},
		{"label not a number", small(regression), func(f *training.Fit) { f.Train.Label[3] = nan }, "train.label", "row 3: NaN is not finite"},
		{"label infinite", small(regression), func(f *training.Fit) { f.Valid.Label[3] = -infinity }, "valid.label", "row 3: -Inf is not finite"},
		{"label between classes", small(binary), func(f *training.Fit) { f.Train.Label[3] = 0.5 }, "train.label", "0 or 1"},
		{"class out of range", small(threeClasses), func(f *training.Fit) { f.Train.Label[3] = 3 }, "train.label", "[0, 2]"},
		{"class below range", small(threeClasses), func(f *training.Fit) { f.Train.Label[3] = -1 }, "train.label", "[0, 2]"},
		{"class not whole", small(threeClasses), func(f *training.Fit) { f.Valid.Label[3] = 1.5 }, "valid.label", "[0, 2]"},
		{"one class in train", small(binary), func(f *training.Fit) { f.Train.Label = make([]float32, 40) }, "train.label", "both classes"},
		{"one class in valid", small(binary), func(f *training.Fit) { f.Valid.Label = make([]float32, 20) }, "valid.label", "both classes"},
		{"one of three classes", small(threeClasses), func(f *training.Fit) { f.Train.Label = make([]float32, 40) }, "train.label", "two classes"},
		{"AUC without a class", small(threeClasses), func(f *training.Fit) { f.Params.Metric = "auc"; f.Valid.Label = make([]float32, 20) }, "valid.label", "every class"},
		{"AUC of numbers", small(regression), func(f *training.Fit) { f.Params.Metric = "auc" }, "train.label", "0 or 1"},
		{"logloss of numbers", small(regression), func(f *training.Fit) { f.Params.Metric = "logloss"; f.Train.Label[0] = 1.5 }, "train.label", "[0, 1]"},

		{"weight count", small(binary), func(f *training.Fit) { f.Train.Weight = []float32{1} }, "train.weight", "one weight a row"},
		{"weight negative", small(binary), func(f *training.Fit) { f.Train.Weight = slices.Repeat([]float32{1, -1}, 20) }, "train.weight", "row 1: -1"},
		{"weight not a number", small(binary), func(f *training.Fit) { f.Valid.Weight = slices.Repeat([]float32{nan}, 20) }, "valid.weight", "row 0: NaN"},
		{"weight infinite", small(binary), func(f *training.Fit) { f.Train.Weight = slices.Repeat([]float32{infinity}, 40) }, "train.weight", "row 0: +Inf"},
		{"weights of zero", small(binary), func(f *training.Fit) { f.Train.Weight = make([]float32, 40) }, "train.weight", "sum above 0"},

		{"category negative", smallCodes(), func(f *training.Fit) { f.Train.Data[4] = -1 }, "train.data", "row 1, column 1: -1 is no category code"},
		{"category not whole", smallCodes(), func(f *training.Fit) { f.Valid.Data[4] = 3.5 }, "valid.data", "3.5 is no category code"},
		{"category too large", smallCodes(), func(f *training.Fit) { f.Predict[0].Data[4] = 4096 }, "predict[0].data", "4096 is no category code"},
		{"categories of another length", smallCodes(), func(f *training.Fit) { f.Train.Categories = []bool{true} }, "train.categories", "one value a column"},
		{"other categories in valid", smallCodes(), func(f *training.Fit) { f.Valid.Categories = nil }, "valid.categories", "those of train"},
		{"categories under exact", smallCodes(), func(f *training.Fit) { f.Params.TreeMethod = "exact" }, "params.tree_method", "must not be exact"},
		{"categories under gblinear", smallCodes(), func(f *training.Fit) {
			f.Params = training.Params{Booster: "gblinear", Objective: "binary:logistic", Metric: "auc"}
		}, "params.booster", "must not be gblinear"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spoil(&tt.fit)
			wantField(t, checkFit(tt.fit), tt.path, tt.rule)
		})
	}
}

// wantField fails unless err is an invalid fault with such a field.
func wantField(t *testing.T, err error, path, rule string) {
	t.Helper()
	wantCode(t, err, fault.Invalid)
	for _, f := range fault.From(err).Fields {
		if f.Path == path && strings.Contains(f.Rule, rule) {
			return
		}
	}
	t.Errorf("fields %v, want %s: %s", fault.From(err).Fields, path, rule)
}

// TestComplaintsAreBounded: a fit that is wrong everywhere gets a list that can be read.
func TestComplaintsAreBounded(t *testing.T) {
	f := small(binary)
	f.Predict = slices.Repeat([]training.Matrix{{}}, 1000)
	if n := len(fault.From(checkFit(f)).Fields); n != maxComplaints {
		t.Errorf("%d fields, want %d", n, maxComplaints)
	}
}
