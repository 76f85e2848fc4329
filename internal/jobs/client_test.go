package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ambit/internal/jobs"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// work is a worker made of a function.
type work func(ctx context.Context, id string, epoch int64) error

func (w work) Work(ctx context.Context, id string, epoch int64) error { return w(ctx, id, epoch) }

// setup is a store and the configuration of a queue on it.
type setup struct {
	db     *store.DB
	config jobs.Config
}

// each runs a test on both databases, on PostgreSQL with and without being told of jobs.
func each(t *testing.T, test func(t *testing.T, s setup)) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) { test(t, open(t, c)) })
	t.Run("postgres that is not listened to", func(t *testing.T) {
		s := open(t, storetest.PostgresConfig(t))
		s.config.ListenURL = ""
		test(t, s)
	})
}

func open(t *testing.T, c store.Config) setup {
	t.Helper()
	db := storetest.Open(t, c)
	pool, err := db.Pool()
	if err != nil {
		t.Fatal(err)
	}
	return setup{db, jobs.Config{
		Pool: pool, SQLite: db.Dialect() == store.SQLite, ListenURL: c.URL, Tx: db.SQLTx, AfterCommit: db.AfterCommit,
	}}
}

// start starts a queue whose workers of every kind are w, and stops it when the
// test ends.
func (s setup) start(t *testing.T, w work) *jobs.Client {
	t.Helper()
	c := s.config
	if c.Workers == nil {
		c.Workers = map[jobs.Kind]jobs.Worker{jobs.Train: w, jobs.Score: w, jobs.Maintain: w}
	}
	q := s.queue(t, c)
	if err := q.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, q) })
	return q
}

func (s setup) queue(t *testing.T, c jobs.Config) *jobs.Client {
	t.Helper()
	q, err := jobs.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func stop(t *testing.T, q *jobs.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := q.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// add enqueues a job in a transaction of its own.
func (s setup) add(t *testing.T, q *jobs.Client, kind jobs.Kind, id string, epoch int64) (job int64) {
	t.Helper()
	err := s.db.Tx(t.Context(), func(ctx context.Context) (err error) {
		job, err = q.Enqueue(ctx, kind, id, epoch)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func (s setup) cancel(t *testing.T, q *jobs.Client, job int64) {
	t.Helper()
	if err := s.db.Tx(t.Context(), func(ctx context.Context) error { return q.Cancel(ctx, job) }); err != nil {
		t.Fatal(err)
	}
}

// next returns what comes next, or fails the test.
func next[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("nothing came: %s", what)
		panic("unreachable")
	}
}

// telling returns a worker that says what it was given.
func telling() (work, <-chan string) {
	told := make(chan string, 100)
	return func(_ context.Context, id string, epoch int64) error {
		told <- fmt.Sprint(id, " ", epoch)
		return nil
	}, told
}

func TestJobsCommitWithTheirTransaction(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		w, told := telling()
		q := s.start(t, w)
		undone := errors.New("undone")
		err := s.db.Tx(t.Context(), func(ctx context.Context) error {
			if _, err := q.Enqueue(ctx, jobs.Train, "undone", 0); err != nil {
				return err
			}
			return undone
		})
		if err != undone {
			t.Fatal(err)
		}
		s.add(t, q, jobs.Train, "one", 3)
		s.add(t, q, jobs.Train, "two", 0)
		for _, want := range []string{"one 3", "two 0"} { // the one undone would have come first
			if got := next(t, want, told); got != want {
				t.Errorf("got job %q, want %q", got, want)
			}
		}
	})
}

func TestJobsAddedBeforeTheStart(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		only := s.config
		s.add(t, s.queue(t, only), jobs.Train, "early", 0) // by a process without workers
		w, told := telling()
		s.start(t, w)
		if got := next(t, "early", told); got != "early 0" {
			t.Errorf("got job %q, want early", got)
		}
	})
}

