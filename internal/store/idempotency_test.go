package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/idempotency"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

var key = idempotency.Key{Principal: "token:tk_1", Value: "k1", Fingerprint: "ff"}

// created is a reply with everything that is kept.
func created() idempotency.Reply {
	return idempotency.Reply{Status: 201, Headers: map[string]string{"Location": "/x"}, Body: []byte(`{"id":"pn_1"}`)}
}

// kept is the reply as it is found again.
func kept() idempotency.Reply {
	r := created()
	r.CreatedAt, r.Digest = t0, "55ec973982ed49c77142f4deae83b01c1fe1e07b0a53e334653041da1312b06b"
	return r
}

// at opens a store whose clock a test sets.
func at(t *testing.T, c store.Config, now *atomic.Int64) *store.DB {
	t.Helper()
	now.Store(int64(t0))
	c.Now = func() clock.Time { return clock.Time(now.Load()) }
	return storetest.Open(t, c)
}

func TestOnce(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		var now atomic.Int64
		db := at(t, c, &now)
		add := func(id string) func(ctx) (idempotency.Reply, error) {
			return func(ctx ctx) (idempotency.Reply, error) { return created(), db.InsertPerson(ctx, person(id)) }
		}
		if _, ok, err := db.Find(t.Context(), key); ok || err != nil {
			t.Errorf("before: got %v, %v; want nothing", ok, err)
		}
		got, err := db.Once(t.Context(), key, add("pn_1"))
		must(t, err)
		equal(t, "reply", got, kept())
		got, ok, err := db.Find(t.Context(), key)
		if !ok || err != nil {
			t.Fatalf("got %v, %v; want the reply", ok, err)
		}
		equal(t, "kept reply", got, kept())
		_, err = db.Once(t.Context(), key, add("pn_2"))
		wantDetail(t, err, fault.KeyInUse, "A request with this Idempotency-Key is being worked on.")

		other := key
		other.Fingerprint = "ee"
		_, _, err = db.Find(t.Context(), other)
		wantDetail(t, err, fault.KeyReused, "This Idempotency-Key was sent with another request.")
		other = key
		other.Principal = "token:tk_2"
		if _, ok, err := db.Find(t.Context(), other); ok || err != nil {
			t.Errorf("another's key: got %v, %v; want nothing", ok, err)
		}
		must(t, second(db.Once(t.Context(), other, add("pn_3"))))
		equal(t, "people", countPeople(t, db), 2)
	})
}

func TestOnceExpires(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		var now atomic.Int64
		db := at(t, c, &now)
		reply := func(ctx) (idempotency.Reply, error) { return created(), nil }
		must(t, second(db.Once(t.Context(), key, reply)))
		found := func() bool {
			_, ok, err := db.Find(t.Context(), key)
			must(t, err)
			return ok
		}
		now.Store(int64(t0.Add(24*time.Hour) - 1))
		equal(t, "after a day less a moment", found(), true)
		wantCode(t, "claimed", second(db.Once(t.Context(), key, reply)), fault.KeyInUse)
		now.Store(int64(t0.Add(24 * time.Hour)))
		equal(t, "after a day", found(), false)
		fresh := key
		fresh.Fingerprint = "new"
		must(t, second(db.Once(t.Context(), fresh, reply)))
		_, ok, err := db.Find(t.Context(), fresh)
		if !ok || err != nil {
			t.Errorf("the new request's reply: got %v, %v; want it", ok, err)
		}
	})
}

func TestOnceKeepsNothingOfWhatFailed(t *testing.T) {
	refused := fault.New(fault.BudgetExceeded, "No.")
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		tests := []struct {
			name string
			f    func(ctx ctx) (idempotency.Reply, error)
			code fault.Code
		}{
			{"a refusal", func(ctx ctx) (idempotency.Reply, error) { return created(), refused }, fault.BudgetExceeded},
			{"an error", func(ctx ctx) (idempotency.Reply, error) { return created(), errors.New("x") }, fault.Internal},
			{"a reply that is not kept", func(ctx ctx) (idempotency.Reply, error) { return idempotency.Reply{Status: 302}, nil }, fault.Internal},
			{"no reply", func(ctx ctx) (idempotency.Reply, error) { return idempotency.Reply{}, nil }, fault.Internal},
		}
		for _, tt := range tests {
			got, err := db.Once(t.Context(), key, func(ctx ctx) (idempotency.Reply, error) {
				must(t, db.InsertPerson(ctx, person("pn_1")))
				must(t, db.Append(ctx, entry("ok")))
				return tt.f(ctx)
			})
			wantCode(t, tt.name, err, tt.code)
			equal(t, tt.name, got, idempotency.Reply{})
			_, ok, err := db.Find(t.Context(), key)
			must(t, err)
			head, err := db.Head(t.Context())
			must(t, err)
			equal(t, tt.name, fmt.Sprint(ok, countPeople(t, db), head.Seq), "false 0 0")
		}
	})
}

