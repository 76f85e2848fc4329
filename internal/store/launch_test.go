package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/internal/jobs"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/plans"
	"ambit/runs"
)

// server is a process that launches.
type server struct {
	db    *store.DB
	queue *jobs.Client
}

func serve(t testing.TB, c store.Config) server {
	t.Helper()
	db := storetest.Open(t, c)
	pool, err := db.Pool()
	must(t, err)
	queue, err := jobs.New(t.Context(), jobs.Config{Pool: pool, SQLite: c.URL == "", Tx: db.SQLTx, AfterCommit: db.AfterCommit})
	must(t, err)
	return server{db, queue}
}

// launch takes a run from the token's budget and makes it, as one transaction.
func (s server) launch(caller ctx, token, plan, run string) error {
	return s.db.Tx(caller, func(ctx ctx) error {
		tk, used, err := s.db.LockUsage(ctx, token, t0)
		if err != nil {
			return err
		}
		if used.Concurrent >= tk.MaxConcurrent || used.Today >= tk.MaxDaily {
			return fault.New(fault.BudgetExceeded, "used up")
		}
		moved, err := s.db.MovePlan(ctx, "ws_1", plan, plans.Ready, plans.Launched, run)
		if err != nil {
			return err
		}
		if !moved {
			return fault.New(fault.PlanAlreadyLaunched, "launched")
		}
		if err := s.db.InsertRun(ctx, runs.Run{ID: run, Workspace: "ws_1", Plan: plan, Token: token, State: runs.Queued, CreatedAt: t0}); err != nil {
			return err
		}
		job, err := s.queue.Enqueue(ctx, jobs.Train, run, 0)
		if err != nil {
			return err
		}
		if err := s.db.SetRunJob(ctx, run, job); err != nil {
			return err
		}
		return s.db.Append(ctx, entry("ok"))
	})
}

// count returns the answer to a query of one number.
func count(t *testing.T, db *store.DB, query string) (n int) {
	t.Helper()
	pool, err := db.Pool()
	must(t, err)
	must(t, pool.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

// outcomes counts what n launches at the same moment came to, by code.
func outcomes(n int, launch func(n int) error) (map[fault.Code]int, time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	got, start := map[fault.Code]int{}, make(chan bool)
	for i := range n {
		wg.Go(func() {
			<-start
			code := fault.CodeOf(launch(i))
			mu.Lock()
			defer mu.Unlock()
			got[code]++
		})
	}
	began := time.Now()
	close(start)
	wg.Wait()
	return got, time.Since(began)
}

// raceOn runs a test of launches on both databases, and on PostgreSQL through
// four servers.
func raceOn(t *testing.T, test func(t *testing.T, servers []server)) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) { test(t, []server{serve(t, c)}) })
	t.Run("four servers", func(t *testing.T) {
		c := storetest.PostgresConfig(t)
		test(t, []server{serve(t, c), serve(t, c), serve(t, c), serve(t, c)})
	})
}

func TestBudgetUnderRace(t *testing.T) {
	tests := []struct {
		name              string
		concurrent, daily int
	}{{"concurrent", 3, 100}, {"daily", 100, 3}}
	raceOn(t, func(t *testing.T, servers []server) {
		db := servers[0].db
		basics(t, db)
		for _, tt := range tests {
			tk := token("tk_" + tt.name)
			tk.MaxConcurrent, tk.MaxDaily = tt.concurrent, tt.daily
			must(t, db.InsertToken(t.Context(), tk))
			must(t, db.Tx(t.Context(), func(ctx ctx) error {
				for n := range 200 {
					must(t, db.InsertPlan(ctx, plan("ws_1", "ds_1", fmt.Sprint("pl_", tt.name, n))))
				}
				return nil
			}))
			got, took := outcomes(200, func(n int) error {
				return servers[n%len(servers)].launch(t.Context(), tk.ID, fmt.Sprint("pl_", tt.name, n), fmt.Sprint("rn_", tt.name, n))
			})
			t.Logf("%s: 200 launches in %v", tt.name, took.Round(time.Millisecond))
			equal(t, tt.name, got, map[fault.Code]int{"": 3, fault.BudgetExceeded: 197})
			like := "LIKE '%" + tt.name + "%'"
			equal(t, "runs, launched plans and jobs", []int{
				count(t, db, "SELECT count(*) FROM runs WHERE state = 'queued' AND id "+like),
				count(t, db, "SELECT count(*) FROM plans WHERE state = 'launched' AND id "+like),
				count(t, db, "SELECT count(*) FROM river_job WHERE CAST(args AS text) "+like),
				count(t, db, "SELECT count(DISTINCT job_id) FROM runs WHERE job_id > 0 AND id "+like),
			}, []int{3, 3, 3, 3})
		}
		head, err := check(t, db)
		must(t, err)
		equal(t, "audit records", head.Seq, 6)
	})
}

func TestOnePlanOneRun(t *testing.T) {
	raceOn(t, func(t *testing.T, servers []server) {
		db := servers[0].db
		basics(t, db)
		tk := token("tk_1")
		tk.MaxConcurrent, tk.MaxDaily = 1000, 1000
		must(t, db.InsertToken(t.Context(), tk))
		must(t, db.InsertPlan(t.Context(), plan("ws_1", "ds_1", "pl_1")))
		got, _ := outcomes(50, func(n int) error {
			return servers[n%len(servers)].launch(t.Context(), "tk_1", "pl_1", fmt.Sprint("rn_", n))
		})
		equal(t, "outcomes", got, map[fault.Code]int{"": 1, fault.PlanAlreadyLaunched: 49})
		equal(t, "runs and jobs", []int{
			count(t, db, "SELECT count(*) FROM runs"), count(t, db, "SELECT count(*) FROM river_job"),
		}, []int{1, 1})
		p, err := db.Plan(t.Context(), "ws_1", "pl_1")
		must(t, err)
		r, err := db.RunOfPlan(t.Context(), "ws_1", "pl_1")
		must(t, err)
		equal(t, "the plan's run", p.Run, r.ID)
	})
}
