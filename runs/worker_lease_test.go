package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/runs"
)

func TestReap(t *testing.T) {
	tests := []struct {
		name    string
		attempt int
		abort   bool
		until   clock.Time
		all     bool
		want    string
	}{
		{"lost once", 0, false, t0 - 1, false, "queued attempt 1 epoch 1"},
		{"lost twice", 1, false, t0 - 1, false, "failed attempt 1 epoch 2 worker_lost"},
		{"lost, to be aborted", 0, true, t0 - 1, false, "aborted attempt 0 epoch 1"},
		{"lost twice, to be aborted", 1, true, t0 - 1, false, "aborted attempt 1 epoch 2"},
		{"still held", 0, false, t0, false, "running attempt 0 epoch 1"},
		{"still held, at the start of the only process", 0, false, t0 + 30_000, true, "queued attempt 1 epoch 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.launch("run_1")
			b.claim("run_1", "w9", 0, t0+1)
			if tt.attempt > 0 {
				b.now.Store(int64(t0 + 2))
				b.must(b.worker.ReapLost(t.Context()))
				b.now.Store(int64(t0))
				b.claim("run_1", "w9", 1, t0+1)
			}
			if tt.abort {
				b.must(b.db.RequestAbort(t.Context(), "run_1", t0))
			}
			_, err := b.db.ExtendLeases(t.Context(), "w9", tt.until)
			b.must(err)
			first := b.run("run_1").JobID
			reap := b.worker.ReapLost
			if tt.all {
				reap = b.worker.ReapAll
			}
			b.must(reap(t.Context()))
			b.must(reap(t.Context())) // and nothing the second time
			if got := b.state("run_1"); got != tt.want {
				t.Errorf("run is %s, want %s", got, tt.want)
			}
			r := b.run("run_1")
			switch r.State {
			case runs.Queued:
				if got := b.jobOf(r.JobID); got != `{"id":"run_1","epoch":1} available` {
					t.Errorf("next job = %s", got)
				}
				if got := b.jobOf(first); got != `{"id":"run_1","epoch":0} cancelled` {
					t.Errorf("first job = %s, want cancelled", got)
				}
			case runs.Failed:
				if r.Failure.Detail != "The worker of this run ended before the run did, 2 times." || r.Failure.Fix == "" {
					t.Errorf("failure = %+v", r.Failure)
				}
			}
		})
	}
}

func TestReapGoesOnAfterAnError(t *testing.T) {
	b := newBench(t, nil)
	for _, id := range []string{"run_1", "run_2"} {
		b.launch(id)
		b.claim(id, "w9", 0, t0-1)
	}
	failed := false
	b.worker.Tx = func(ctx context.Context, fn func(context.Context) error) error {
		if !failed {
			failed = true
			return fault.New(fault.Unavailable, "away")
		}
		return b.db.Tx(ctx, fn)
	}
	if err := b.worker.ReapLost(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("ReapLost = %v, want the error", err)
	}
	if one, two := b.run("run_1").State, b.run("run_2").State; one != runs.Running || two != runs.Queued {
		t.Errorf("runs are %s and %s, want running and queued", one, two)
	}
}

