package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/internal/jobs"
	"ambit/runs"
)

func TestWorkEnds(t *testing.T) {
	tests := []struct {
		name    string
		train   func() error
		state   string
		failure runs.Failure
	}{
		{"success", func() error { return nil }, "succeeded attempt 0 epoch 1", runs.Failure{}},
		{"fault", func() error {
			return fmt.Errorf("fitting: %w", fault.New(fault.Memory, "Too big.").WithFix("Use fewer rows."))
		},
			"failed attempt 0 epoch 1 memory", runs.Failure{Code: "memory", Detail: "Too big.", Fix: "Use fewer rows."}},
		{"error of ours", func() error { return errors.New("open /srv/secret: no such file") },
			"failed attempt 0 epoch 1 internal", runs.Failure{Code: "internal", Detail: "Ambit failed to do this.", Fix: "Try again; if it happens again, report the request id."}},
		{"panic", func() error { panic("index out of range") },
			"failed attempt 0 epoch 1 internal", runs.Failure{Code: "internal", Detail: "Ambit failed to do this.", Fix: "Try again; if it happens again, report the request id."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, func(_ context.Context, job runs.Job, _ runs.Sink) error {
				if job.Run.ID != "run_1" || job.Run.LeaseEpoch != 1 || job.Plan.Hash != "hash of run_1" {
					t.Errorf("job of run %s, epoch %d, plan %q", job.Run.ID, job.Run.LeaseEpoch, job.Plan.Hash)
				}
				return tt.train()
			})
			b.launch("run_1")
			changed, release := b.hub.Watch("run_1")
			defer release()
			b.must(b.worker.Work(t.Context(), "run_1", 0))
			if got := b.state("run_1"); got != tt.state {
				t.Errorf("run is %s, want %s", got, tt.state)
			}
			r := b.run("run_1")
			if r.Failure != tt.failure || r.EndedAt != t0 || r.StartedAt != t0 || r.LeaseOwner != "" {
				t.Errorf("failure %+v, started %v, ended %v, owner %q, want %+v", r.Failure, r.StartedAt, r.EndedAt, r.LeaseOwner, tt.failure)
			}
			if got := b.history("run_1"); !strings.HasPrefix(got, "state {\"state\":\"running\"}\nstate {") {
				t.Errorf("history:\n%s", got)
			}
			select {
			case <-changed:
			default:
				t.Error("nobody was told")
			}
		})
	}
}

func TestWorkLeavesWhatIsNotItsOwn(t *testing.T) {
	called := false
	b := newBench(t, func(context.Context, runs.Job, runs.Sink) error { called = true; return nil })
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 7)) // a job of another epoch
	b.must(b.worker.Work(t.Context(), "run_9", 0)) // no such run
	b.claim("run_1", "w2", 0, t0+1000)
	b.must(b.worker.Work(t.Context(), "run_1", 0)) // delivered twice
	if got := b.state("run_1"); called || got != "running attempt 0 epoch 1" {
		t.Errorf("trained %v, run is %s, want untouched", called, got)
	}
}

