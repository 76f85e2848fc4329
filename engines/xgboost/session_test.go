package xgboost

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/training"
)

// wantCode fails unless err is a fault of the code whose text has all the parts.
func wantCode(t *testing.T, err error, code fault.Code, parts ...string) {
	t.Helper()
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != code {
		t.Fatalf("error %v, want a fault of code %q", err, code)
	}
	for _, part := range parts {
		if !strings.Contains(f.Detail+" "+f.Fix, part) {
			t.Errorf("fault %q %q, want %q in it", f.Detail, f.Fix, part)
		}
	}
}

func TestFitKeepsTheBestRound(t *testing.T) {
	s := openSession(t)
	train, valid := table(1, 1000, 6, 0.1, binary), table(2, 500, 6, 0.1, binary)
	for _, booster := range []string{"gbtree", "dart"} {
		p := smallParams(binary)
		p.Booster = booster
		var rounds []training.Round
		fitted, err := s.Fit(t.Context(), training.Fit{Train: train, Valid: &valid, Predict: []training.Matrix{valid}, Params: p, Rounds: 500, Patience: 5},
			func(r training.Round) { rounds = append(rounds, r) })
		if err != nil {
			t.Fatal(err)
		}
		best := 0
		for i, r := range rounds {
			if r.Round != i || r.Metric == nil || r.MS <= 0 || r.RSS == 0 {
				t.Fatalf("round %d is told as %+v", i, r)
			}
			if *r.Metric < *rounds[best].Metric {
				best = i
			}
		}
		if fitted.Stopped != "early" || fitted.Rounds != best+1 || len(rounds) != best+6 || *fitted.Score != *rounds[best].Metric {
			t.Errorf("%s: %q after %d rounds, kept %d with %v; want early, %d, %d, %v", booster,
				fitted.Stopped, len(rounds), fitted.Rounds, *fitted.Score, best+6, best+1, *rounds[best].Metric)
		}
		if loss := logloss(fitted.Margins[0], valid.Label); math.Abs(loss-*fitted.Score) > 1e-6 {
			t.Errorf("%s: the kept model's logloss is %v, want the best round's %v", booster, loss, *fitted.Score)
		}
		m, err := Parse(fitted.Model)
		if err != nil || m.Rounds() != best+1 {
			t.Errorf("%s: model of %d rounds (%v), want %d", booster, m.Rounds(), err, best+1)
		}
	}
}

func logloss(margins, labels []float32) float64 {
	sum := 0.0
	for i, m := range margins {
		if labels[i] == 0 {
			m = -m
		}
		sum += math.Log1p(math.Exp(-float64(m)))
	}
	return sum / float64(len(margins))
}

func TestFitWithoutValid(t *testing.T) {
	s := openSession(t)
	var last training.Round
	fitted, err := s.Fit(t.Context(), training.Fit{Train: table(1, 300, 4, 0, regression), Params: smallParams(regression), Rounds: 12},
		func(r training.Round) { last = r })
	if err != nil {
		t.Fatal(err)
	}
	if fitted.Stopped != "rounds" || fitted.Rounds != 12 || fitted.Score != nil || fitted.PeakBytes == 0 || fitted.Seconds <= 0 {
		t.Errorf("fitted %q, %d rounds, score %v, peak %d, %v s", fitted.Stopped, fitted.Rounds, fitted.Score, fitted.PeakBytes, fitted.Seconds)
	}
	if last.Round != 11 || last.Metric != nil || last.Reason != "no rows to watch" {
		t.Errorf("last round %+v", last)
	}
}

// TestFitWatchesAUC: more is better.
func TestFitWatchesAUC(t *testing.T) {
	s := openSession(t)
	train, valid := table(1, 800, 6, 0, binary), table(2, 400, 6, 0, binary)
	p := smallParams(binary)
	p.Metric = "auc"
	var values []float64
	fitted, err := s.Fit(t.Context(), training.Fit{Train: train, Valid: &valid, Params: p, Rounds: 40},
		func(r training.Round) { values = append(values, *r.Metric) })
	if err != nil {
		t.Fatal(err)
	}
	if best := slices.Index(values, slices.Max(values)); fitted.Rounds != best+1 || *fitted.Score != values[best] || fitted.Stopped != "rounds" {
		t.Errorf("kept %d rounds, %v; want %d, %v", fitted.Rounds, *fitted.Score, best+1, values[best])
	}
}

// TestFitWeights: a weight of two is a row twice.
func TestFitWeights(t *testing.T) {
	s := openSession(t)
	once := table(1, 200, 3, 0, regression)
	weighted, twice := once, once
	weighted.Weight = slices.Repeat([]float32{2}, 200)
	twice.Rows, twice.Data, twice.Label = 400, slices.Repeat(once.Data, 2), slices.Repeat(once.Label, 2)
	p := smallParams(regression)
	p.TreeMethod = "exact"
	var margins [][]float32
	for _, m := range []training.Matrix{weighted, twice, once} {
		margins = append(margins, mustFit(t, s, training.Fit{Train: m, Predict: []training.Matrix{once}, Params: p, Rounds: 10}).Margins[0])
	}
	worst := func(a, b []float32) (w float64) {
		for i := range a {
			w = math.Max(w, math.Abs(float64(a[i]-b[i])))
		}
		return w
	}
	if d := worst(margins[0], margins[1]); d > 1e-4 {
		t.Errorf("weights of two and rows twice differ by %g", d)
	}
	if d := worst(margins[0], margins[2]); d < 1e-3 {
		t.Errorf("weights change nothing: %g", d)
	}
}