func TestJobsAreUnique(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		w, told := telling()
		q := s.start(t, w)
		first := s.add(t, q, jobs.Train, "a", 0)
		next(t, "the first", told)
		if again := s.add(t, q, jobs.Train, "a", 0); again != first {
			t.Errorf("the same again: got job %d, want %d", again, first)
		}
		seen := map[int64]bool{first: true}
		for _, job := range []int64{s.add(t, q, jobs.Train, "a", 1), s.add(t, q, jobs.Train, "b", 0), s.add(t, q, jobs.Score, "a", 0)} {
			if seen[job] {
				t.Errorf("job %d stands for two", job)
			}
			seen[job] = true
		}
		got := map[string]int{}
		for range 3 {
			got[next(t, "another", told)]++
		}
		if got["a 0"] != 1 || got["a 1"] != 1 || got["b 0"] != 1 {
			t.Errorf("got %v, want a 0 (scored), a 1 and b 0 once each", got)
		}
	})
}

func TestCancelEndsWork(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		began, ended := make(chan string), make(chan error)
		q := s.start(t, func(ctx context.Context, id string, _ int64) error {
			began <- id
			<-ctx.Done()
			ended <- ctx.Err()
			return ctx.Err()
		})
		job := s.add(t, q, jobs.Train, "a", 0)
		next(t, "work", began)
		s.cancel(t, q, job)
		if err := next(t, "its end", ended); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		s.cancel(t, q, job)  // over
		s.cancel(t, q, 9999) // never there
	})
}

func TestCancelWithdrawsWhatWaits(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		w, told := telling()
		only := s.queue(t, s.config)
		job := s.add(t, only, jobs.Train, "withdrawn", 0)
		s.add(t, only, jobs.Train, "kept", 0)
		s.cancel(t, only, job)
		s.start(t, w)
		if got := next(t, "kept", told); got != "kept 0" {
			t.Errorf("got job %q, want kept", got)
		}
	})
}

func TestCancelIsUndoneWithItsTransaction(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		w, told := telling()
		only := s.queue(t, s.config)
		job := s.add(t, only, jobs.Train, "a", 0)
		undone := errors.New("undone")
		err := s.db.Tx(t.Context(), func(ctx context.Context) error { return errors.Join(only.Cancel(ctx, job), undone) })
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		s.start(t, w)
		next(t, "the job", told)
	})
}

func TestSlots(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		var now, most atomic.Int32
		began, release, over := make(chan string, 10), make(chan bool), make(chan bool, 10)
		s.config.Slots = map[jobs.Kind]int{jobs.Train: 2}
		q := s.start(t, func(_ context.Context, id string, _ int64) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			began <- id
			<-release
			now.Add(-1)
			over <- true
			return nil
		})
		for n := range 5 {
			s.add(t, q, jobs.Train, fmt.Sprint(n), 0)
		}
		s.add(t, q, jobs.Score, "score", 0) // another queue does not wait for the first
		for range 3 {
			next(t, "work", began)
		}
		for range 6 {
			release <- true
		}
		for range 6 {
			next(t, "an end", over)
		}
		if got := most.Load(); got != 3 {
			t.Errorf("got %d at the same time, want 2 and 1", got)
		}
	})
}

// A job that fails or panics is not tried again: its row says what becomes of it.
func TestJobsAreNotRepeated(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		var calls atomic.Int32
		told := make(chan string, 10)
		q := s.start(t, func(_ context.Context, id string, _ int64) error {
			calls.Add(1)
			told <- id
			switch id {
			case "fails":
				return errors.New("x")
			case "panics":
				panic("x")
			}
			return nil
		})
		for _, id := range []string{"fails", "panics", "last"} {
			s.add(t, q, jobs.Train, id, 0)
			if got := next(t, id, told); got != id {
				t.Errorf("got %q, want %q", got, id)
			}
		}
		stop(t, q)
		if got := calls.Load(); got != 3 {
			t.Errorf("got %d calls, want 3", got)
		}
	})
}

