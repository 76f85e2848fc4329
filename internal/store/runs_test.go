package store_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/runs"
)

func TestRuns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		must(t, db.InsertPlan(t.Context(), plan("ws_1", "ds_1", "pl_1")))
		want := runs.Run{
			ID: "rn_1", Workspace: "ws_1", Plan: "pl_1", Token: "tk_1", Principal: "token:tk_1", State: runs.Failed, Phase: "linear", Progress: 0.25,
			Failure: runs.Failure{Code: "memory", Detail: "d", Fix: "f"}, Attempt: 1, LeaseOwner: "w", LeaseEpoch: 2, LeaseUntil: t0 + 1, JobID: 7,
			AbortAt: t0 + 2, CreatedAt: t0, StartedAt: t0 + 3, EndedAt: t0 + 4,
		}
		filled(t, want, "DeletedAt")
		must(t, db.InsertRun(t.Context(), want))
		for name, read := range map[string]func() (runs.Run, error){
			"Run":       func() (runs.Run, error) { return db.Run(t.Context(), "ws_1", "rn_1") },
			"RunOfPlan": func() (runs.Run, error) { return db.RunOfPlan(t.Context(), "ws_1", "pl_1") },
			"RunByID":   func() (runs.Run, error) { return db.RunByID(t.Context(), "rn_1") },
		} {
			got, err := read()
			must(t, err)
			equal(t, name, got, want)
		}
		must(t, db.SetRunJob(t.Context(), "rn_1", 8))
		got, err := db.RunByID(t.Context(), "rn_1")
		must(t, err)
		equal(t, "job", got.JobID, 8)
		for name, err := range map[string]error{
			"foreign run":       second(db.Run(t.Context(), "ws_2", "rn_1")),
			"foreign plan":      second(db.RunOfPlan(t.Context(), "ws_2", "pl_1")),
			"absent run":        second(db.RunByID(t.Context(), "rn_9")),
			"job of absent run": db.SetRunJob(t.Context(), "rn_9", 1),
			"deleting foreign":  db.DeleteRun(t.Context(), "ws_2", "rn_1", t0),
		} {
			wantCode(t, name, err, fault.NotFound)
		}
	})
}

func TestInsertRunOncePerPlan(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		first := aRun(t, db, "ws_1", "ds_1", "rn_1")
		again := first
		again.ID = "rn_2"
		err := db.InsertRun(t.Context(), again)
		wantDetail(t, err, fault.PlanAlreadyLaunched, "The plan was launched.")
		equal(t, "run_id", fault.From(err).Info["run_id"], any("rn_1"))

		// The transaction stays usable after it.
		must(t, db.Tx(t.Context(), func(ctx ctx) error {
			wantCode(t, "in a transaction", db.InsertRun(ctx, again), fault.PlanAlreadyLaunched)
			return db.SetRunJob(ctx, "rn_1", 3)
		}))
	})
}

func TestRunsPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		for _, n := range []int{3, 1, 5, 2, 4, 6} {
			id := fmt.Sprint("rn_", n)
			must(t, db.InsertPlan(t.Context(), plan("ws_1", "ds_1", "pl_"+id)))
			must(t, db.InsertRun(t.Context(), runs.Run{ID: id, Workspace: "ws_1", Plan: "pl_" + id, State: runs.Queued, CreatedAt: madeAt(n)}))
		}
		must(t, db.DeleteRun(t.Context(), "ws_1", "rn_6", t0))
		got := pages(t, func(p page.Page) ([]runs.Run, error) { return db.Runs(t.Context(), "ws_1", p) },
			func(r runs.Run) page.Cursor { return page.Cursor{At: r.CreatedAt, ID: r.ID} })
		equal(t, "pages", got, wantPages("rn_"))
	})
}

func TestDeleteRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRunning(t, db, "ws_1", "ds_1", "rn_1")
		must(t, db.SaveTrial(t.Context(), 1, trial("ws_1", "rn_1", "tr_1")))
		must(t, second(db.AppendEvent(t.Context(), runs.Event{Run: "rn_1", Kind: "log"})))
		must(t, db.DeleteRun(t.Context(), "ws_1", "rn_1", t0))
		for name, err := range map[string]error{
			"run":   second(db.Run(t.Context(), "ws_1", "rn_1")),
			"trial": second(db.Trial(t.Context(), "ws_1", "tr_1")),
			"again": db.DeleteRun(t.Context(), "ws_1", "rn_1", t0),
		} {
			wantCode(t, name, err, fault.NotFound)
		}
		trials, err := db.Trials(t.Context(), "ws_1", "rn_1")
		must(t, err)
		events, err := db.Events(t.Context(), "ws_1", "rn_1", 0, 10)
		must(t, err)
		equal(t, "trials and events", len(trials)+len(events), 0)
		_, err = db.RunByID(t.Context(), "rn_1")
		wantCode(t, "the worker's", err, "")
		_, err = db.RunOfPlan(t.Context(), "ws_1", "pl_rn_1")
		wantCode(t, "the plan's", err, "")
	})
}

func TestAbort(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_queued")
		aRunning(t, db, "ws_1", "ds_1", "rn_running")
		aRunning(t, db, "ws_1", "ds_1", "rn_over")
		must(t, db.FinishRun(t.Context(), "rn_over", 1, runs.Succeeded, noFailure, t0))
		state := func(id string) string {
			r, err := db.RunByID(t.Context(), id)
			must(t, err)
			return fmt.Sprintf("%s %s %s", r.State, since(r.AbortAt), since(r.EndedAt))
		}
		for _, id := range []string{"rn_queued", "rn_running", "rn_over"} {
			must(t, db.RequestAbort(t.Context(), id, t0+5))
			must(t, db.RequestAbort(t.Context(), id, t0+6))
		}
		equal(t, "queued", state("rn_queued"), "queued +5 -")
		equal(t, "running", state("rn_running"), "running +5 -")
		equal(t, "over", state("rn_over"), "succeeded - +0")

		must(t, db.AbortQueued(t.Context(), "rn_queued", t0+7))
		equal(t, "queued, aborted", state("rn_queued"), "aborted +5 +7")
		wantDetail(t, db.AbortQueued(t.Context(), "rn_running", t0+7), fault.Conflict, "The run is not waiting in the queue any more.")
		equal(t, "running, not aborted", state("rn_running"), "running +5 -")
		aRun(t, db, "ws_1", "ds_1", "rn_unmarked")
		must(t, db.AbortQueued(t.Context(), "rn_unmarked", t0+8))
		equal(t, "unmarked, aborted", state("rn_unmarked"), "aborted +8 +8")
	})
}

// Who locks a run and finds it queued may end it: no worker gets it in between.
func TestLockRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		want := aRun(t, db, "ws_1", "ds_1", "rn_1")
		claimed := make(chan bool)
		must(t, db.Tx(t.Context(), func(ctx ctx) error {
			got, err := db.LockRun(ctx, "ws_1", "rn_1")
			must(t, err)
			equal(t, "run", got, want)
			wantCode(t, "of another workspace", second(db.LockRun(ctx, "ws_2", "rn_1")), fault.NotFound)
			go func() {
				ok, err := db.ClaimRun(t.Context(), "rn_1", "w", 0, t0, t0+30)
				claimed <- ok || err != nil
			}()
			return db.AbortQueued(ctx, "rn_1", t0)
		}))
		if <-claimed {
			t.Error("a worker got a run that was aborted under its lock")
		}
		if _, err := db.LockRun(t.Context(), "ws_1", "rn_1"); err == nil {
			t.Error("a lock outside of a transaction locks nothing, and did not say so")
		}
	})
}

