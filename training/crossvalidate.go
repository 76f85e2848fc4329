package training

import (
	"context"
	"sync"
	"sync/atomic"

	"ambit/plans"
)

// crossValidated is what a member made of a plan.
type crossValidated struct {
	folds       []float64 // the metric of each
	predictions Predictions
	final       fitted // on all rows that are not sealed
	encoder     Encoder
	rows        int     // that final learnt from
	seconds     float64 // of all fits
}

// foldFit is the model of one fold, or the final one.
type foldFit struct {
	fitted
	encoder Encoder
	learnt  int       // rows
	tested  []int     // places of the rows of the fold
	scores  []float64 // of tested
	score   float64   // the metric
}

// crossValidate fits a model a fold and the final one, side by side as far as
// there are children for it. The first error stops the rest.
func (r *run) crossValidate(ctx context.Context, trial string, m member) (crossValidated, error) {
	k := r.spec.Split.K
	fits := make([]foldFit, k+1)
	err := inParallel(ctx, r.pool.size(), k+1, func(ctx context.Context, number int) (err error) {
		if fits[number], err = r.fitFold(ctx, trial, m, number); err != nil {
			return err
		}
		return r.report.step(ctx, 1)
	})
	if err != nil {
		return crossValidated{}, err
	}
	out := crossValidated{final: fits[k].fitted, encoder: fits[k].encoder, rows: fits[k].learnt, predictions: r.predictions(fits[:k])}
	for i, f := range fits {
		out.seconds += f.seconds
		if i < k {
			out.folds = append(out.folds, f.score)
		}
	}
	return out, nil
}

// inParallel calls do for 0 to n-1, workers at a time, until one fails, and
// returns its error once all have ended.
func inParallel(ctx context.Context, workers, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(workers, n) {
		wait.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
					return
				}
				done.Add(1)
			}
		})
	}
	wait.Wait()
	if int(done.Load()) == n {
		return nil // even if the time was up just then
	}
	return context.Cause(ctx)
}

// fitFold fits on the rows outside of a fold and tests on those inside. Number k
// is no row's fold: the final model. Everything that is fitted, the encoder
// first, sees the rows outside only.
func (r *run) fitFold(ctx context.Context, trial string, m member, number int) (foldFit, error) {
	inside, outside := apart(r.fold, number)
	p, encoder := r.part(m, inside, outside)
	made, err := m.fit(ctx, p, r.fitter(trial, m, number))
	if err != nil {
		return foldFit{}, err
	}
	out := foldFit{fitted: made, encoder: encoder, learnt: len(outside), tested: inside}
	if len(inside) == 0 {
		return out, nil
	}
	width := scoreWidth(r.spec.Task, r.target.width)
	out.scores = m.link.scores(r.spec.Task, width, len(inside), made.prior, made.margins)
	out.score, err = score(r.spec.Metric, r.target.pick(inside), out.scores)
	return out, err
}

// part encodes the rows to learn from and those to predict. The floor looks at
// neither.
func (r *run) part(m member, inside, outside []int) (part, Encoder) {
	p := part{spec: r.spec, target: r.target.pick(outside)}
	e := fitEncoder(r.spec.Features, r.frame, p.target.rows)
	if m.family == plans.Floor {
		return p, e
	}
	p.x = e.encode(r.frame, p.target.rows)
	p.x.Label = labels(p.target.label)
	p.columns = e.columns()
	p.predict = e.encode(r.frame, r.target.pick(inside).rows)
	return p, e
}

// fitter fits on the run's children and reports rounds.
func (r *run) fitter(trial string, m member, number int) fitter {
	event := roundEvent{Trial: trial, Name: m.name}
	if number < r.spec.Split.K {
		event.Fold = &number
	}
	return func(ctx context.Context, fit Fit) (Fitted, error) {
		return r.pool.fit(ctx, fit, func(round Round) {
			e := event
			e.Round, e.Rounds, e.Metric, e.Reason, e.MS = round.Round, fit.Rounds, round.Metric, round.Reason, round.MS
			r.report.round(ctx, e)
		})
	}
}

// predictions puts what the models of the folds said in the order of the table.
func (r *run) predictions(folds []foldFit) Predictions {
	width := scoreWidth(r.spec.Task, r.target.width)
	scores := make([]float64, len(r.fold)*width)
	for _, f := range folds {
		for i, place := range f.tested {
			copy(scores[place*width:], f.scores[i*width:(i+1)*width])
		}
	}
	p := Predictions{Label: "oof", Task: r.spec.Task, Positive: r.spec.Positive, K: r.spec.Split.K}
	for _, c := range r.spec.Classes {
		p.Classes = append(p.Classes, c.Value)
	}
	for place, fold := range r.fold {
		if fold == Sealed {
			continue
		}
		p.Rows = append(p.Rows, r.target.rows[place])
		p.Fold = append(p.Fold, fold)
		p.Truth = append(p.Truth, r.target.label[place])
		p.Scores = append(p.Scores, scores[place*width:(place+1)*width]...)
	}
	return p
}
