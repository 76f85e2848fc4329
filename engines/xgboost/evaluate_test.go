package xgboost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ambit/training"
)

// kindCase is a fit of each kind of model that Parse accepts.
type kindCase struct {
	name   string
	want   Kind
	train  training.Matrix
	params training.Params
	rounds int
}

// kinds covers every booster, objective, way of growing and kind of column.
func kinds() []kindCase {
	plain, codes := table(1, 1500, 7, 0.1, binary), withCategories(table(2, 1500, 6, 0.1, binary), 40, 1, 4)
	few := withCategories(table(3, 1500, 6, 0, threeClasses), 3, 0)
	numbers, classes := table(4, 1500, 7, 0.1, regression), table(5, 1500, 7, 0.1, threeClasses)
	with := func(kind task, edit func(p *training.Params)) training.Params {
		p := smallParams(kind)
		edit(&p)
		return p
	}
	forest := func(p *training.Params) {
		p.Parallel, p.Eta, p.Subsample, p.ColNode = ptr(20), ptr(1.0), ptr(0.63), ptr(0.5)
		p.MaxDepth, p.MinChild, p.Lambda, p.TreeMethod = ptr(30), ptr(0.0), ptr(1e-3), "exact"
	}
	linear := func(p *training.Params) {
		p.Booster, p.TreeMethod, p.MaxDepth, p.Eta, p.Lambda = "gblinear", "", nil, ptr(1.0), ptr(0.01)
	}
	dart := func(p *training.Params) { p.Booster, p.RateDrop = "dart", ptr(0.3) }
	return []kindCase{
		{"binary hist", Trees, plain, with(binary, func(p *training.Params) { p.Subsample, p.ColTree = ptr(0.8), ptr(0.8) }), 30},
		{"binary exact pruned", Trees, plain, with(binary, func(p *training.Params) { p.TreeMethod, p.Gamma, p.MaxDepth = "exact", ptr(1.0), ptr(8) }), 30},
		{"binary approx", Trees, plain, with(binary, func(p *training.Params) { p.TreeMethod, p.ColLevel = "approx", ptr(0.7) }), 30},
		{"binary by leaves", Trees, plain, with(binary, func(p *training.Params) {
			p.GrowPolicy, p.MaxLeaves, p.MaxDepth, p.MaxBin = "lossguide", ptr(31), ptr(0), ptr(64)
		}), 30},
		{"binary deep", Trees, plain, with(binary, func(p *training.Params) { p.MaxDepth, p.MinChild = ptr(30), ptr(0.001) }), 5},
		{"binary base score", Trees, plain, with(binary, func(p *training.Params) { p.BaseScore, p.PosWeight, p.MaxDelta = ptr(0.148), ptr(3.0), ptr(1.0) }), 10},
		{"binary monotone", Trees, plain, with(binary, func(p *training.Params) { p.Monotone = []int{1, -1, 0, 0, 0, 0, 1} }), 10},
		{"regression", Trees, numbers, with(regression, func(p *training.Params) { p.BaseScore, p.Alpha = ptr(12.5), ptr(0.1) }), 30},
		{"classes", Trees, classes, with(threeClasses, func(*training.Params) {}), 20},
		{"classes, pruned away", Trees, classes, with(threeClasses, func(p *training.Params) { p.TreeMethod, p.Gamma = "exact", ptr(1e6) }), 3},
		{"forest", Forest, plain, with(regression, forest), 1},
		{"forest of classes", Forest, classes, with(threeClasses, forest), 2},
		{"categories by sets", Trees, codes, with(binary, func(*training.Params) {}), 20},
		{"categories approx", Trees, codes, with(binary, func(p *training.Params) { p.TreeMethod = "approx" }), 20},
		{"categories one by one", Trees, few, with(threeClasses, func(*training.Params) {}), 20},
		{"dart", Dart, plain, with(binary, dart), 30},
		{"dart of categories", Dart, codes, with(binary, dart), 20},
		{"dart of classes", Dart, classes, with(threeClasses, dart), 10},
		{"linear", Linear, plain, with(binary, linear), 50},
		{"linear regression", Linear, numbers, with(regression, linear), 50},
		{"linear classes", Linear, classes, with(threeClasses, linear), 50},
	}
}