func TestTrials(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRunning(t, db, "ws_1", "ds_1", "rn_1")
		aRunning(t, db, "ws_1", "ds_1", "rn_2")
		want := trial("ws_1", "rn_1", "tr_1")
		filled(t, want)
		must(t, db.SaveTrial(t.Context(), 1, want))
		got, err := db.Trial(t.Context(), "ws_1", "tr_1")
		must(t, err)
		equal(t, "trial", got, want)

		first := runs.Trial{ID: "tr_2", Workspace: "ws_1", Run: "rn_1", Position: 0, State: runs.Running}
		must(t, db.SaveTrial(t.Context(), 1, first))
		want.CV, want.State, want.Folds = 0, runs.Failed, nil
		must(t, db.SaveTrial(t.Context(), 1, want))
		must(t, db.SaveTrial(t.Context(), 1, trial("ws_1", "rn_2", "tr_3")))
		all, err := db.Trials(t.Context(), "ws_1", "rn_1")
		must(t, err)
		equal(t, "by position, replaced", all, []runs.Trial{first, want})

		must(t, db.SaveTrial(t.Context(), 1, trial("ws_1", "rn_2", "tr_1")))
		got, err = db.Trial(t.Context(), "ws_1", "tr_1")
		must(t, err)
		equal(t, "another run's trial is not replaced", got, want)

		must(t, db.ClearTrials(t.Context(), "rn_1", 1))
		for run, n := range map[string]int{"rn_1": 0, "rn_2": 1} {
			left, err := db.Trials(t.Context(), "ws_1", run)
			must(t, err)
			equal(t, "left of "+run, len(left), n)
		}
		wantDetail(t, second(db.Trial(t.Context(), "ws_2", "tr_3")), fault.NotFound, "No such trial.")
		foreign, err := db.Trials(t.Context(), "ws_2", "rn_2")
		must(t, err)
		equal(t, "of another workspace", len(foreign), 0)
	})
}

func TestEvents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_1")
		aRun(t, db, "ws_1", "ds_1", "rn_2")
		last, err := db.LastSeq(t.Context(), "rn_1")
		must(t, err)
		equal(t, "last of none", last, 0)
		var want []runs.Event
		for n := range int64(3) {
			e := runs.Event{Run: "rn_1", At: t0, Kind: "log", Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))}
			seq, err := db.AppendEvent(t.Context(), e)
			must(t, err)
			equal(t, "seq", seq, n+1)
			e.Seq = seq
			want = append(want, e)
		}
		seq, err := db.AppendEvent(t.Context(), runs.Event{Run: "rn_2", Kind: "log"})
		must(t, err)
		equal(t, "another run's first", seq, 1)

		tests := []struct {
			name, workspace string
			after           int64
			limit           int
			want            []runs.Event
		}{
			{"all", "ws_1", 0, 10, want},
			{"after one", "ws_1", 1, 10, want[1:]},
			{"some", "ws_1", 0, 2, want[:2]},
			{"after all", "ws_1", 3, 10, []runs.Event{}},
			{"none asked for", "ws_1", 0, 0, []runs.Event{}},
			{"another workspace", "ws_2", 0, 10, []runs.Event{}},
		}
		for _, tt := range tests {
			got, err := db.Events(t.Context(), tt.workspace, "rn_1", tt.after, tt.limit)
			must(t, err)
			equal(t, tt.name, got, tt.want)
		}
		last, err = db.LastSeq(t.Context(), "rn_1")
		must(t, err)
		equal(t, "last", last, 3)
		_, err = db.AppendEvent(t.Context(), runs.Event{Run: "rn_9"})
		wantDetail(t, err, fault.NotFound, "No such run.")
	})
}

func TestEventsHaveNoGaps(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_1")
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				if _, err := db.AppendEvent(t.Context(), runs.Event{Run: "rn_1", Kind: "log"}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		events, err := db.Events(t.Context(), "ws_1", "rn_1", 0, 100)
		must(t, err)
		equal(t, "events", len(events), 30)
		equal(t, "number of the last", events[len(events)-1].Seq, 30)
	})
}
