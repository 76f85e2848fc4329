package xgboost

import (
	"testing"

	"ambit/internal/fault"
	"ambit/training"
)

func TestEstimate(t *testing.T) {
	valid := training.Matrix{Rows: 100_000, Cols: 50}
	tests := []struct {
		name string
		fit  training.Fit
		want uint64
	}{
		{"train", training.Fit{Train: training.Matrix{Rows: 400_000, Cols: 50}}, 320_000_000 + 400_000*24},
		{"and valid", training.Fit{Train: training.Matrix{Rows: 400_000, Cols: 50}, Valid: &valid}, 400_000_000 + 500_000*24},
		{"largest of predict", training.Fit{Train: training.Matrix{Rows: 10, Cols: 5}, Predict: []training.Matrix{{Rows: 20, Cols: 5}, {Rows: 30, Cols: 5}}}, 800 + 2400 + 240},
		{"classes", training.Fit{Train: training.Matrix{Rows: 10, Cols: 5}, Params: training.Params{Classes: 7}}, 800 + 7*240},
		{"most", training.Fit{Train: training.Matrix{Rows: maxRows, Cols: maxColumns}, Params: training.Params{Classes: maxClasses}}, 16*maxRows*maxColumns + maxRows*maxClasses*24},
	}
	for _, tt := range tests {
		if got := estimate(tt.fit); got != tt.want {
			t.Errorf("%s: estimate = %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestMemoryEstimateFirst: a fit that is too big is refused before anything is written.
func TestMemoryEstimateFirst(t *testing.T) {
	s := openLimited(t, testEngine(t), training.Limits{MemoryBytes: 1 << 20})
	_, err := s.Fit(t.Context(), training.Fit{Train: table(1, 10_000, 10, 0, binary), Params: smallParams(binary), Rounds: 1}, nil)
	wantCode(t, err, fault.Memory, "about 1.8 MiB", "limit is 1.0 MiB")
	if f := fault.From(err); f.Info["limit_bytes"] != uint64(1<<20) || f.Info["estimate_bytes"] != uint64(1_840_000) {
		t.Errorf("info %v", f.Info)
	}
	if s.matrices.count != 0 {
		t.Errorf("%d matrices were written", s.matrices.count)
	}
}

// hungry is a fit whose histograms, which no estimate counts, take the memory.
func hungry(t *testing.T) training.Fit {
	p := smallParams(regression)
	p.MaxBin, p.MaxDepth = ptr(65_536), ptr(12)
	return training.Fit{Train: table(1, 9_000, 20, 0, regression), Params: p, Rounds: 1}
}

// TestMemoryLimit: an allocation over the kernel's limit fails the fit alone.
// The parent is made to look away.
func TestMemoryLimit(t *testing.T) {
	s := openLimited(t, testEngine(t), training.Limits{MemoryBytes: 16 << 20})
	s.limits.MemoryBytes = 1 << 40
	_, err := s.Fit(t.Context(), hungry(t), nil)
	wantCode(t, err, fault.Memory, "limit of", "estimate")
	small := training.Fit{Train: table(1, 100, 2, 0, regression), Params: smallParams(regression), Rounds: 3}
	if fitted := mustFit(t, s, small); fitted.Rounds != 3 {
		t.Errorf("the same child then fits %d rounds, want 3", fitted.Rounds)
	}
}

// TestMemoryWatchdog: where the kernel does not say no, the parent kills.
func TestMemoryWatchdog(t *testing.T) {
	s := openLimited(t, testEngine(t), training.Limits{MemoryBytes: 64 << 30})
	s.limits.MemoryBytes = 16 << 20 // as if the child had no limit
	_, err := s.Fit(t.Context(), hungry(t), nil)
	wantCode(t, err, fault.Memory, "limit of 16.0 MiB")
	<-s.process.Done()
	_, err = s.Fit(t.Context(), hungry(t), nil)
	wantCode(t, err, fault.EngineUnavailable)
}

func TestSize(t *testing.T) {
	for bytes, want := range map[uint64]string{0: "0.0 MiB", 1 << 20: "1.0 MiB", 1 << 30: "1.0 GiB", 4<<30 + 1<<29: "4.5 GiB"} {
		if got := size(bytes); got != want {
			t.Errorf("size(%d) = %q, want %q", bytes, got, want)
		}
	}
}