func TestSinkWrites(t *testing.T) {
	b := newBench(t, func(ctx context.Context, job runs.Job, out runs.Sink) error {
		trial := runs.Trial{ID: "tr_1", Name: "floor", Family: "floor", State: runs.Running, Params: json.RawMessage("{}")}
		key, err := out.Put(ctx, "tr_1", "model.json", []byte("model"))
		done := trial
		done.State, done.CV, done.SE, done.Artifact = runs.Succeeded, 0.5, 0.25, key
		return errors.Join(err,
			out.Progress(ctx, "prepare", 0), out.Progress(ctx, "prepare", 0.125), out.Progress(ctx, "floor", 0.25),
			out.SaveTrial(ctx, trial), out.SaveTrial(ctx, done), out.Event(ctx, "round", map[string]int{"round": 3}))
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	want := strings.Join([]string{
		`state {"state":"running"}`,
		`phase {"phase":"prepare","progress":0}`,
		`phase {"phase":"floor","progress":0.25}`,
		`trial {"family":"floor","name":"floor","state":"running","trial_id":"tr_1"}`,
		`trial {"cv":0.5,"family":"floor","name":"floor","se":0.25,"state":"succeeded","trial_id":"tr_1"}`,
		`round {"round":3}`,
		`state {"state":"succeeded"}`,
	}, "\n")
	if got := b.history("run_1"); got != want {
		t.Errorf("history:\n%s\nwant:\n%s", got, want)
	}
	if r := b.run("run_1"); r.Phase != "floor" || r.Progress != 0.25 {
		t.Errorf("phase %s at %v, want floor at 0.25", r.Phase, r.Progress)
	}
	trials, err := b.db.Trials(t.Context(), "ws_1", "run_1")
	b.must(err)
	if len(trials) != 1 || trials[0].State != runs.Succeeded || trials[0].Artifact != "trials/ws_1/run_1/tr_1/model.json" {
		t.Fatalf("trials = %+v", trials)
	}
	f, err := b.files.Get(t.Context(), trials[0].Artifact)
	b.must(err)
	defer f.Close()
	if content, _ := io.ReadAll(f); string(content) != "model" {
		t.Errorf("file holds %q, want model", content)
	}
}

// What is finished is kept, though the run's context has ended.
func TestSinkOutlivesTheRun(t *testing.T) {
	b := newBench(t, func(ctx context.Context, _ runs.Job, out runs.Sink) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, err := out.Put(ctx, "tr_1", "model.json", []byte("model"))
		return errors.Join(err, out.SaveTrial(ctx, runs.Trial{ID: "tr_1", Name: "floor", State: runs.Aborted, Params: json.RawMessage("{}")}))
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	if got := b.state("run_1"); got != "succeeded attempt 0 epoch 1" {
		t.Errorf("run is %s, want succeeded", got)
	}
}

func TestFencedWorkerWritesNothing(t *testing.T) {
	b := newBench(t, nil)
	b.worker.Trainer = trainFunc(func(ctx context.Context, job runs.Job, out runs.Sink) error {
		ok, err := b.db.RequeueRun(ctx, "run_1", 1, 5, 1) // somebody took the run back
		if err != nil || !ok {
			t.Fatalf("RequeueRun = %v, %v", ok, err)
		}
		b.claim("run_1", "w2", 1, t0+1000)
		for what, err := range map[string]error{
			"Progress":  out.Progress(ctx, "floor", 0.5),
			"SaveTrial": out.SaveTrial(ctx, runs.Trial{ID: "tr_1", Params: json.RawMessage("{}")}),
			"Event":     out.Event(ctx, "round", 1),
		} {
			if !errors.Is(err, runs.ErrFenced) {
				t.Errorf("%s = %v, want ErrFenced", what, err)
			}
		}
		return runs.ErrFenced
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	if got := b.state("run_1"); got != "running attempt 1 epoch 2" || b.run("run_1").LeaseOwner != "w2" {
		t.Errorf("run is %s of %s, want running attempt 1 epoch 2 of w2", got, b.run("run_1").LeaseOwner)
	}
	if got := b.history("run_1"); got != `state {"state":"running"}` {
		t.Errorf("history:\n%s\nwant the first claim only", got)
	}
}

// A success that comes after the run was taken back is not one.
func TestFencedWorkerDoesNotEndTheRun(t *testing.T) {
	b := newBench(t, nil)
	b.worker.Trainer = trainFunc(func(ctx context.Context, _ runs.Job, _ runs.Sink) error {
		_, err := b.db.RequeueRun(ctx, "run_1", 1, 5, 1)
		return err
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	if got := b.state("run_1"); got != "queued attempt 1 epoch 1" {
		t.Errorf("run is %s, want queued attempt 1 epoch 1", got)
	}
}

func TestRetryStartsAnew(t *testing.T) {
	attempt := 0
	b := newBench(t, func(ctx context.Context, _ runs.Job, out runs.Sink) error {
		attempt++
		id := fmt.Sprintf("tr_%d", attempt)
		_, err := out.Put(ctx, id, "model.json", []byte("model"))
		err = errors.Join(err, out.SaveTrial(ctx, runs.Trial{ID: id, Name: "floor", State: runs.Succeeded, Params: json.RawMessage("{}")}))
		if attempt == 1 {
			return errors.Join(err, runs.ErrFenced) // gone without an end
		}
		return err
	})
	b.launch("run_1")
	b.must(b.worker.Work(t.Context(), "run_1", 0))
	b.must(b.worker.ReapAll(t.Context()))
	b.must(b.worker.Work(t.Context(), "run_1", 1))
	if got := b.state("run_1"); got != "succeeded attempt 1 epoch 2" {
		t.Errorf("run is %s, want succeeded attempt 1 epoch 2", got)
	}
	keys, err := b.files.Keys(t.Context(), "trials/")
	b.must(err)
	if want := []string{"trials/ws_1/run_1/tr_2/model.json"}; !slices.Equal(keys, want) {
		t.Errorf("files = %v, want %v", keys, want)
	}
	trials, err := b.db.Trials(t.Context(), "ws_1", "run_1")
	b.must(err)
	if len(trials) != 1 || trials[0].ID != "tr_2" {
		t.Errorf("trials = %+v, want tr_2 only", trials)
	}
}

// A process that stops gives its runs back, and uses up no attempt.
func TestStopGivesTheRunBack(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	b := newBench(t, func(ctx context.Context, _ runs.Job, _ runs.Sink) error {
		stop()
		return context.Cause(ctx)
	})
	b.launch("run_1")
	first := b.run("run_1").JobID
	b.must(b.worker.Work(ctx, "run_1", 0))
	r := b.run("run_1")
	if got := b.state("run_1"); got != "queued attempt 0 epoch 1" || r.JobID == first {
		t.Errorf("run is %s with job %d, want queued attempt 0 epoch 1 with another than %d", got, r.JobID, first)
	}
	if got := b.jobOf(r.JobID); got != `{"id":"run_1","epoch":1} available` {
		t.Errorf("job = %s", got)
	}
	b.worker.Trainer = trainFunc(func(context.Context, runs.Job, runs.Sink) error { return nil })
	b.must(b.worker.Work(t.Context(), "run_1", 0)) // the first job, delivered again, does nothing
	b.must(b.worker.Work(t.Context(), "run_1", 1))
	if got := b.state("run_1"); got != "succeeded attempt 0 epoch 2" {
		t.Errorf("run is %s, want succeeded attempt 0 epoch 2", got)
	}
}

// The queue ends the context of a cancelled job before the heartbeat sees the
// mark on the run.
func TestCancelledJobIsAnAbort(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	b := newBench(t, nil)
	b.worker.Trainer = trainFunc(func(ctx context.Context, _ runs.Job, _ runs.Sink) error {
		b.must(b.db.RequestAbort(ctx, "run_1", t0))
		stop()
		return context.Cause(ctx)
	})
	b.launch("run_1")
	b.must(b.worker.Work(ctx, "run_1", 0))
	if got := b.state("run_1"); got != "aborted attempt 0 epoch 1" {
		t.Errorf("run is %s, want aborted attempt 0 epoch 1", got)
	}
}

// A job is delivered once, so that what it writes is tried again.
func TestWritesAreTriedAgain(t *testing.T) {
	tests := []struct {
		name       string
		claim, end int // transactions that fail before one works
		state      string
		err        bool
	}{
		{"claim at the fifth try", 4, 0, "succeeded attempt 0 epoch 1", false},
		{"claim given up", 5, 0, "queued attempt 0 epoch 0", true},
		{"end at the fifth try", 0, 4, "succeeded attempt 0 epoch 1", false},
		{"end given up", 0, 5, "running attempt 0 epoch 1", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			left := tt.claim
			b := newBench(t, func(context.Context, runs.Job, runs.Sink) error { left = tt.end; return nil })
			b.launch("run_1")
			b.worker.Tx = func(ctx context.Context, fn func(context.Context) error) error {
				if left > 0 {
					left--
					return fault.New(fault.Unavailable, "away")
				}
				return b.db.Tx(ctx, fn)
			}
			if err := b.worker.Work(t.Context(), "run_1", 0); (err != nil) != tt.err {
				t.Errorf("Work = %v, want an error: %v", err, tt.err)
			}
			if got := b.state("run_1"); got != tt.state {
				t.Errorf("run is %s, want %s", got, tt.state)
			}
		})
	}
}

// TestWithQueue runs on the real queue, from launch to end.
func TestWithQueue(t *testing.T) {
	b := newBench(t, nil)
	begun := make(chan struct{})
	b.worker.Trainer = trainFunc(func(ctx context.Context, job runs.Job, out runs.Sink) error {
		if job.Run.ID == "run_1" {
			return out.Progress(ctx, "floor", 0.5)
		}
		close(begun)
		<-ctx.Done() // until somebody aborts
		return context.Cause(ctx)
	})
	b.launch("run_1")
	b.launch("run_2")
	queue := b.newQueue(b.worker)
	b.must(queue.Start(t.Context()))
	defer func() { b.must(queue.Stop(context.Background())) }()
	b.await("run_1", "succeeded attempt 0 epoch 1")
	<-begun
	service := runs.Service{Store: b.db, Queue: queue, Hub: b.hub, Now: b.worker.Now}
	b.must(b.db.Tx(t.Context(), func(ctx context.Context) error {
		_, err := service.Abort(ctx, "ws_1", "run_2")
		return err
	}))
	b.await("run_2", "aborted attempt 0 epoch 1")
}

// await waits until a run is in a state.
func (b *bench) await(id, want string) {
	b.t.Helper()
	changed, release := b.hub.Watch(id)
	defer release()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	for b.state(id) != want {
		select {
		case <-changed:
		case <-ctx.Done():
			b.t.Fatalf("run %s is %s, want %s", id, b.state(id), want)
		}
	}
}

// A queue that stops while a run is at work leaves it for the next process.
func TestQueueThatStops(t *testing.T) {
	b := newBench(t, nil)
	begun := make(chan struct{})
	b.worker.Trainer = trainFunc(func(ctx context.Context, _ runs.Job, _ runs.Sink) error {
		close(begun)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	b.launch("run_1")
	queue := b.newQueue(b.worker)
	b.must(queue.Start(t.Context()))
	<-begun
	b.must(queue.Stop(t.Context()))
	if got := b.state("run_1"); got != "queued attempt 0 epoch 1" {
		t.Fatalf("run is %s, want queued attempt 0 epoch 1", got)
	}
	b.worker.Trainer = trainFunc(func(context.Context, runs.Job, runs.Sink) error { return nil })
	next := b.newQueue(b.worker)
	b.must(next.Start(t.Context()))
	defer func() { b.must(next.Stop(context.Background())) }()
	b.await("run_1", "succeeded attempt 0 epoch 2")
}

var _ jobs.Worker = (*runs.Worker)(nil)
