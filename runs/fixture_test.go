package runs_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ambit/datasets"
	"ambit/internal/blobs"
	"ambit/internal/clock"
	"ambit/internal/jobs"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/plans"
	"ambit/runs"
	"ambit/workspaces"
)

const t0 = clock.Time(1767323045678)

// patience is how long a test waits for what must happen.
const patience = time.Minute

// trainFunc is a trainer made of a function.
type trainFunc func(ctx context.Context, job runs.Job, sink runs.Sink) error

func (f trainFunc) Train(ctx context.Context, job runs.Job, sink runs.Sink) error {
	return f(ctx, job, sink)
}

// bench is a worker on a real store, queue and folder of files, with a clock
// that a test sets.
type bench struct {
	t      *testing.T
	db     *store.DB
	pool   *sql.DB
	queue  *jobs.Client
	files  *blobs.Folder
	hub    *runs.Hub
	now    atomic.Int64
	worker *runs.Worker
}

func newBench(t *testing.T, train trainFunc) *bench {
	t.Helper()
	b := &bench{t: t, db: storetest.SQLite(t), hub: runs.NewHub()}
	b.now.Store(int64(t0))
	var err error
	b.pool, err = b.db.Pool()
	b.must(err)
	b.queue = b.newQueue(nil)
	b.files, err = blobs.OpenFolder(t.TempDir())
	b.must(err)
	t.Cleanup(func() { b.files.Close() })
	b.worker = b.newWorker("w1", train)
	b.must(b.db.InsertWorkspace(t.Context(), workspaces.Workspace{ID: "ws_1", Name: "w", Stage: workspaces.Build, CreatedAt: t0, CreatedBy: "cli"}))
	b.must(b.db.InsertDataset(t.Context(), datasets.Dataset{ID: "ds_1", Workspace: "ws_1", Name: "d", CreatedAt: t0, CreatedBy: "cli"}))
	return b
}

func (b *bench) newWorker(owner string, train trainFunc) *runs.Worker {
	return &runs.Worker{
		Store: b.db, Plans: b.db, Trainer: train, Queue: b.queue, Blobs: b.files, Hub: b.hub, Tx: b.db.Tx, Owner: owner,
		Now: func() clock.Time { return clock.Time(b.now.Load()) }, Log: slog.New(slog.DiscardHandler), Retry: time.Millisecond,
	}
}

func (b *bench) newQueue(worker jobs.Worker) *jobs.Client {
	b.t.Helper()
	c := jobs.Config{Pool: b.pool, SQLite: true, Tx: b.db.SQLTx, AfterCommit: b.db.AfterCommit, Grace: time.Millisecond}
	if worker != nil {
		c.Workers = map[jobs.Kind]jobs.Worker{jobs.Train: worker}
	}
	q, err := jobs.New(b.t.Context(), c)
	b.must(err)
	return q
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// launch makes a plan and its queued run with a job.
func (b *bench) launch(id string) {
	b.t.Helper()
	ctx := b.t.Context()
	plan := plans.Plan{ID: "pl_" + id, Workspace: "ws_1", Dataset: "ds_1", State: plans.Launched, Run: id, Hash: "hash of " + id, CreatedAt: t0, ExpiresAt: t0 + 1}
	b.must(b.db.InsertPlan(ctx, plan))
	b.must(b.db.Tx(ctx, func(ctx context.Context) error {
		run := runs.Run{ID: id, Workspace: "ws_1", Plan: plan.ID, Principal: "cli", State: runs.Queued, CreatedAt: t0}
		if err := b.db.InsertRun(ctx, run); err != nil {
			return err
		}
		job, err := b.queue.Enqueue(ctx, jobs.Train, id, 0)
		if err != nil {
			return err
		}
		return b.db.SetRunJob(ctx, id, job)
	}))
}

// claim takes a queued run for a worker that is not there.
func (b *bench) claim(id, owner string, epoch int64, until clock.Time) {
	b.t.Helper()
	ok, err := b.db.ClaimRun(b.t.Context(), id, owner, epoch, t0, until)
	if err != nil || !ok {
		b.t.Fatalf("ClaimRun(%s) = %v, %v", id, ok, err)
	}
}

func (b *bench) run(id string) runs.Run {
	b.t.Helper()
	r, err := b.db.RunByID(b.t.Context(), id)
	b.must(err)
	return r
}

// state shows what a test wants to know of a run.
func (b *bench) state(id string) string {
	b.t.Helper()
	r := b.run(id)
	out := fmt.Sprintf("%s attempt %d epoch %d", r.State, r.Attempt, r.LeaseEpoch)
	if r.Failure.Code != "" {
		out += " " + r.Failure.Code
	}
	return out
}

// history shows the events of a run.
func (b *bench) history(id string) string {
	b.t.Helper()
	events, err := b.db.Events(b.t.Context(), "ws_1", id, 0, 1000)
	b.must(err)
	lines := []string{}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			b.t.Errorf("event %d has number %d", i+1, e.Seq)
		}
		lines = append(lines, e.Kind+" "+string(e.Data))
	}
	return strings.Join(lines, "\n")
}

// jobOf returns the kind of row that the queue keeps for a job: its epoch and state.
func (b *bench) jobOf(id int64) string {
	b.t.Helper()
	var args, state string
	b.must(b.pool.QueryRowContext(b.t.Context(), "SELECT json(args), state FROM river_job WHERE id = ?", id).Scan(&args, &state))
	return args + " " + state
}
