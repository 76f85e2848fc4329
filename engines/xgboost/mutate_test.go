package xgboost

import (
	"bytes"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"

	"ambit/internal/fault"
	"ambit/training"
)

var (
	numberToken = regexp.MustCompile(`-?\d+(\.\d+)?(E-?\d+)?`)
	wildNumbers = []string{"-1", "0", "1", "2", "7", "999999999", "-2147483648", "2147483647", "1000000", "1E38", "0E0", "-1.5E-1", "NaN", "Infinity"}
)

// mutate changes a model in one to three places: mostly a number for a wild
// one or for one from elsewhere in the file, else bytes.
func mutate(model []byte, r *rand.Rand) []byte {
	out := bytes.Clone(model)
	for range 1 + r.IntN(3) {
		places := numberToken.FindAllIndex(out, -1)
		if len(places) == 0 {
			return out
		}
		at := places[r.IntN(len(places))]
		i := r.IntN(len(out))
		switch r.IntN(8) {
		case 0:
			out[i] ^= 1 << r.IntN(8)
		case 1:
			out = append(out[:i:i], out[min(len(out), i+1+r.IntN(8)):]...)
		case 2, 3, 4:
			other := places[r.IntN(len(places))]
			out = splice(out, at, bytes.Clone(out[other[0]:other[1]]))
		default:
			out = splice(out, at, []byte(wildNumbers[r.IntN(len(wildNumbers))]))
		}
	}
	return out
}

func splice(data []byte, at []int, with []byte) []byte {
	return append(append(data[:at[0]:at[0]], with...), data[at[1]:]...)
}

// TestMutatedModels damages models of every kind. What Parse lets through must
// not kill the library, nor this process, and must score alike in both.
// AMBIT_SOAK=1 tries thirty times as many.
func TestMutatedModels(t *testing.T) {
	tries := 1_000
	if os.Getenv("AMBIT_SOAK") == "1" {
		tries = 30_000
	}
	s := openSession(t)
	models, tables := smallModels(t, s)
	passed := 0
	for seed := range tries {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		i := seed % len(models)
		damaged := mutate(models[i], r)
		m, err := Parse(damaged)
		if err != nil || m.Features() != tables[i].Cols {
			continue
		}
		passed++
		rows := oddRows(uint64(seed), 20, tables[i])
		margins, err := s.Score(t.Context(), damaged, rows)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sameMargins(t, m, rows, margins)
		// Covers of zero, which only the contributions read, may be refused.
		_, err = s.score(t.Context(), damaged, rows, predictContributions, 20*m.Groups()*(rows.Cols+1))
		if code := fault.From(err).Code; err != nil && code != fault.Internal {
			t.Fatalf("seed %d, contributions: %v", seed, err)
		}
	}
	t.Logf("%d of %d mutated models passed", passed, tries)
	if passed < tries/100 || passed > tries*9/10 {
		t.Errorf("%d of %d mutated models passed: this tests little", passed, tries)
	}
}

// smallModels fits a small model of each kind.
func smallModels(t *testing.T, s *Session) (models [][]byte, tables []training.Matrix) {
	for _, k := range kinds() {
		if k.params.Booster != "gblinear" {
			k.params.MaxDepth = ptr(3)
			k.params.MaxLeaves = nil
		}
		if k.params.Parallel != nil {
			k.params.Parallel = ptr(3)
		}
		fitted := mustFit(t, s, training.Fit{Train: k.train, Params: k.params, Rounds: min(k.rounds, 3)})
		models, tables = append(models, fitted.Model), append(tables, k.train)
	}
	return models, tables
}

// FuzzParse looks for input that panics Parse or a model that panics Margin.
func FuzzParse(f *testing.F) {
	f.Add([]byte(twoTrees(f)))
	f.Add(vine(3))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		m.Margin(make([]float32, m.Features()), make([]float32, m.Groups()))
	})
}
