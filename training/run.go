package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ambit/datasets"
	"ambit/internal/fault"
	"ambit/plans"
	"ambit/runs"
)

// run is a plan that is being carried out.
type run struct {
	trainer *Trainer
	job     runs.Job
	spec    *plans.Spec
	pool    *pool
	members []member
	report  *reporter
	timeUp  error // the cause of a context that ended with the budget

	frame  datasets.Frame // the features, in the plan's order
	target target
	fold   []int // of the rows of target
	models int   // fitted, the floor not counted
	why    error // why the first member failed
}

// chooseMembers returns what the plan asks for, the floor first.
func chooseMembers(spec plans.Spec) []member {
	chosen := []member{}
	for _, m := range members {
		if m.family == plans.Floor || slices.Contains(spec.Families, m.family) {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

func (r *run) train(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	for i, m := range r.members {
		if err := r.trial(ctx, i, m); err != nil {
			return err
		}
	}
	if err := r.report.begin(ctx, "finish"); err != nil {
		return err
	}
	if err := r.report.step(ctx, 1); err != nil {
		return err
	}
	return r.verdict()
}

// verdict: a run that was to fit models and fitted none has failed.
func (r *run) verdict() error {
	if r.models > 0 || len(r.members) == 1 {
		return nil
	}
	f := *fault.From(r.why)
	f.Detail = "No model but the floor was fitted. " + f.Detail
	return &f
}

// prepare reads the table and deals its rows.
func (r *run) prepare(ctx context.Context) error {
	if err := r.report.begin(ctx, "prepare"); err != nil {
		return err
	}
	read := datasets.Read{Workspace: r.job.Run.Workspace, Version: r.spec.DatasetVersion}
	for _, f := range r.spec.Features {
		read.Columns = append(read.Columns, datasets.ReadColumn{Name: f.Name, As: readFeature(f)})
	}
	read.Columns = append(read.Columns, datasets.ReadColumn{Name: r.spec.Target, As: readAs(r.spec.Task)})
	frame, err := r.trainer.Tables.Read(ctx, read)
	if err != nil {
		return fmt.Errorf("reading the table: %w", err)
	}
	if len(frame.Columns) != len(read.Columns) {
		return fmt.Errorf("reading the table: got %d columns, want %d", len(frame.Columns), len(read.Columns))
	}
	if err := r.accept(frame); err != nil {
		return err
	}
	return r.report.step(ctx, 1)
}

// accept takes the table, if it is what the plan was made for.
func (r *run) accept(frame datasets.Frame) error {
	features := len(r.spec.Features)
	r.frame = datasets.Frame{Rows: frame.Rows, Columns: frame.Columns[:features]}
	r.target = newTarget(*r.spec, frame.Columns[features])
	r.fold = r.target.folds(r.spec.Split)
	if id := SplitID(r.fold); id != r.spec.Split.ID {
		return fault.New(fault.PlanStale, "The rows of the table are dealt in another way than the plan says.").
			WithFix("Make a new plan on the dataset as it is now.")
	}
	// Without an engine the floor can still be fitted; the others will say why not.
	if version, err := r.trainer.Engine.Version(); err == nil && version != r.spec.Engine {
		return fault.New(fault.PlanStale, "The plan was made for %s; this worker has %s.", r.spec.Engine, version).
			WithFix("Make a new plan.")
	}
	return nil
}

// trial fits a member and keeps what comes of it. An error stops the run; a
// member that fails does not.
func (r *run) trial(ctx context.Context, position int, m member) error {
	t := runs.Trial{
		ID: r.trainer.NewID(), Position: position, Name: m.name, Family: string(m.family),
		State: runs.Running, Params: json.RawMessage("{}"),
	}
	if err := r.report.begin(ctx, string(m.family)); err != nil {
		return err
	}
	if err := r.report.sink.SaveTrial(ctx, t); err != nil {
		return err
	}
	limited, cancel := r.share(ctx, position)
	defer cancel()
	result, err := r.crossValidate(limited, t.ID, m)
	if err == nil {
		err = r.keep(ctx, &t, m, result)
	}
	if err != nil {
		return r.failed(ctx, t, err)
	}
	if m.family != plans.Floor {
		r.models++
	}
	return r.report.sink.SaveTrial(ctx, t)
}

// weights of the families in what is left of the time, so that no family takes
// it all before the ones after it have begun. The floor takes next to nothing,
// and may take what there is.
var weights = map[plans.Family]float64{plans.Linear: 1, plans.Forest: 2, plans.Trees: 3}

// share returns a context that ends with the member's part of what time is left.
func (r *run) share(ctx context.Context, position int) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok || r.members[position].family == plans.Floor {
		return context.WithCancel(ctx)
	}
	sum := 0.0
	for _, m := range r.members[position:] {
		sum += weights[m.family]
	}
	part := time.Duration(float64(time.Until(end)) * weights[r.members[position].family] / sum)
	return context.WithTimeoutCause(ctx, part, r.timeUp)
}

// failed records a trial that was not finished, and returns why the run must
// stop, or nil.
func (r *run) failed(ctx context.Context, t runs.Trial, err error) error {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), r.timeUp) {
		t.State = runs.Aborted
		return errors.Join(context.Cause(ctx), r.report.sink.SaveTrial(ctx, t))
	}
	f := fault.From(err)
	t.State = runs.Failed
	t.Failure = runs.Failure{Code: string(f.Code), Detail: f.Detail, Fix: f.Fix}
	if r.why == nil {
		r.why = err
	}
	return r.report.sink.SaveTrial(ctx, t)
}

// keep writes the files of a fitted member and completes its trial.
func (r *run) keep(ctx context.Context, t *runs.Trial, m member, result crossValidated) error {
	raw, digest, err := newBundle(r.job.Plan, r.spec.Engine, m, result.encoder, result.final, result.rows).Marshal()
	if err != nil {
		return err
	}
	evaluation, err := r.trainer.Evaluator.Evaluate(result.predictions)
	if err != nil {
		return fmt.Errorf("evaluating: %w", err)
	}
	oof, err := json.Marshal(result.predictions)
	if err != nil {
		return fmt.Errorf("writing predictions: %w", err)
	}
	put := func(name string, content []byte) (key string) {
		if err == nil {
			key, err = r.report.sink.Put(ctx, t.ID, name, content)
		}
		return key
	}
	t.Artifact, t.Evaluation = put("model.json", raw), put("evaluation.json", evaluation)
	put("oof.json", oof)
	if err != nil {
		return err
	}
	if len(result.final.boosters) > 0 {
		if t.Params, err = json.Marshal(result.final.params); err != nil {
			return err
		}
	}
	t.State, t.Folds = runs.Succeeded, result.folds
	t.CV, t.SE = meanSE(result.folds)
	t.Rounds, t.Seconds, t.Bytes, t.SHA256 = result.final.rounds, result.seconds, int64(len(raw)), digest
	return nil
}
