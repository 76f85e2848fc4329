package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// sink writes what a training brings forth, as long as the run's lease is ours.
type sink struct {
	w   *Worker
	run Run

	mu       sync.Mutex // one write at a time: the order of events is the order of calls
	phase    string
	progress float64
}

func (s *sink) Progress(ctx context.Context, phase string, progress float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := phase != s.phase
	s.phase, s.progress = phase, progress
	return s.fenced(ctx, func(ctx context.Context) error {
		if !changed {
			return nil
		}
		return s.w.event(ctx, s.run.ID, "phase", map[string]any{"phase": phase, "progress": progress})
	})
}

func (s *sink) Event(ctx context.Context, kind string, data any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fenced(ctx, func(ctx context.Context) error {
		return s.w.event(ctx, s.run.ID, kind, data)
	})
}

func (s *sink) SaveTrial(ctx context.Context, t Trial) error {
	t.Workspace, t.Run = s.run.Workspace, s.run.ID
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fenced(ctx, func(ctx context.Context) error {
		if err := s.w.Store.SaveTrial(ctx, s.run.LeaseEpoch, t); err != nil {
			return err
		}
		return s.w.event(ctx, s.run.ID, "trial", trialEvent(t))
	})
}

// fenced runs fn in one transaction with a write that fails unless the lease is
// still ours, so that no event of a worker that lost the run is seen.
func (s *sink) fenced(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := detach(ctx)
	defer cancel()
	return s.w.change(ctx, s.run.ID, func(ctx context.Context) error {
		if err := s.w.Store.SetProgress(ctx, s.run.ID, s.run.LeaseEpoch, s.phase, s.progress); err != nil {
			return err
		}
		return fn(ctx)
	})
}

func (s *sink) Put(ctx context.Context, trial, name string, content []byte) (string, error) {
	ctx, cancel := detach(ctx)
	defer cancel()
	key := folder(s.run.Workspace, s.run.ID, trial) + "/" + name
	if _, err := s.w.Blobs.Put(ctx, key, bytes.NewReader(content)); err != nil {
		return "", fmt.Errorf("keeping %s of trial %s: %w", name, trial, err)
	}
	return key, nil
}

// folder is where the files of a trial are kept. A retried run has new trials,
// so that no file is written twice.
func folder(workspace, run, trial string) string {
	return "trials/" + workspace + "/" + run + "/" + trial
}

// trialEvent is what the history tells of a trial; the rest is in its row.
func trialEvent(t Trial) map[string]any {
	data := map[string]any{"trial_id": t.ID, "name": t.Name, "family": t.Family, "state": t.State}
	if scored(t) {
		data["cv"], data["se"] = t.CV, t.SE
	}
	if t.Failure != (Failure{}) {
		data["failure"] = t.Failure
	}
	return data
}

func (w *Worker) stateEvent(ctx context.Context, run string, state State, why Failure) error {
	data := map[string]any{"state": state}
	if why != (Failure{}) {
		data["failure"] = why
	}
	return w.event(ctx, run, "state", data)
}

func (w *Worker) event(ctx context.Context, run, kind string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("event %s: %w", kind, err)
	}
	_, err = w.Store.AppendEvent(ctx, Event{Run: run, At: w.Now(), Kind: kind, Data: raw})
	return err
}
