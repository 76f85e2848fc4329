package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

func withCancel(t *testing.T) (ctx, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}

func countPeople(t *testing.T, db *store.DB) int {
	t.Helper()
	n, err := db.CountPeople(t.Context())
	must(t, err)
	return n
}

func TestTx(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name   string
		f      func(ctx ctx, db *store.DB) error
		want   error
		people int
	}{
		{"commits", func(ctx ctx, db *store.DB) error { return db.InsertPerson(ctx, person("pn_1")) }, nil, 1},
		{"an error undoes all", func(ctx ctx, db *store.DB) error {
			return errors.Join(db.InsertPerson(ctx, person("pn_1")), broken)
		}, broken, 0},
		{"an inner one joins", func(ctx ctx, db *store.DB) error {
			err := db.Tx(ctx, func(ctx context.Context) error { return db.InsertPerson(ctx, person("pn_1")) })
			return errors.Join(err, broken)
		}, broken, 0},
		{"a conflict leaves it usable", func(ctx ctx, db *store.DB) error {
			if err := db.InsertPerson(ctx, person("pn_1")); err != nil {
				return err
			}
			if err := db.InsertPerson(ctx, person("pn_1")); !fault.Is(err, fault.Conflict) {
				return errors.New("no conflict")
			}
			return db.InsertPerson(ctx, person("pn_2"))
		}, nil, 2},
		{"reads its own writes", func(ctx ctx, db *store.DB) error {
			if err := db.InsertPerson(ctx, person("pn_1")); err != nil {
				return err
			}
			return second(db.Person(ctx, "pn_1"))
		}, nil, 1},
	}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				before := countPeople(t, db)
				err := db.Tx(t.Context(), func(ctx ctx) error { return tt.f(ctx, db) })
				if !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}
				equal(t, "people", countPeople(t, db)-before, tt.people)
				execSQL(t, db, "DELETE FROM people")
			})
		}
	})
}

func TestTxUndoesOnPanic(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			db.Tx(t.Context(), func(ctx ctx) error {
				must(t, db.InsertPerson(ctx, person("pn_1")))
				panic("x")
			})
		}()
		equal(t, "people", countPeople(t, db), 0)
		must(t, db.InsertPerson(t.Context(), person("pn_1"))) // the writer is free again
	})
}

func TestTxOfAnotherStoreIsNotJoined(t *testing.T) {
	a, b := storetest.SQLite(t), storetest.SQLite(t)
	broken := errors.New("broken")
	err := a.Tx(t.Context(), func(ctx ctx) error {
		return errors.Join(b.InsertPerson(ctx, person("pn_1")), broken)
	})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	equal(t, "people", []int{countPeople(t, a), countPeople(t, b)}, []int{0, 1})
}

func TestAfterCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var calls []string
		note := func(what string) func() { return func() { calls = append(calls, what) } }
		must(t, db.Tx(t.Context(), func(ctx ctx) error {
			db.AfterCommit(ctx, note("committed"))
			equal(t, "before the commit", len(calls), 0)
			return nil
		}))
		db.Tx(t.Context(), func(ctx ctx) error {
			db.AfterCommit(ctx, note("rolled back"))
			return errors.New("x")
		})
		db.AfterCommit(t.Context(), note("no transaction"))
		equal(t, "calls", calls, []string{"committed", "no transaction"})
	})
}

func TestSQLTx(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if _, ok := db.SQLTx(t.Context()); ok {
			t.Error("a transaction where there is none")
		}
		db.Tx(t.Context(), func(ctx ctx) error {
			tx, ok := db.SQLTx(ctx)
			if !ok {
				t.Fatal("no transaction")
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO workspaces VALUES ('ws_1', 'one', '', 'explore', 1, 'cli')")
			must(t, err)
			must(t, second(db.Workspace(ctx, "ws_1")))
			return errors.New("x")
		})
		wantCode(t, "rolled back", second(db.Workspace(t.Context(), "ws_1")), fault.NotFound)
	})
}