func TestBeatExtends(t *testing.T) {
	b := newBench(t, nil)
	b.worker.TTL = 10 * time.Second
	b.worker.Trainer = trainFunc(func(ctx context.Context, job runs.Job, _ runs.Sink) error {
		if got := job.Run.LeaseUntil; got != t0+10_000 {
			t.Errorf("lease until %v, want 10 s from the claim", got)
		}
		b.now.Store(int64(t0 + 4_000))
		b.must(runs.Beat(b.worker, ctx))
		if got := b.run("run_1").LeaseUntil; got != t0+14_000 || ctx.Err() != nil {
			t.Errorf("lease until %v, context %v, want 10 s from the beat, alive", got, ctx.Err())
		}
		return nil
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	if got := b.state("run_1"); got != "succeeded attempt 0 epoch 1" {
		t.Errorf("run is %s", got)
	}
}

func TestBeatAborts(t *testing.T) {
	b := newBench(t, nil)
	b.worker.Trainer = trainFunc(func(ctx context.Context, _ runs.Job, out runs.Sink) error {
		b.must(out.SaveTrial(ctx, runs.Trial{ID: "tr_1", Name: "floor", State: runs.Succeeded, Params: json.RawMessage("{}")}))
		b.must(b.db.RequestAbort(ctx, "run_1", t0))
		b.must(runs.Beat(b.worker, t.Context()))
		<-ctx.Done()
		return context.Cause(ctx)
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	trials, err := b.db.Trials(t.Context(), "ws_1", "run_1")
	b.must(err)
	if got := b.state("run_1"); got != "aborted attempt 0 epoch 1" || len(trials) != 1 || trials[0].State != runs.Succeeded {
		t.Errorf("run is %s with trials %+v, want aborted with the finished one", got, trials)
	}
}

func TestBeatFences(t *testing.T) {
	tests := []struct {
		name string
		lose func(b *bench)
		want string
	}{
		{"given back", func(b *bench) {
			_, err := b.db.RequeueRun(b.t.Context(), "run_1", 1, 5, 1)
			b.must(err)
		}, "queued attempt 1 epoch 1"},
		{"with another worker", func(b *bench) {
			_, err := b.db.RequeueRun(b.t.Context(), "run_1", 1, 5, 1)
			b.must(err)
			b.claim("run_1", "w2", 1, t0+1000)
		}, "running attempt 1 epoch 2"},
		{"with this process again, under the next epoch", func(b *bench) {
			_, err := b.db.RequeueRun(b.t.Context(), "run_1", 1, 5, 1)
			b.must(err)
			b.claim("run_1", "w1", 1, t0+1000)
		}, "running attempt 1 epoch 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.worker.Trainer = trainFunc(func(ctx context.Context, _ runs.Job, _ runs.Sink) error {
				tt.lose(b)
				b.must(runs.Beat(b.worker, t.Context()))
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), runs.ErrFenced) {
					t.Errorf("cause = %v, want ErrFenced", context.Cause(ctx))
				}
				return context.Cause(ctx)
			})
			b.launch("run_1")
			b.must(b.worker.Work(t.Context(), "run_1", 0))
			if got := b.state("run_1"); got != tt.want {
				t.Errorf("run is %s, want %s", got, tt.want)
			}
		})
	}
}

// A worker that cannot reach the database stops before its lease may be another's.
func TestBeatThatFails(t *testing.T) {
	b := newBench(t, nil)
	away := fault.New(fault.Unavailable, "away")
	reach := b.worker.Tx
	b.worker.Trainer = trainFunc(func(ctx context.Context, _ runs.Job, _ runs.Sink) error {
		b.worker.Tx = func(context.Context, func(context.Context) error) error { return away }
		b.now.Store(int64(t0 + 20_000)) // two beats of 5 s before the end of 30 s
		if err := runs.Beat(b.worker, t.Context()); !errors.Is(err, away) || ctx.Err() != nil {
			t.Errorf("beat = %v, context %v, want the error, alive", err, ctx.Err())
		}
		b.now.Store(int64(t0 + 20_001))
		if err := runs.Beat(b.worker, t.Context()); !errors.Is(err, away) || !errors.Is(context.Cause(ctx), runs.ErrFenced) {
			t.Errorf("beat = %v, cause %v, want the error, ErrFenced", err, context.Cause(ctx))
		}
		b.worker.Tx = reach
		return context.Cause(ctx)
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	if got := b.state("run_1"); got != "running attempt 0 epoch 1" {
		t.Errorf("run is %s, want untouched", got)
	}
}

// A lease that nobody here works on, because its end could not be written, would
// be extended for ever.
func TestBeatTakesBackOrphans(t *testing.T) {
	b := newBench(t, nil)
	reach := b.worker.Tx
	b.worker.Trainer = trainFunc(func(context.Context, runs.Job, runs.Sink) error {
		b.worker.Tx = func(context.Context, func(context.Context) error) error { return fault.New(fault.Unavailable, "away") }
		return nil
	})
	b.launch("run_1")
	if err := b.worker.Work(t.Context(), "run_1", 0); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("Work = %v, want the error", err)
	}
	b.worker.Tx = reach
	b.must(runs.Beat(b.worker, t.Context()))
	if got := b.state("run_1"); got != "queued attempt 1 epoch 1" {
		t.Errorf("run is %s, want queued attempt 1 epoch 1", got)
	}
}

// Keep sees an abort and takes back what another worker lost.
func TestKeep(t *testing.T) {
	b := newBench(t, nil)
	b.worker.Beat, b.worker.Reap = time.Millisecond, time.Millisecond
	b.worker.Trainer = trainFunc(func(ctx context.Context, _ runs.Job, _ runs.Sink) error {
		b.must(b.db.RequestAbort(ctx, "run_1", t0))
		<-ctx.Done()
		return context.Cause(ctx)
	})
	b.launch("run_1")
	b.launch("run_2")
	b.claim("run_2", "w9", 0, t0-1)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.worker.Keep(ctx)
	}()
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	b.await("run_2", "queued attempt 1 epoch 1")
	stop()
	<-ended
	if got := b.state("run_1"); got != "aborted attempt 0 epoch 1" {
		t.Errorf("run is %s, want aborted", got)
	}
}
