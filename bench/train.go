package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ambit/engines/xgboost"
	"ambit/training"
)

const (
	trainRows   = 100_000
	trainCols   = 20
	trainRounds = 100
)

//go:embed train.py
var trainScript string

// train fits the same boosted trees with Ambit's trainer and with python3-xgboost.
func train(ctx context.Context, e *env) ([]row, error) {
	m := trainMatrix()
	path := filepath.Join(e.dir, "train.f32")
	if err := writeMatrix(path, m); err != nil {
		return nil, err
	}
	python, err := pythonWithXGBoost(ctx)
	if err != nil {
		return nil, err
	}
	var ours, theirs []float64
	for range rounds {
		seconds, err := trainOurs(ctx, e, m)
		if err != nil {
			return nil, err
		}
		ours = append(ours, seconds)
		cmd := exec.CommandContext(ctx, python, "-c", trainScript, path, fmt.Sprint(trainRows), fmt.Sprint(trainCols), fmt.Sprint(trainRounds))
		cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY=passive") // as Ambit's child has it
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("python3-xgboost: %w", err)
		}
		seconds, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, seconds)
	}
	ratio := median(ours) / median(theirs)
	return []row{{"training, the same parameters, against python3-xgboost: wall", "≤ 1.05×",
		fmt.Sprintf("%.2f× (%.2f against %.2f s; 100k × 20, 100 rounds, 1 thread)", ratio, median(ours), median(theirs)), ratio <= 1.05}}, nil
}

// pythonWithXGBoost finds the Python that the package python3-xgboost is for:
// another one may come first in the PATH.
func pythonWithXGBoost(ctx context.Context) (string, error) {
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.CommandContext(ctx, python, "-c", "import xgboost").Run() == nil {
			return python, nil
		}
	}
	return "", errors.New("needs the package python3-xgboost")
}

// trainOurs returns the wall time of a fit, handing over the matrix included.
func trainOurs(ctx context.Context, e *env, m training.Matrix) (float64, error) {
	engine := xgboost.New(xgboost.Config{Command: []string{e.binary, "trainer"}, Logger: slog.New(slog.DiscardHandler)})
	scratch, err := os.MkdirTemp(e.dir, "fit-")
	if err != nil {
		return 0, err
	}
	s, err := engine.Open(ctx, training.Limits{Scratch: scratch})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	eta, depth := 0.1, 6
	started := time.Now()
	_, err = s.Fit(ctx, training.Fit{Train: m, Rounds: trainRounds, Params: training.Params{
		Booster: "gbtree", Objective: "binary:logistic", Metric: "logloss", Seed: 1, Threads: 1, TreeMethod: "hist", Eta: &eta, MaxDepth: &depth,
	}}, nil)
	return time.Since(started).Seconds(), err
}

func trainMatrix() training.Matrix {
	rng := rand.New(rand.NewPCG(3, 4))
	m := training.Matrix{Rows: trainRows, Cols: trainCols, Data: make([]float32, trainRows*trainCols), Label: make([]float32, trainRows)}
	for i := range trainRows {
		sum := 0.0
		for j := range trainCols {
			v := rng.NormFloat64()
			m.Data[i*trainCols+j] = float32(v)
			sum += v * math.Sin(float64(j))
		}
		if sum+rng.NormFloat64() > 0 {
			m.Label[i] = 1
		}
	}
	return m
}

// writeMatrix writes the features and then the labels, little-endian float32.
func writeMatrix(path string, m training.Matrix) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := binary.Write(f, binary.LittleEndian, m.Data); err != nil {
		return err
	}
	return binary.Write(f, binary.LittleEndian, m.Label)
}
