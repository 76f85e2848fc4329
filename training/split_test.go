package training

import (
	"slices"
	"strings"
	"testing"

	"ambit/plans"
)

// The wants of this file are what the reference of the split rule, a script in
// Python, gives for the same input.

func TestFolds(t *testing.T) {
	tests := []struct {
		name     string
		labels   string
		k        int
		seed     int64
		stratify bool
		want     []int
	}{
		{"two classes", "a b a b a b a b a b a b a b a b a b a b", 5, 42, true,
			[]int{4, 0, 2, 2, 1, 0, 3, 3, 0, 4, 0, 4, 4, 3, 2, 1, 1, 1, 3, 2}},
		{"classes in text order, not in order of rows", "b a c a b", 2, 7, true, []int{1, 0, 0, 1, 0}},
		{"not stratified", "1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0", 3, 1, false, []int{1, 2, 0, 1, 0, 2, 2, 0, 0, 1}},
		{"more folds than rows", "x x x", 5, 42, true, []int{1, 2, 0}},
		{"seed 0", "a b a b a b a b a b a b", 4, 0, true, []int{1, 2, 2, 2, 1, 0, 0, 1, 3, 3, 0, 3}},
		{"no rows", "", 5, 42, true, []int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Folds(strings.Fields(tt.labels), tt.k, tt.seed, tt.stratify); !slices.Equal(got, tt.want) {
				t.Errorf("Folds = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFoldsOfRealTables(t *testing.T) {
	tests := []struct {
		file, target string
		stratify     bool
		first        []int
		id           string
	}{
		{"credit-g.csv", "class", true, []int{1, 3, 1, 4, 0, 3, 0, 1, 1, 3, 2, 0, 4, 3, 3, 4, 0, 0, 4, 1},
			"03603367d43d609a2dea83a6e549f67586010b0045fadf57dfa222726a0cf60f"},
		{"concrete.csv", "compressive_strength", false, []int{0, 1, 0, 2, 2, 3, 2, 3, 1, 0, 2, 0, 3, 2, 1, 4, 1, 3, 3, 3},
			"4fc67034568510f1269b4ebc185de5c7f2e84e2e4b7269f2ad07cf5bb4c078d9"},
		{"wine.csv", "target", true, []int{2, 0, 4, 4, 1, 0, 0, 0, 0, 1, 4, 1, 1, 4, 2, 2, 2, 3, 0, 4},
			"b9f0cb7a04dd5a99f121c403a6c402917564c5e2cdc289e0dbc972d7a9dbefc0"},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			table := ReadTable(t, tt.file)
			got := Folds(table.Cells[slices.Index(table.Names, tt.target)], 5, 42, tt.stratify)
			if !slices.Equal(got[:20], tt.first) {
				t.Errorf("first folds = %v, want %v", got[:20], tt.first)
			}
			if id := SplitID(got); id != tt.id {
				t.Errorf("split id = %s, want %s", id, tt.id)
			}
		})
	}
}

func TestDealHoldout(t *testing.T) {
	class := make([]int, 100) // 30 of class 0, 70 of class 1
	for i := range class {
		if i%10 >= 3 {
			class[i] = 1
		}
	}
	tests := []struct {
		share          float64
		sealed, first0 int // rows sealed, and of class 0 among them
	}{
		{0, 0, 0}, {0.2, 20, 6}, {0.5, 50, 15}, {0.01, 1, 0}, {0.05, 5, 2},
	}
	whole := deal(100, class, plans.Split{K: 5, Seed: 42})
	for _, tt := range tests {
		fold := deal(100, class, plans.Split{K: 5, Seed: 42, Holdout: tt.share})
		sealed, of0, sizes := 0, 0, make([]int, 5)
		for i, f := range fold {
			switch {
			case f != Sealed:
				sizes[f]++
			case class[i] == 0:
				of0++
				fallthrough
			default:
				sealed++
			}
		}
		if sealed != tt.sealed || of0 != tt.first0 {
			t.Errorf("holdout %v: sealed %d rows, %d of class 0, want %d, %d", tt.share, sealed, of0, tt.sealed, tt.first0)
		}
		if slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Errorf("holdout %v: folds of %v rows, want equal ones", tt.share, sizes)
		}
		if tt.share == 0 && !slices.Equal(fold, whole) {
			t.Errorf("no holdout: folds differ from those without one")
		}
	}
}

func TestApart(t *testing.T) {
	fold := []int{0, 1, Sealed, 0, 2}
	tests := []struct {
		number          int
		inside, outside []int
	}{
		{0, []int{0, 3}, []int{1, 4}},
		{2, []int{4}, []int{0, 1, 3}},
		{3, nil, []int{0, 1, 3, 4}},
	}
	for _, tt := range tests {
		inside, outside := apart(fold, tt.number)
		if !slices.Equal(inside, tt.inside) || !slices.Equal(outside, tt.outside) {
			t.Errorf("apart(%d) = %v, %v, want %v, %v", tt.number, inside, outside, tt.inside, tt.outside)
		}
	}
}
