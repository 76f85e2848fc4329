package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"ambit/internal/fault"
	"ambit/internal/idempotency"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

func TestHold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		release, err := db.Hold(t.Context(), key)
		must(t, err)
		_, err = db.Hold(t.Context(), key)
		wantDetail(t, err, fault.KeyInUse, "A request with this Idempotency-Key is being worked on.")
		if fault.From(err).RetryAfter == 0 {
			t.Error("it does not say when to try again")
		}
		for _, other := range []idempotency.Key{{Principal: "token:tk_1", Value: "k2"}, {Principal: "token:tk_2", Value: "k1"}, {Principal: "token:tk_1k", Value: "1"}} {
			free, err := db.Hold(t.Context(), other)
			must(t, err)
			free()
		}
		release()
		again, err := db.Hold(t.Context(), key)
		must(t, err)
		release() // a second time: it is not his any more
		wantCode(t, "held again", second(db.Hold(t.Context(), key)), fault.KeyInUse)
		again()
	})
}

func TestHoldOneOfMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var got atomic.Int32
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := db.Hold(t.Context(), key); err == nil {
					got.Add(1)
				} else if !fault.Is(err, fault.KeyInUse) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, "holders", got.Load(), 1)
	})
}

// Many requests that hold a key and want a connection do not wait for each other.
func TestHoldTakesNoConnection(t *testing.T) {
	c := storetest.PostgresConfig(t)
	c.MaxConns = 2
	db := storetest.Open(t, c)
	var wg sync.WaitGroup
	for n := range 30 {
		wg.Go(func() {
			k := idempotency.Key{Principal: "p", Value: fmt.Sprint(n), Fingerprint: "ff"}
			release, err := db.Hold(t.Context(), k)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			if _, err := db.Once(t.Context(), k, func(ctx) (idempotency.Reply, error) { return created(), nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestHoldBetweenServers(t *testing.T) {
	c := storetest.PostgresConfig(t)
	a, b := storetest.Open(t, c), storetest.Open(t, c)
	release, err := a.Hold(t.Context(), key)
	must(t, err)
	wantCode(t, "another server", second(b.Hold(t.Context(), key)), fault.KeyInUse)
	release()
	release, err = b.Hold(t.Context(), key)
	must(t, err)
	wantCode(t, "the first server", second(a.Hold(t.Context(), key)), fault.KeyInUse)
	release()
}

// A server whose connection breaks, as by its death, holds nothing any more,
// and can hold again.
func TestHoldEndsWithItsConnection(t *testing.T) {
	c := storetest.PostgresConfig(t)
	a, b := storetest.Open(t, c), storetest.Open(t, c)
	release, err := a.Hold(t.Context(), key)
	must(t, err)
	kill(t, b, holderPID(t, b))
	other, err := b.Hold(t.Context(), key)
	must(t, err)
	release() // of a lock that is another's by now
	wantCode(t, "the first server", second(a.Hold(t.Context(), key)), fault.KeyInUse)
	other()
	release, err = a.Hold(t.Context(), key)
	must(t, err)
	wantCode(t, "the other server", second(b.Hold(t.Context(), key)), fault.KeyInUse)
	release()
}

func TestHoldOutlivesCallersWhoGo(t *testing.T) {
	c := storetest.PostgresConfig(t)
	a, b := storetest.Open(t, c), storetest.Open(t, c)
	release, err := a.Hold(t.Context(), key)
	must(t, err)
	for n := range 20 {
		if free, err := a.Hold(gone(t), idempotency.Key{Principal: "p", Value: fmt.Sprint(n)}); err == nil {
			free()
		}
	}
	wantCode(t, "another server", second(b.Hold(t.Context(), key)), fault.KeyInUse)
	release()
}

// holderPID returns the one session that holds an advisory lock.
func holderPID(t *testing.T, db *store.DB) (pid int) {
	t.Helper()
	pool, err := db.Pool()
	must(t, err)
	must(t, pool.QueryRowContext(t.Context(), `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&pid))
	return pid
}