func TestOnceWithoutAKey(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for n := range 2 {
			got, err := db.Once(t.Context(), idempotency.Key{}, func(ctx ctx) (idempotency.Reply, error) {
				return created(), db.InsertPerson(ctx, person(fmt.Sprint("pn_", n)))
			})
			must(t, err)
			equal(t, "reply", got, created())
		}
		equal(t, "people", countPeople(t, db), 2)
		equal(t, "records", records(t, db), 0)
	})
}

func records(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	pool, err := db.Pool()
	must(t, err)
	must(t, pool.QueryRowContext(t.Context(), "SELECT count(*) FROM idempotency_records").Scan(&n))
	return n
}

func TestOnceOutlivesTheCaller(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		calling, hangUp := withCancel(t)
		must(t, second(db.Once(calling, key, func(ctx ctx) (idempotency.Reply, error) {
			hangUp()
			deadline, ok := ctx.Deadline()
			if left := time.Until(deadline); !ok || left > 10*time.Second || left < 5*time.Second {
				t.Errorf("got %v, %v; want about 10 s", left, ok)
			}
			return created(), db.InsertPerson(ctx, person("pn_1"))
		})))
		equal(t, "people", countPeople(t, db), 1)
	})
}

func TestOnceIsNotNested(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		err := db.Tx(t.Context(), func(ctx ctx) error {
			return second(db.Once(ctx, key, func(context.Context) (idempotency.Reply, error) { return created(), nil }))
		})
		if err == nil {
			t.Error("an effect that another transaction may undo was kept")
		}
	})
}

// Requests that have lost their lock, as when its connection breaks, still
// have their effect once.
func TestOnceOfManyWithoutAHold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var done, inUse atomic.Int32
		var wg sync.WaitGroup
		for n := range 20 {
			wg.Go(func() {
				_, err := db.Once(t.Context(), key, func(ctx ctx) (idempotency.Reply, error) {
					return created(), db.InsertPerson(ctx, person(fmt.Sprint("pn_", n)))
				})
				switch {
				case err == nil:
					done.Add(1)
				case fault.Is(err, fault.KeyInUse):
					inUse.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, "done, in use, people", []int{int(done.Load()), int(inUse.Load()), countPeople(t, db)}, []int{1, 19, 1})
	})
}

// A lock that the effect did not get in time is an outage, and not a key in use.
func TestOnceWaitingForALock(t *testing.T) {
	c := storetest.PostgresConfig(t)
	c.URL += "&lock_timeout=50ms"
	db := storetest.Open(t, c)
	must(t, db.InsertPerson(t.Context(), person("pn_1")))
	must(t, db.Tx(t.Context(), func(holding ctx) error {
		must(t, db.UpdatePerson(holding, person("pn_1")))
		claimed := idempotency.Key{Principal: "p", Value: "claimed", Fingerprint: "ff"}
		tx, _ := db.SQLTx(holding)
		_, err := tx.ExecContext(holding, "INSERT INTO idempotency_records VALUES ('p', 'claimed', 'ff', 0, '', '', '', 1, 1)")
		must(t, err)

		_, err = db.Once(t.Context(), key, func(ctx ctx) (idempotency.Reply, error) {
			return created(), db.UpdatePerson(ctx, person("pn_1"))
		})
		wantDetail(t, err, fault.Unavailable, "The database did not do this in time.")
		_, err = db.Once(t.Context(), claimed, func(ctx) (idempotency.Reply, error) {
			t.Error("the effect of a claimed key was begun")
			return created(), nil
		})
		wantDetail(t, err, fault.KeyInUse, "A request with this Idempotency-Key is being worked on.")
		return nil
	}))
}

func TestSweepReplies(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		var now atomic.Int64
		db := at(t, c, &now)
		keep := func(value string) {
			k := key
			k.Value = value
			must(t, second(db.Once(t.Context(), k, func(ctx) (idempotency.Reply, error) { return created(), nil })))
		}
		keep("young")
		execSQL(t, db, fmt.Sprintf(`INSERT INTO idempotency_records
			WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1200)
			SELECT principal, 'k' || n, fingerprint, status, headers, body, digest, created_at, %d FROM idempotency_records, s`, t0))
		n, err := db.SweepReplies(t.Context())
		must(t, err)
		equal(t, "removed and left", []int{n, records(t, db)}, []int{1200, 1})
		now.Store(int64(t0.Add(24 * time.Hour)))
		n, err = db.SweepReplies(t.Context())
		must(t, err)
		equal(t, "removed and left a day later", []int{n, records(t, db)}, []int{1, 0})
	})
}