func TestEveryCallHasADeadline(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var left time.Duration
		must(t, db.Tx(context.WithoutCancel(t.Context()), func(ctx ctx) error {
			deadline, ok := ctx.Deadline()
			if !ok {
				t.Fatal("no deadline")
			}
			left = time.Until(deadline)
			return nil
		}))
		if left <= 0 || left > 10*time.Second {
			t.Errorf("got %v, want at most 10 s", left)
		}
	})
}

// Who waits too long is told so, and nothing has happened.
func TestOverdueIsUnavailable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.InsertPerson(t.Context(), person("pn_1")))
		err := db.Tx(t.Context(), func(holding ctx) error {
			must(t, db.UpdatePerson(holding, person("pn_1")))
			short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			return db.UpdatePerson(short, person("pn_1"))
		})
		wantDetail(t, err, fault.Unavailable, "The database did not do this in time.")
		if f := fault.From(err); f.RetryAfter != time.Second || f.Err == nil {
			t.Errorf("got %v and cause %v, want a second and a cause", f.RetryAfter, f.Err)
		}
	})
}

func TestACallerWhoGoesIsNoOutage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if err := db.InsertPerson(gone(t), person("pn_1")); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

// A read of one row waits for a connection no longer than its caller does.
func TestAReadGivesUpWaiting(t *testing.T) {
	db := storetest.SQLite(t)
	var hold func(n int, full func()) error
	hold = func(n int, full func()) error {
		if n == 0 {
			full()
			return nil
		}
		return db.Snapshot(t.Context(), func(ctx) error { return hold(n-1, full) })
	}
	must(t, hold(8, func() { // as many as read at the same time
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		wantCode(t, "all connections taken", second(db.Workspace(short, "ws_1")), fault.Unavailable)
		if _, err := db.WorkspaceOf(gone(t), "run", "rn_1"); !errors.Is(err, context.Canceled) {
			t.Errorf("the caller has gone: got %v, want context.Canceled", err)
		}
	}))
	wantCode(t, "a connection is free", second(db.Workspace(t.Context(), "ws_1")), fault.NotFound)
}

func TestReadersCannotWrite(t *testing.T) {
	db := storetest.SQLite(t)
	err := db.Snapshot(t.Context(), func(ctx ctx) error {
		if _, ok := db.SQLTx(ctx); ok {
			t.Error("a snapshot gave its transaction away")
		}
		return db.InsertPerson(ctx, person("pn_1"))
	})
	if err == nil {
		t.Error("a snapshot wrote")
	}
}

func TestClosed(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		db, err := store.Open(t.Context(), c)
		must(t, err)
		must(t, db.Ping(t.Context()))
		must(t, db.Close())
		must(t, db.Close())
		if err := db.Ping(t.Context()); err == nil {
			t.Error("a closed store answers")
		}
		if err := db.Tx(t.Context(), func(ctx) error { return nil }); !fault.Is(err, fault.Unavailable) {
			t.Errorf("got %v, want unavailable", err)
		}
	})
}

func TestPostgresThatGoesAway(t *testing.T) {
	db := storetest.Postgres(t)
	err := db.Tx(t.Context(), func(ctx ctx) error {
		must(t, db.InsertPerson(ctx, person("pn_1")))
		tx, _ := db.SQLTx(ctx)
		var pid int
		must(t, tx.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&pid))
		kill(t, db, pid)
		return nil
	})
	wantDetail(t, err, fault.Unavailable, "The database did not say whether this was done.")
	equal(t, "people", countPeople(t, db), 0) // and the pool has a new connection
}

// kill ends a session of PostgreSQL as an administrator would.
func kill(t *testing.T, db *store.DB, pid int) {
	t.Helper()
	pool, err := db.Pool()
	must(t, err)
	var done bool
	must(t, pool.QueryRowContext(t.Context(), "SELECT pg_terminate_backend($1, 5000)", pid).Scan(&done))
	if !done {
		t.Fatalf("session %d did not end", pid)
	}
}