func TestStopWaitsForWork(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		began, release := make(chan bool), make(chan bool)
		var ended atomic.Bool
		q := s.start(t, func(ctx context.Context, _ string, _ int64) error {
			began <- true
			<-release
			ended.Store(ctx.Err() == nil)
			return nil
		})
		s.add(t, q, jobs.Train, "a", 0)
		next(t, "work", began)
		var wg sync.WaitGroup
		wg.Go(func() { stop(t, q) })
		release <- true
		wg.Wait()
		if !ended.Load() {
			t.Error("Stop returned before the work, or ended it")
		}
	})
}

func TestStopEndsWorkAfterTheGraceTime(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		began := make(chan bool)
		var cause error
		s.config.Grace = time.Millisecond
		q := s.start(t, func(ctx context.Context, _ string, _ int64) error {
			began <- true
			<-ctx.Done()
			cause = ctx.Err()
			return cause
		})
		s.add(t, q, jobs.Train, "a", 0)
		next(t, "work", began)
		stop(t, q)
		if !errors.Is(cause, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", cause)
		}
	})
}

func TestStopDoesNotWaitLongerThanItsContext(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		began := make(chan bool)
		q := s.start(t, func(ctx context.Context, _ string, _ int64) error {
			began <- true
			<-ctx.Done()
			return nil
		})
		s.add(t, q, jobs.Train, "a", 0)
		next(t, "work", began)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := q.Stop(over); err != nil {
			t.Errorf("got %v, want nil: the work was ended", err)
		}
	})
}

// Jobs that one process adds and cancels reach the workers of another.
func TestTwoProcesses(t *testing.T) {
	c := storetest.PostgresConfig(t)
	began, ended := make(chan string), make(chan bool)
	open(t, c).start(t, func(ctx context.Context, id string, _ int64) error {
		began <- id
		<-ctx.Done()
		ended <- true
		return nil
	})
	api := open(t, c)
	q := api.queue(t, api.config)
	job := api.add(t, q, jobs.Train, "a", 0)
	next(t, "work", began)
	api.cancel(t, q, job)
	next(t, "its end", ended)
}

func TestJobsNeedATransaction(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		q := s.queue(t, s.config)
		if _, err := q.Enqueue(t.Context(), jobs.Train, "a", 0); err == nil {
			t.Error("Enqueue outside of a transaction succeeded")
		}
		if err := q.Cancel(t.Context(), 1); err == nil {
			t.Error("Cancel outside of a transaction succeeded")
		}
		err := s.db.Tx(t.Context(), func(ctx context.Context) error {
			_, err := q.Enqueue(ctx, "cook", "a", 0)
			return err
		})
		if err == nil {
			t.Error("an unknown kind was taken")
		}
	})
}

func TestNewRefuses(t *testing.T) {
	db := storetest.SQLite(t)
	pool, err := db.Pool()
	if err != nil {
		t.Fatal(err)
	}
	whole := jobs.Config{Pool: pool, SQLite: true, Tx: db.SQLTx, AfterCommit: db.AfterCommit}
	tests := []struct {
		name   string
		change func(c *jobs.Config)
	}{
		{"no pool", func(c *jobs.Config) { c.Pool = nil }},
		{"no transactions", func(c *jobs.Config) { c.Tx = nil }},
		{"no word after commits", func(c *jobs.Config) { c.AfterCommit = nil }},
		{"a kind that is not there", func(c *jobs.Config) { c.Workers = map[jobs.Kind]jobs.Worker{"cook": work(nil)} }},
		{"a bad URL", func(c *jobs.Config) {
			c.SQLite, c.ListenURL, c.Workers = false, "postgres://%zz", map[jobs.Kind]jobs.Worker{jobs.Train: work(nil)}
		}},
	}
	for _, tt := range tests {
		c := whole
		tt.change(&c)
		if _, err := jobs.New(t.Context(), c); err == nil {
			t.Errorf("%s: it was taken", tt.name)
		}
	}
	if _, err := jobs.New(t.Context(), whole); err != nil {
		t.Errorf("whole: %v", err)
	}
}