// oddRows makes rows far from those that were trained on: missing, huge, tiny,
// on the thresholds themselves, and for columns of categories codes that are
// unseen, negative, broken or beyond what a code can be.
func oddRows(seed uint64, n int, train training.Matrix) training.Matrix {
	r := rand.New(rand.NewPCG(seed, 2))
	m := training.Matrix{Rows: n, Cols: train.Cols, Data: make([]float32, n*train.Cols)}
	odd := []float32{float32(math.NaN()), 0, -1, 3.5, 1e-38, -1e30, 1e30, 4095, 5000, 16777215, 16777216, 3e9}
	for i := range m.Data {
		switch r.IntN(4) {
		case 0:
			m.Data[i] = odd[r.IntN(len(odd))]
		case 1:
			m.Data[i] = float32(r.NormFloat64())
		default:
			m.Data[i] = train.Data[r.IntN(train.Rows)*train.Cols+i%train.Cols]
		}
	}
	return m
}

// TestMarginEqualsLibrary compares each kind of model, value for value and bit
// for bit, with what the library says of the same rows.
func TestMarginEqualsLibrary(t *testing.T) {
	s := openSession(t)
	for i, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			fitted := mustFit(t, s, training.Fit{Train: k.train, Predict: []training.Matrix{k.train}, Params: k.params, Rounds: k.rounds})
			m, err := Parse(fitted.Model)
			if err != nil {
				t.Fatalf("Parse: %v", err)
			}
			if m.Kind() != k.want || m.Rounds() != k.rounds || m.Features() != k.train.Cols {
				t.Errorf("model of kind %s, %d rounds, %d features; want %s, %d, %d", m.Kind(), m.Rounds(), m.Features(), k.want, k.rounds, k.train.Cols)
			}
			sameMargins(t, m, k.train, fitted.Margins[0])
			rows := oddRows(uint64(i), 3000, k.train)
			margins, err := s.Score(t.Context(), fitted.Model, rows)
			if err != nil {
				t.Fatalf("Score: %v", err)
			}
			sameMargins(t, m, rows, margins)
		})
	}
}

// sameMargins fails unless m gives every row the wanted margins, and they differ among rows.
func sameMargins(t *testing.T, m *Model, rows training.Matrix, want []float32) {
	t.Helper()
	got := make([]float32, m.Groups())
	wrong := 0
	for i := range rows.Rows {
		m.Margin(rows.Data[i*rows.Cols:(i+1)*rows.Cols], got)
		expect := want[i*m.Groups() : (i+1)*m.Groups()]
		if !slices.EqualFunc(got, expect, sameBits) {
			if wrong++; wrong == 1 {
				t.Errorf("row %d: margin %v, want %v", i, got, expect)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d rows differ", wrong, rows.Rows)
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// TestMarginAllocatesNothing also shows that one model serves many goroutines.
func TestMarginAllocatesNothing(t *testing.T) {
	s := openSession(t)
	train := table(1, 1000, 7, 0.1, threeClasses)
	m, err := Parse(mustFit(t, s, training.Fit{Train: train, Params: smallParams(threeClasses), Rounds: 10}).Model)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, 3)
	if n := testing.AllocsPerRun(100, func() { m.Margin(train.Data[:7], out) }); n != 0 {
		t.Errorf("%v allocations a row, want 0", n)
	}
	results := make(chan []float32)
	for range 8 {
		go func() {
			mine := make([]float32, 3)
			for range 1000 {
				m.Margin(train.Data[:7], mine)
			}
			results <- mine
		}()
	}
	for range 8 {
		if got := <-results; !slices.Equal(got, out) {
			t.Errorf("margin %v in another goroutine, want %v", got, out)
		}
	}
}

// TestLogarithm pins logf of the C libraries of Linux; in the first three rows it
// is not the float32 nearest to the logarithm.
func TestLogarithm(t *testing.T) {
	tests := []struct{ x, want float32 }{
		{0x1.706eb4p+2, 0x1.c01888p+0},
		{0x1.09628cp+0, 0x1.26f1c8p-5},
		{0x1.020e64p+0, 0x1.0624dap-7},
		{1, 0},
		{0.5, -0x1.62e43p-1},
		{0x1.5bf0a8p+1, 0x1.fffffep-1},
		{0x1.16c2p-133, -0x1.7069e4p+6},
		{0x1.c363ccp+127, 0x1.62632cp+6},
	}
	for _, tt := range tests {
		if got := logarithm(tt.x); !sameBits(got, tt.want) {
			t.Errorf("logarithm(%g) = %v (%x), want %v (%x)", tt.x, got, got, tt.want, tt.want)
		}
	}
}
