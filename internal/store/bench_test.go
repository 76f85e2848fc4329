package store_test

import (
	"context"
	"fmt"
	"testing"

	"ambit/internal/idempotency"
	"ambit/internal/jobs"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/runs"
)

// onBoth runs a benchmark on a store with one of everything, on both databases.
func onBoth(b *testing.B, run func(b *testing.B, s server)) {
	for dialect, config := range map[store.Dialect]func(testing.TB) store.Config{
		store.SQLite: storetest.SQLiteConfig, store.Postgres: storetest.PostgresConfig,
	} {
		b.Run(string(dialect), func(b *testing.B) {
			s := serve(b, config(b))
			one(b, s.db)
			run(b, s)
		})
	}
}

// BenchmarkFresh is a builder's request as the store sees it: hold, look-up,
// and a transaction of claim, effect, job, audit record and reply.
func BenchmarkFresh(b *testing.B) {
	onBoth(b, func(b *testing.B, s server) {
		for n := 0; b.Loop(); n++ {
			k := idempotency.Key{Principal: "token:tk_1", Value: fmt.Sprint("k", n), Fingerprint: "ff"}
			release, err := s.db.Hold(b.Context(), k)
			must(b, err)
			_, _, err = s.db.Find(b.Context(), k)
			must(b, err)
			must(b, second(s.db.Once(b.Context(), k, func(ctx context.Context) (idempotency.Reply, error) {
				if _, err := s.db.AppendEvent(ctx, runs.Event{Run: "rn_1", Kind: "log"}); err != nil {
					return idempotency.Reply{}, err
				}
				if _, err := s.queue.Enqueue(ctx, jobs.Train, fmt.Sprint("rn_", n), 0); err != nil {
					return idempotency.Reply{}, err
				}
				return created(), s.db.Append(ctx, entry("ok"))
			})))
			release()
		}
	})
}

// BenchmarkReplay is the same request sent again: hold, look-up, audit record.
func BenchmarkReplay(b *testing.B) {
	onBoth(b, func(b *testing.B, s server) {
		must(b, second(s.db.Once(b.Context(), key, func(context.Context) (idempotency.Reply, error) { return created(), nil })))
		for b.Loop() {
			release, err := s.db.Hold(b.Context(), key)
			must(b, err)
			_, ok, err := s.db.Find(b.Context(), key)
			if !ok || err != nil {
				b.Fatal(ok, err)
			}
			must(b, s.db.Append(b.Context(), entry("ok")))
			release()
		}
	})
}

// BenchmarkLists reads every list from a store with a page of each thing, and
// from one that is full: what they cost should be the same.
func BenchmarkLists(b *testing.B) {
	onBoth(b, func(b *testing.B, s server) {
		measure := func(size string) {
			for _, list := range lists {
				b.Run(list.name+"/"+size, func(b *testing.B) {
					for b.Loop() {
						must(b, list.read(b.Context(), s.db))
					}
				})
			}
		}
		fillAll(b, s.db, 1050, 6000, 1050, 0)
		measure("small")
		fillAll(b, s.db, 3000, 1_000_000, 10_000, 1_000_000)
		measure("large")
	})
}
