package app

import (
	"encoding/json"
	"os"
	"strconv"

	"ambit/engines/duckdb"
	"ambit/engines/xgboost"
	"ambit/evaluation"
	"ambit/metrics"
	"ambit/models"
	"ambit/training"
)

// EngineChild is the hidden command that runs SQL.
func EngineChild(args []string) int { return duckdb.ChildMain(args, os.Stdin, os.Stdout) }

// TrainerChild is the hidden command that fits models.
func TrainerChild(args []string) int { return xgboost.ChildMain(args, os.Stdin, os.Stdout) }

// openModel reads a registered model's bundle with the engine's own evaluator.
func openModel(bundle []byte) (models.Predictor, error) {
	p, err := training.Open(bundle, func(model []byte) (training.Booster, error) { return xgboost.Parse(model) })
	if err != nil {
		return nil, err
	}
	return predictor{p}, nil
}

// predictor shows a training.Predictor as the registry's.
type predictor struct{ *training.Predictor }

func (p predictor) Predict(row map[string]any) (models.Prediction, error) {
	got, err := p.Predictor.Predict(row)
	if err != nil {
		return models.Prediction{}, err
	}
	out := models.Prediction{Value: got.Value, Class: got.Class, Probability: got.Probability, Flags: []models.Flag{}}
	for _, f := range got.Flags {
		out.Flags = append(out.Flags, models.Flag(f))
	}
	classes := p.Bundle().Classes
	for i, prob := range got.Probabilities {
		out.Probabilities = append(out.Probabilities, models.Probability{Class: classes[i], P: prob})
	}
	return out, nil
}

// evaluator measures what the models of the folds say of unseen rows.
type evaluator struct{}

var _ training.Evaluator = evaluator{}

// Evaluate measures out-of-fold predictions. It is deterministic: the bootstrap
// has a seed of its own.
func (evaluator) Evaluate(p training.Predictions) (json.RawMessage, error) {
	e, err := evaluation.Evaluate(setOf(p), evaluation.Options{Label: evaluation.Label(p.Label), Seed: evaluationSeed})
	if err != nil {
		return nil, err
	}
	return json.Marshal(e)
}

const evaluationSeed = 42

func setOf(p training.Predictions) evaluation.Set {
	classes := p.Classes
	if p.Positive != "" && len(classes) == 2 && classes[1] != p.Positive { // class 1 is the positive one
		classes = []string{classes[1], classes[0]}
	}
	ids := make([]string, len(p.Rows))
	for i, row := range p.Rows {
		ids[i] = strconv.Itoa(row)
	}
	return evaluation.Set{Task: metrics.Task(p.Task), Classes: classes, Y: p.Truth, Prediction: p.Scores, Fold: p.Fold, ID: ids}
}
