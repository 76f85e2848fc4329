package xgboost

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"ambit/training"
)

// TestMain is also the child: the engine under test starts this binary again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "noise" {
		makeNoise()
		os.Args = append(os.Args[:1], os.Args[2:]...)
	}
	if len(os.Args) > 1 && os.Args[1] == "trainer" {
		os.Exit(ChildMain(os.Args[2:], os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// makeNoise keeps the scheduler busy, so that a goroutine that is not locked to
// its thread moves to others.
func makeNoise() {
	for range 16 {
		go func() {
			for {
				os.Getpid()
				runtime.Gosched()
			}
		}()
	}
}

// testEngine returns an engine on the system's library. Without one tests are
// skipped, or fail where services are required.
func testEngine(t testing.TB) *Engine {
	t.Helper()
	engine := New(testConfig(t))
	if _, err := engine.Version(); err != nil {
		if os.Getenv("REQUIRE_SERVICES") == "1" {
			t.Fatalf("the library is needed here (package libxgboost0): %v", err)
		}
		t.Skipf("needs the package libxgboost0: %v", err)
	}
	return engine
}

func testConfig(t testing.TB) Config {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Command: []string{binary, "trainer"}, Library: os.Getenv("XGBOOST_LIB")}
}

// openSession starts a child with default limits.
func openSession(t testing.TB) *Session {
	t.Helper()
	return openLimited(t, testEngine(t), training.Limits{})
}

func openLimited(t testing.TB, engine *Engine, limits training.Limits) *Session {
	t.Helper()
	limits.Scratch = t.TempDir()
	s, err := engine.Start(t.Context(), limits)
	if err != nil {
		t.Fatalf("starting a child: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// task is a kind of target for made data.
type task int

const (
	binary task = iota
	regression
	threeClasses
)

// table makes rows whose label depends on the columns; missing is the share of NaN.
func table(seed uint64, rows, cols int, missing float64, kind task) training.Matrix {
	r := rand.New(rand.NewPCG(seed, 1))
	m := training.Matrix{Rows: rows, Cols: cols, Data: make([]float32, rows*cols), Label: make([]float32, rows)}
	for i := range rows {
		row := m.Data[i*cols : (i+1)*cols]
		signal := 0.0
		for j := range row {
			v := r.NormFloat64()
			signal += v * math.Sin(float64(j)+v)
			row[j] = float32(v)
			if r.Float64() < missing {
				row[j] = float32(math.NaN())
			}
		}
		m.Label[i] = label(signal+0.3*r.NormFloat64(), kind)
	}
	return m
}

func label(signal float64, kind task) float32 {
	switch {
	case kind == regression:
		return float32(signal)
	case kind == threeClasses && signal > 1.5:
		return 2
	case signal > 0.5:
		return 1
	}
	return 0
}

// withCategories turns some columns into codes that the label depends on.
func withCategories(m training.Matrix, levels int, cols ...int) training.Matrix {
	m.Categories = make([]bool, m.Cols)
	for _, col := range cols {
		m.Categories[col] = true
		for i := range m.Rows {
			v := &m.Data[i*m.Cols+col]
			if *v == *v {
				*v = float32(int(math.Abs(float64(*v))*7919) % levels)
			}
		}
	}
	return m
}

func ptr[T any](v T) *T { return &v }

// smallParams are parameters of a quick boosted fit.
func smallParams(kind task) training.Params {
	p := training.Params{Booster: "gbtree", Objective: "binary:logistic", Metric: "logloss", Seed: 7, Threads: 1,
		TreeMethod: "hist", MaxDepth: ptr(4), Eta: ptr(0.3)}
	switch kind {
	case regression:
		p.Objective, p.Metric = "reg:squarederror", "rmse"
	case threeClasses:
		p.Objective, p.Metric, p.Classes = "multi:softprob", "mlogloss", 3
	}
	return p
}

// mustFit fits without an error.
func mustFit(t testing.TB, s *Session, fit training.Fit) training.Fitted {
	t.Helper()
	fitted, err := s.Fit(t.Context(), fit, nil)
	if err != nil {
		t.Fatalf("Fit: %v", err)
	}
	return fitted
}
