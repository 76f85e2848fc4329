package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/runs"
)

func TestClaimRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		want := aRun(t, db, "ws_1", "ds_1", "rn_1")
		for name, try := range map[string]struct {
			id    string
			epoch int64
		}{"absent": {"rn_9", 0}, "another epoch": {"rn_1", 1}} {
			if ok, err := db.ClaimRun(t.Context(), try.id, "w", try.epoch, t0, t0+30); ok || err != nil {
				t.Errorf("%s: got %v, %v; want false", name, ok, err)
			}
		}
		ok, err := db.ClaimRun(t.Context(), "rn_1", "w1", 0, t0+1, t0+30)
		if !ok || err != nil {
			t.Fatalf("got %v, %v; want true", ok, err)
		}
		got, err := db.RunByID(t.Context(), "rn_1")
		must(t, err)
		want.State, want.LeaseOwner, want.LeaseEpoch, want.LeaseUntil, want.StartedAt = runs.Running, "w1", 1, t0+30, t0+1
		equal(t, "claimed", got, want)
		if ok, err := db.ClaimRun(t.Context(), "rn_1", "w2", 0, t0, t0+30); ok || err != nil {
			t.Errorf("delivered again: got %v, %v; want false", ok, err)
		}
	})
}

func TestClaimRunOnceOfMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_1")
		var claimed atomic.Int32
		var wg sync.WaitGroup
		for n := range 20 {
			wg.Go(func() {
				ok, err := db.ClaimRun(t.Context(), "rn_1", fmt.Sprint("w", n), 0, t0, t0+30)
				if err != nil {
					t.Error(err)
				}
				if ok {
					claimed.Add(1)
				}
			})
		}
		wg.Wait()
		equal(t, "claims", claimed.Load(), 1)
	})
}

func TestExtendLeases(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		for _, id := range []string{"rn_1", "rn_2", "rn_3", "rn_4"} {
			aRunning(t, db, "ws_1", "ds_1", id)
		}
		must(t, db.RequestAbort(t.Context(), "rn_2", t0+5))
		must(t, db.FinishRun(t.Context(), "rn_3", 1, runs.Succeeded, noFailure, t0))
		_, err := db.RequeueRun(t.Context(), "rn_4", 1, 9, 1)
		must(t, err)
		ok, err := db.ClaimRun(t.Context(), "rn_4", "other", 1, t0, t0+30)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}

		got, err := db.ExtendLeases(t.Context(), "w", t0+60000)
		must(t, err)
		slices.SortFunc(got, func(a, b runs.Lease) int { return int(a.AbortAt - b.AbortAt) })
		equal(t, "leases", got, []runs.Lease{{Run: "rn_1", Epoch: 1}, {Run: "rn_2", Epoch: 1, AbortAt: t0 + 5}})
		lost, err := db.LostRuns(t.Context(), t0+60000)
		must(t, err)
		equal(t, "lost, of those not extended", idsOf(lost), []string{"rn_4"})
		none, err := db.ExtendLeases(t.Context(), "nobody", t0)
		must(t, err)
		equal(t, "leases of nobody", len(none), 0)
	})
}

func idsOf(all []runs.Run) []string {
	out := []string{}
	for _, r := range all {
		out = append(out, r.ID)
	}
	return out
}

func TestLostRuns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_queued")
		for n, until := range []clock.Time{t0 + 20, t0 + 10, t0 + 30} {
			id := fmt.Sprint("rn_", n)
			aRun(t, db, "ws_1", "ds_1", id)
			if ok, err := db.ClaimRun(t.Context(), id, "w", 0, t0, until); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		for now, want := range map[clock.Time][]string{
			t0 + 10: {}, t0 + 11: {"rn_1"}, t0 + 21: {"rn_1", "rn_0"}, 1 << 62: {"rn_1", "rn_0", "rn_2"},
		} {
			got, err := db.LostRuns(t.Context(), now)
			must(t, err)
			equal(t, "lost at "+since(now), idsOf(got), want)
		}
	})
}

func TestQueuedRuns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		for _, id := range []string{"rn_2", "rn_1"} {
			aRun(t, db, "ws_1", "ds_1", id)
		}
		aRunning(t, db, "ws_1", "ds_1", "rn_3")
		got, err := db.QueuedRuns(t.Context())
		must(t, err)
		equal(t, "queued", idsOf(got), []string{"rn_1", "rn_2"})
	})
}

func TestRenewRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_1")
		if ok, err := db.RenewRun(t.Context(), "rn_1", 1, 9); ok || err != nil {
			t.Errorf("of another epoch: got %v, %v; want false", ok, err)
		}
		if ok, err := db.RenewRun(t.Context(), "rn_1", 0, 9); !ok || err != nil {
			t.Errorf("got %v, %v; want true", ok, err)
		}
		got, err := db.RunByID(t.Context(), "rn_1")
		must(t, err)
		equal(t, "renewed", fmt.Sprintf("%s %d %d %d", got.State, got.LeaseEpoch, got.JobID, got.Attempt), "queued 1 9 0")
		if ok, err := db.ClaimRun(t.Context(), "rn_1", "w", 0, t0, t0+30); ok || err != nil {
			t.Errorf("claimed by the job that was lost: got %v, %v; want false", ok, err)
		}
		if ok, err := db.ClaimRun(t.Context(), "rn_1", "w", 1, t0, t0+30); !ok || err != nil {
			t.Errorf("claimed by the next job: got %v, %v; want true", ok, err)
		}
		if ok, err := db.RenewRun(t.Context(), "rn_1", 2, 10); ok || err != nil {
			t.Errorf("of a running run: got %v, %v; want false", ok, err)
		}
	})
}

func TestRequeueRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRunning(t, db, "ws_1", "ds_1", "rn_1")
		if ok, err := db.RequeueRun(t.Context(), "rn_1", 0, 9, 1); ok || err != nil {
			t.Errorf("of an older epoch: got %v, %v; want false", ok, err)
		}
		if ok, err := db.RequeueRun(t.Context(), "rn_1", 1, 9, 1); !ok || err != nil {
			t.Errorf("got %v, %v; want true", ok, err)
		}
		got, err := db.RunByID(t.Context(), "rn_1")
		must(t, err)
		equal(t, "requeued", fmt.Sprintf("%s %q %d %s %d %d", got.State, got.LeaseOwner, got.LeaseEpoch, since(got.LeaseUntil), got.JobID, got.Attempt), `queued "" 1 - 9 1`)
		if ok, err := db.RequeueRun(t.Context(), "rn_1", 1, 10, 2); ok || err != nil {
			t.Errorf("again: got %v, %v; want false", ok, err)
		}
		if ok, err := db.ClaimRun(t.Context(), "rn_1", "w2", 1, t0+9, t0+60); !ok || err != nil {
			t.Errorf("claimed by the next job: got %v, %v; want true", ok, err)
		}
		got, err = db.RunByID(t.Context(), "rn_1")
		must(t, err)
		equal(t, "epoch, and the start stays", fmt.Sprint(got.LeaseEpoch, since(got.StartedAt)), "2+0")
	})
}

// Each write of a worker, tried with an epoch.
var fencedWrites = []struct {
	name string
	try  func(ctx ctx, db *store.DB, epoch int64) error
}{
	{"SetProgress", func(ctx ctx, db *store.DB, epoch int64) error {
		return db.SetProgress(ctx, "rn_1", epoch, "linear", 0.5)
	}},
	{"SaveTrial", func(ctx ctx, db *store.DB, epoch int64) error {
		return db.SaveTrial(ctx, epoch, trial("ws_1", "rn_1", "tr_new"))
	}},
	{"ClearTrials", func(ctx ctx, db *store.DB, epoch int64) error { return db.ClearTrials(ctx, "rn_1", epoch) }},
	{"FinishRun", func(ctx ctx, db *store.DB, epoch int64) error {
		return db.FinishRun(ctx, "rn_1", epoch, runs.Failed, runs.Failure{Code: "memory"}, t0+9)
	}},
}

func TestWorkersAreFenced(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRunning(t, db, "ws_1", "ds_1", "rn_1")
		must(t, db.SaveTrial(t.Context(), 1, trial("ws_1", "rn_1", "tr_1")))
		_, err := db.RequeueRun(t.Context(), "rn_1", 1, 9, 1)
		must(t, err)
		check := func(when string) {
			t.Helper()
			before, err := db.RunByID(t.Context(), "rn_1")
			must(t, err)
			for _, w := range fencedWrites {
				if err := w.try(t.Context(), db, 1); !errors.Is(err, runs.ErrFenced) {
					t.Errorf("%s, %s: got %v, want ErrFenced", when, w.name, err)
				}
			}
			after, err := db.RunByID(t.Context(), "rn_1")
			must(t, err)
			equal(t, when+", the run", after, before)
			trials, err := db.Trials(t.Context(), "ws_1", "rn_1")
			must(t, err)
			equal(t, when+", trials", len(trials), 1)
		}
		check("in the queue again")
		if ok, err := db.ClaimRun(t.Context(), "rn_1", "w2", 1, t0, t0+30); !ok || err != nil {
			t.Fatal(ok, err)
		}
		check("another worker's")
		must(t, db.FinishRun(t.Context(), "rn_1", 2, runs.Succeeded, noFailure, t0+5))
		check("over")
		if err := db.FinishRun(t.Context(), "rn_1", 2, runs.Failed, noFailure, t0+6); !errors.Is(err, runs.ErrFenced) {
			t.Errorf("ended twice: got %v, want ErrFenced", err)
		}
	})
}

func TestFinishRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRunning(t, db, "ws_1", "ds_1", "rn_1")
		for _, w := range fencedWrites {
			if err := w.try(t.Context(), db, 1); err != nil {
				t.Errorf("%s by the holder: %v", w.name, err)
			}
		}
		got, err := db.RunByID(t.Context(), "rn_1")
		must(t, err)
		want := runs.Run{ID: "rn_1", Workspace: "ws_1", Plan: "pl_rn_1", Token: "tk_1", Principal: "token:tk_1", State: runs.Failed,
			Phase: "linear", Progress: 0.5, Failure: runs.Failure{Code: "memory"}, LeaseEpoch: 1, CreatedAt: t0, StartedAt: t0, EndedAt: t0 + 9}
		equal(t, "run", got, want)
	})
}