// TestFitDiverges: labels whose squares are no float32 have no finite loss.
func TestFitDiverges(t *testing.T) {
	s := openSession(t)
	train, valid := table(1, 300, 3, 0, regression), table(2, 100, 3, 0, regression)
	for _, m := range []training.Matrix{train, valid} {
		for i := range m.Label {
			m.Label[i] *= 1e25
		}
	}
	for _, booster := range []string{"gbtree", "gblinear", "dart"} {
		p := training.Params{Booster: booster, Objective: "reg:squarederror", Metric: "rmse"}
		rounds := 0
		for _, watched := range []*training.Matrix{&valid, nil} {
			fitted, err := s.Fit(t.Context(), training.Fit{Train: train, Valid: watched, Predict: []training.Matrix{valid}, Params: p, Rounds: 5}, func(r training.Round) {
				rounds++
				if watched != nil && (r.Metric != nil || r.Reason != "the metric is +Inf") {
					t.Errorf("%s: the round is told as %+v", booster, r)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if fitted.Stopped != "diverged" || fitted.Rounds != 0 || fitted.Model != nil || fitted.Margins != nil || fitted.Score != nil {
				t.Errorf("%s: fitted %q, %d rounds, score %v", booster, fitted.Stopped, fitted.Rounds, fitted.Score)
			}
		}
		if rounds != 1+5 {
			t.Errorf("%s: %d rounds, want one when watched and all when not", booster, rounds)
		}
	}
}

// TestJudge: which round is the best, and when to stop.
func TestJudge(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name     string
		values   []float64
		patience int
		maximize bool
		best     int
		stopped  string
	}{
		{"lower is better", []float64{3, 2, 1}, 0, false, 2, ""},
		{"higher is better", []float64{0.5, 0.9, 0.7}, 0, true, 1, ""},
		{"the first of equals", []float64{1, 1, 1}, 0, false, 0, ""},
		{"patience", []float64{2, 1, 3, 3, 0}, 2, false, 1, "early"},
		{"patience begins anew", []float64{2, 3, 1, 3, 0}, 2, false, 4, ""},
		{"diverges later", []float64{2, 1, nan, 0}, 0, false, 1, "diverged"},
		{"diverges at once", []float64{inf, 1}, 0, false, -1, "diverged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := job{r: fitRequest{Booster: "gbtree", Patience: tt.patience}, best: best{round: -1, maximize: tt.maximize}}
			for i := 0; i < len(tt.values) && j.stopped == ""; i++ {
				if err := j.judge(i, tt.values[i], &training.Round{}); err != nil {
					t.Fatal(err)
				}
			}
			if j.best.round != tt.best || j.stopped != tt.stopped {
				t.Errorf("best round %d, stopped %q; want %d, %q", j.best.round, j.stopped, tt.best, tt.stopped)
			}
		})
	}
}

func TestParseMetric(t *testing.T) {
	for line, want := range map[string]float64{
		"[3]\ton-auc:0.97312345678901234": 0.97312345678901234, "[0]\ton-rmse:inf": math.Inf(1), "[0]\ton-rmse:-inf": math.Inf(-1),
		"[12]\ton-logloss:nan": math.NaN(), "[12]\ton-logloss:-nan": math.NaN(),
	} {
		if got, err := parseMetric(line); err != nil || got != want && !(got != got && want != want) {
			t.Errorf("parseMetric(%q) = %v, %v; want %v", line, got, err, want)
		}
	}
	if _, err := parseMetric("[0]"); err == nil {
		t.Error("a line without a metric is read")
	}
}

// TestOneSeedOneModel fits one seed ten times while goroutines of the child
// keep its scheduler moving, with sampling that draws random numbers each round.
func TestOneSeedOneModel(t *testing.T) {
	testEngine(t)
	config := testConfig(t)
	config.Command = append(config.Command[:1:1], "noise", "trainer")
	train := table(1, 400, 8, 0.1, binary)
	p := smallParams(binary)
	p.Subsample, p.ColTree, p.ColNode, p.MaxDepth = ptr(0.7), ptr(0.7), ptr(0.7), ptr(3)
	sums := map[[32]byte]bool{}
	for range 10 {
		s := openLimited(t, New(config), training.Limits{})
		sums[sha256.Sum256(mustFit(t, s, training.Fit{Train: train, Params: p, Rounds: 20}).Model)] = true
		s.Close()
	}
	if len(sums) != 1 {
		t.Errorf("one seed gave %d models", len(sums))
	}
	p.Seed++
	if s := openSession(t); sums[sha256.Sum256(mustFit(t, s, training.Fit{Train: train, Params: p, Rounds: 20}).Model)] {
		t.Error("another seed gave the same model: nothing random was tested")
	}
}

// TestFitsAreIndependent: what a session has fitted before does not show, though
// matrices are kept; nor do other threads.
func TestFitsAreIndependent(t *testing.T) {
	s := openSession(t)
	train, other := table(1, 12_000, 5, 0.1, binary), table(2, 300, 5, 0, binary)
	codes := withCategories(table(3, 800, 5, 0, binary), 20, 2)
	variants := []training.Fit{{Train: train}, {Train: other}, {Train: codes}, {Train: train}, {Train: train}, {Train: train}, {Train: train}}
	for i := range variants {
		variants[i].Params, variants[i].Rounds = smallParams(binary), 3
		variants[i].Params.Subsample = ptr(0.8)
	}
	variants[3].Params.TreeMethod = "approx"
	variants[4].Params.MaxBin = ptr(16)
	variants[5].Params.TreeMethod = "exact"
	variants[6].Params.Threads = 2
	first := map[int][32]byte{}
	for i, fit := range variants {
		alone := openLimited(t, testEngine(t), training.Limits{})
		first[i] = sha256.Sum256(mustFit(t, alone, fit).Model)
		alone.Close()
	}
	if first[0] != first[6] || first[0] == first[3] || first[0] == first[4] {
		t.Errorf("the fits are not as different as their parameters")
	}
	for _, i := range []int{0, 3, 0, 4, 0, 5, 1, 0, 2, 6, 3, 4, 2, 1, 5, 0} {
		if sha256.Sum256(mustFit(t, s, variants[i]).Model) != first[i] {
			t.Errorf("fit %d differs after others", i)
		}
	}
}

// endless is a fit that ends by being stopped.
func endless(t *testing.T) training.Fit {
	return training.Fit{Train: table(1, 500, 5, 0, binary), Params: smallParams(binary), Rounds: maxRounds}
}

func TestAbort(t *testing.T) {
	s := openSession(t)
	cause := errors.New("someone said stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	rounds := 0
	_, err := s.Fit(ctx, endless(t), func(r training.Round) {
		if rounds++; r.Round == 3 {
			cancel(cause)
		}
	})
	if err != cause {
		t.Fatalf("Fit = %v, want the context's cause", err)
	}
	if rounds >= maxRounds/2 {
		t.Errorf("%d rounds were told", rounds)
	}
	if _, err := s.Fit(ctx, endless(t), nil); err != cause {
		t.Errorf("Fit under an ended context = %v, want its cause", err)
	}
	fit := endless(t)
	fit.Rounds = 5
	if fitted := mustFit(t, s, fit); fitted.Rounds != 5 {
		t.Errorf("the session's next fit has %d rounds, want 5", fitted.Rounds)
	}
}

func TestWallLimit(t *testing.T) {
	s := openLimited(t, testEngine(t), training.Limits{Wall: 50 * time.Millisecond})
	_, err := s.Fit(t.Context(), endless(t), nil)
	wantCode(t, err, fault.Timeout, "limit of 50ms")
}

// TestAbortOfAStuckChild stops the child's process, so that it hears nothing:
// it has to be killed.
func TestAbortOfAStuckChild(t *testing.T) {
	config := testConfig(t)
	config.Grace = 100 * time.Millisecond
	testEngine(t)
	s := openLimited(t, New(config), training.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Fit(ctx, endless(t), func(r training.Round) {
		if r.Round == 3 {
			if err := syscall.Kill(s.process.Pid(), syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Fit = %v, want context canceled", err)
	}
	<-s.process.Done()
}

func TestDeathOfAChild(t *testing.T) {
	engine := testEngine(t)
	s := openLimited(t, engine, training.Limits{})
	_, err := s.Fit(t.Context(), endless(t), func(r training.Round) {
		if r.Round == 3 {
			if err := syscall.Kill(s.process.Pid(), syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
	})
	wantCode(t, err, fault.EngineUnavailable, "ended before it was done (signal: killed)")
	_, err = s.Fit(t.Context(), endless(t), nil)
	wantCode(t, err, fault.EngineUnavailable)
	fit := endless(t)
	fit.Rounds = 2
	if fitted := mustFit(t, openLimited(t, engine, training.Limits{}), fit); fitted.Rounds != 2 {
		t.Errorf("%d rounds in a new session, want 2", fitted.Rounds)
	}
}

// TestCloseDuringAFit also shows that nothing stays behind.
func TestCloseDuringAFit(t *testing.T) {
	s := openSession(t)
	closed := make(chan error, 1)
	_, err := s.Fit(t.Context(), endless(t), func(r training.Round) {
		if r.Round == 3 {
			go func() { closed <- s.Close() }()
		}
	})
	wantCode(t, err, fault.EngineUnavailable)
	if err := <-closed; err != nil {
		t.Errorf("Close = %v", err)
	}
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("the child's folder is still there: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close again = %v", err)
	}
}
