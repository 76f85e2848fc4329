package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"ambit/internal/blobs"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/internal/page"
	"ambit/plans"
	"ambit/runs"
)

const (
	// MaxScoreRows is the most rows of one scoring call.
	MaxScoreRows = 100
	maxArtifact  = 256 << 20 // bytes
	maxOpen      = 32        // predictors kept open
)

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._ -]{0,99}$`)

// Prediction is what a model answers for one row.
type Prediction struct {
	Value         *float64      `json:"value,omitempty"`         // regression
	Class         string        `json:"class,omitempty"`         // classification: the likeliest
	Probability   *float64      `json:"probability,omitempty"`   // binary: of the positive class
	Probabilities []Probability `json:"probabilities,omitempty"` // multiclass
	Flags         []Flag        `json:"flags"`                   // what was odd about the row
}

// Flag is something odd about a row that was scored.
type Flag struct {
	Column string `json:"column"`
	Kind   string `json:"kind"` // missing, unseen or pooled
}

// Probability is that of one class.
type Probability struct {
	Class string  `json:"class"`
	P     float64 `json:"p"`
}

// Predictor answers for rows. It is safe for concurrent use.
type Predictor interface {
	// Predict takes a row as column names and JSON values.
	// Fault: invalid, naming the columns and the nearest names.
	Predict(row map[string]any) (Prediction, error)
}

// Open reads a bundle whose SHA-256 was checked, and validates every part of it.
type Open func(bundle []byte) (Predictor, error)

// Service registers models and answers with them.
type Service struct {
	Store Store
	Runs  runs.Store
	Plans plans.Store
	Blobs blobs.Store
	Open  Open
	Now   clock.Clock

	mu     sync.Mutex
	opened map[string]Predictor // by SHA-256 of the bundle
}

// RegisterRequest names a trial to register.
type RegisterRequest struct {
	TrialID string `json:"trial_id" doc:"A finished trial of the run, from its leaderboard."`
	Name    string `json:"name" doc:"1 to 100 letters, digits, spaces, dots, dashes, underscores; new to the workspace."`
}

// Register makes a model of a finished trial of a run that is over.
// Faults: invalid, not_found, conflict (name taken, run or trial not finished).
func (s *Service) Register(ctx context.Context, workspace, run string, r RegisterRequest, by string) (Model, error) {
	if err := fault.InvalidFields(r.wrong()); err != nil {
		return Model{}, err
	}
	trial, err := s.Runs.Trial(ctx, workspace, r.TrialID)
	if err != nil {
		return Model{}, err
	}
	if trial.Run != run {
		return Model{}, fault.New(fault.NotFound, "No such trial in this run.").WithFix("Take a trial_id from the run's leaderboard.")
	}
	if trial.State != runs.Succeeded || trial.Artifact == "" {
		return Model{}, fault.New(fault.Conflict, "The trial is %s: it left no model.", trial.State).WithFix("Register a trial that succeeded.")
	}
	of, err := s.Runs.Run(ctx, workspace, run)
	if err != nil {
		return Model{}, err
	}
	if !of.State.Ended() { // were its worker lost, the run would begin again without this trial and its files
		return Model{}, fault.New(fault.Conflict, "The run is %s: its trials are not final.", of.State).
			WithFix("Wait for the run to end, or abort it; what has finished stays.").With("run_id", run)
	}
	plan, err := s.Plans.Plan(ctx, workspace, of.Plan)
	if err != nil {
		return Model{}, err
	}
	m := Model{
		ID: ids.New("mo"), Workspace: workspace, Name: r.Name, Status: Registered,
		Run: run, Trial: trial.ID, Plan: plan.ID, Dataset: plan.Dataset,
		Family: trial.Family, TrialName: trial.Name, Task: string(plan.Spec.Task), Target: plan.Spec.Target,
		Metric: plan.Spec.Metric.Name, CV: trial.CV, SE: trial.SE,
		SHA256: trial.SHA256, Bytes: trial.Bytes, Artifact: trial.Artifact, Evaluation: trial.Evaluation,
		CreatedAt: s.Now(), CreatedBy: by,
	}
	return m, s.Store.InsertModel(ctx, m)
}

func (r RegisterRequest) wrong() []fault.Field {
	var wrong []fault.Field
	if r.TrialID == "" {
		wrong = append(wrong, fault.Field{Path: "trial_id", Rule: "is required"})
	}
	if !nameRule.MatchString(r.Name) {
		wrong = append(wrong, fault.Field{Path: "name", Rule: "must have 1 to 100 letters, digits, spaces, dots, dashes or underscores, and begin with a letter or digit"})
	}
	return wrong
}

// List returns the newest models first.
func (s *Service) List(ctx context.Context, workspace string, p page.Page) (page.List[Model], error) {
	found, err := s.Store.Models(ctx, workspace, p)
	if err != nil {
		return page.List[Model]{}, err
	}
	return page.Cut(found, p.Limit, func(m Model) page.Cursor { return page.Cursor{At: m.CreatedAt, ID: m.ID} }), nil
}

// Evaluation returns the stored evaluation of a model, as JSON.
// Fault: not_found if none was made.
func (s *Service) Evaluation(ctx context.Context, workspace, id string) (json.RawMessage, error) {
	m, err := s.Store.Model(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	if m.Evaluation == "" {
		return nil, fault.New(fault.NotFound, "This model has no evaluation.")
	}
	return s.read(ctx, m.Evaluation)
}

func (s *Service) read(ctx context.Context, key string) ([]byte, error) {
	f, err := s.Blobs.Get(ctx, key)
	if err != nil { // that a file of ours is missing is no fault of the caller's
		return nil, fmt.Errorf("reading a model's file: %v", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxArtifact+1))
	if err != nil || len(raw) > maxArtifact {
		return nil, fmt.Errorf("reading a model's file of %d bytes: %w", len(raw), err)
	}
	return raw, nil
}

// Score answers for rows, in order. It changes nothing.
// Faults: not_found, invalid (names row and column), unavailable.
func (s *Service) Score(ctx context.Context, workspace, id string, rows []map[string]any) ([]Prediction, error) {
	if len(rows) == 0 || len(rows) > MaxScoreRows {
		return nil, fault.InvalidFields([]fault.Field{{Path: "rows", Rule: fmt.Sprintf("must have 1 to %d rows", MaxScoreRows)}})
	}
	for i, row := range rows {
		if row == nil {
			return nil, fault.InvalidFields([]fault.Field{{Path: fmt.Sprintf("rows[%d]", i), Rule: "must be an object: {column: value}"}})
		}
	}
	m, err := s.Store.Model(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	predictor, err := s.predictor(ctx, m)
	if err != nil {
		return nil, err
	}
	out := make([]Prediction, len(rows))
	for i, row := range rows {
		if out[i], err = predictor.Predict(row); err != nil {
			return nil, inRow(err, i)
		}
	}
	return out, nil
}

// inRow puts the row before the fields that a fault names.
func inRow(err error, row int) error {
	f := fault.From(err)
	for i := range f.Fields {
		f.Fields[i].Path = fmt.Sprintf("rows[%d].%s", row, f.Fields[i].Path)
	}
	return f
}

// predictor opens a model's bundle, once while it stays in use.
func (s *Service) predictor(ctx context.Context, m Model) (Predictor, error) {
	s.mu.Lock()
	p, ok := s.opened[m.SHA256]
	s.mu.Unlock()
	if ok {
		return p, nil
	}
	raw, err := s.read(ctx, m.Artifact)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	if got := hex.EncodeToString(sum[:]); got != m.SHA256 {
		return nil, fmt.Errorf("model %s: its file has SHA-256 %s, its record %s", m.ID, got, m.SHA256)
	}
	if p, err = s.Open(bytes.Clone(raw)); err != nil {
		return nil, fmt.Errorf("opening model %s: %w", m.ID, err)
	}
	s.keep(m.SHA256, p)
	return p, nil
}

func (s *Service) keep(sum string, p Predictor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened == nil || len(s.opened) >= maxOpen {
		s.opened = map[string]Predictor{}
	}
	s.opened[sum] = p
}

// Confirm is a person's typed confirmation.
type Confirm struct {
	Confirm string `json:"confirm" doc:"The model's name, typed."`
	Reason  string `json:"reason" doc:"Why; at least 10 characters."`
}

// Promote makes a model the workspace's champion; the one before is retired.
// Faults: not_found, confirm_mismatch, invalid (reason), conflict (it is the champion).
func (s *Service) Promote(ctx context.Context, workspace, id string, c Confirm, by string) (Model, error) {
	m, err := s.confirmed(ctx, workspace, id, c)
	if err != nil {
		return Model{}, err
	}
	if m.Status == Champion {
		return Model{}, fault.New(fault.Conflict, "This model is the champion already.")
	}
	now := s.Now()
	before, err := s.Store.Champion(ctx, workspace)
	if err == nil {
		err = s.Store.SetStatus(ctx, workspace, before.ID, Retired, by, now)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Model{}, err
	}
	if err := s.Store.SetStatus(ctx, workspace, id, Champion, by, now); err != nil {
		return Model{}, err
	}
	return s.Store.Model(ctx, workspace, id)
}

// Delete hides a model for 30 days. Faults: not_found, confirm_mismatch, invalid, in_use (the champion).
func (s *Service) Delete(ctx context.Context, workspace, id string, c Confirm) error {
	m, err := s.confirmed(ctx, workspace, id, c)
	if err != nil {
		return err
	}
	if m.Status == Champion {
		return fault.New(fault.InUse, "The champion cannot be deleted.").WithFix("Promote another model first.")
	}
	return s.Store.DeleteModel(ctx, workspace, id, s.Now())
}

func (s *Service) confirmed(ctx context.Context, workspace, id string, c Confirm) (Model, error) {
	m, err := s.Store.Model(ctx, workspace, id)
	if err != nil {
		return Model{}, err
	}
	if c.Confirm != m.Name {
		return Model{}, fault.New(fault.ConfirmMismatch, "The typed name is not the model's.").WithFix("Type the model's name exactly as it is shown.")
	}
	if utf8.RuneCountInString(strings.TrimSpace(c.Reason)) < 10 {
		return Model{}, fault.InvalidFields([]fault.Field{{Path: "reason", Rule: "must have at least 10 characters"}})
	}
	return m, nil
}
