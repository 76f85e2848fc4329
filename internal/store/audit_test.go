package store_test

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"ambit/audit"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

func entry(outcome string) audit.Entry {
	return audit.Entry{At: t0, Principal: "token:tk_1", Route: "plan_create", Workspace: "ws_1", Outcome: outcome}
}

// check verifies the whole log.
func check(t *testing.T, db *store.DB) (audit.Head, error) {
	t.Helper()
	return audit.Check(t.Context(), db, db.AuditKey())
}

func TestAppend(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		head, err := check(t, db)
		if head != (audit.Head{}) || err != nil {
			t.Errorf("empty log: got %+v, %v", head, err)
		}
		full := audit.Entry{At: t0, Principal: "token:tk_1", ActsFor: "pn_1", Tool: "tool\x00", Host: "host", Route: "plan_create", Workspace: "ws_1",
			Entity: "plan:pl_1", Outcome: "ok", Detail: "d", Key: "k", Replay: true, Digest: "dd", RequestID: "rq_1"}
		must(t, db.Append(t.Context(), full))
		must(t, db.Append(t.Context(), entry("human_only")))
		var got []audit.Entry
		must(t, db.Walk(t.Context(), func(e audit.Entry) error { got = append(got, e); return nil }))
		want := []audit.Entry{audit.Chain(audit.Head{}, full)}
		filled(t, want[0], "Prev")
		want = append(want, audit.Chain(audit.Head{Seq: 1, Hash: want[0].Hash}, entry("human_only")))
		equal(t, "records", got, want)
		head, err = check(t, db)
		must(t, err)
		equal(t, "end", audit.Head{Seq: head.Seq, Hash: head.Hash}, audit.Head{Seq: 2, Hash: want[1].Hash})
	})
}

// A record and what it records are there together or not at all.
func TestAppendInATransaction(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		refused := errors.New("refused")
		try := func(id string, outcome error) error {
			return db.Tx(t.Context(), func(ctx ctx) error {
				must(t, db.Append(ctx, entry(id)))
				if err := db.InsertPerson(ctx, person(id)); err != nil {
					return err
				}
				must(t, db.Append(ctx, entry(id)))
				return outcome
			})
		}
		must(t, try("pn_1", nil))
		if err := try("pn_2", refused); err != refused {
			t.Errorf("got %v, want %v", err, refused)
		}
		execSQL(t, db, "UPDATE audit_head SET signature = ''")
		err := try("pn_3", nil)
		if err == nil || !strings.Contains(err.Error(), "is not signed with this server's key") {
			t.Errorf("over a changed end: got %v, want a refusal", err)
		}
		n, err := db.CountPeople(t.Context())
		must(t, err)
		head, err := db.Head(t.Context())
		must(t, err)
		equal(t, "people and records", []int{n, int(head.Seq)}, []int{1, 2})
	})
}

// gone is a context whose caller has hung up.
func gone(t *testing.T) ctx {
	t.Helper()
	ctx, cancel := withCancel(t)
	cancel()
	return ctx
}

func TestAppendAfterTheCallerHasGone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.Append(gone(t), entry("ok")))
		head, err := check(t, db)
		must(t, err)
		equal(t, "records", head.Seq, 1)
	})
}

func TestAppendFromMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var wg sync.WaitGroup
		for n := range 50 {
			wg.Go(func() {
				for range 4 {
					err := db.Tx(t.Context(), func(ctx ctx) error {
						if err := db.Append(ctx, entry(fmt.Sprint(n))); err != nil {
							return err
						}
						return db.Append(ctx, entry(fmt.Sprint(n)))
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		head, err := check(t, db)
		must(t, err)
		equal(t, "records", head.Seq, 400)
	})
}

// Two servers on one database append to one chain.
func TestAppendFromTwoServers(t *testing.T) {
	c := storetest.PostgresConfig(t)
	servers := []*store.DB{storetest.Open(t, c), storetest.Open(t, c)}
	var wg sync.WaitGroup
	for n := range 40 {
		wg.Go(func() {
			if err := servers[n%2].Append(t.Context(), entry("ok")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	head, err := check(t, servers[0])
	must(t, err)
	equal(t, "records", head.Seq, 40)
}

// unprotect takes the log's own protection away.
var unprotect = map[store.Dialect][]string{
	store.SQLite:   {"DROP TRIGGER audit_log_no_update", "DROP TRIGGER audit_log_no_delete"},
	store.Postgres: {"DROP TRIGGER audit_log_no_change ON audit_log"},
}

// tamperings are what somebody with the database's password can do to a log of
// six records, and how it is found.
var tamperings = []struct {
	name  string
	steps []string
	seq   int64 // of the record that is named; 0: none
	want  string
}{
	{"nothing", nil, 0, ""},
	{"changed", []string{"UPDATE audit_log SET outcome = 'x' WHERE seq = 3"}, 3, "was changed: its hash is another one"},
	{"taken out", []string{"DELETE FROM audit_log WHERE seq = 3"}, 3, "is missing: the next one is record 4"},
	{"swapped", []string{
		"UPDATE audit_log SET seq = 99 WHERE seq = 2", "UPDATE audit_log SET seq = 2 WHERE seq = 3", "UPDATE audit_log SET seq = 3 WHERE seq = 99",
	}, 2, "does not carry the hash of the one before"},
	{"cut off", []string{"DELETE FROM audit_log WHERE seq > 4"}, 5, "is missing: the log ends with record 4, its head is record 6"},
	{"cut off with its head", []string{
		"DELETE FROM audit_log WHERE seq > 4", "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_log WHERE seq = 4)",
	}, 4, "is the head of the log, and is not signed with this key"},
	{"emptied", []string{"DELETE FROM audit_log"}, 1, "is missing: the log ends with record 0, its head is record 6"},
}

func TestCheckFindsTampering(t *testing.T) {
	for _, tt := range tamperings {
		t.Run(tt.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				for n := range 6 {
					must(t, db.Append(t.Context(), entry(fmt.Sprint(n))))
				}
				for _, step := range slices.Concat(unprotect[db.Dialect()], tt.steps) {
					execSQL(t, db, step)
				}
				_, err := check(t, db)
				var bad *audit.BadRecord
				if tt.seq == 0 {
					must(t, err)
				} else if !errors.As(err, &bad) || bad.Seq != tt.seq || bad.Reason != tt.want {
					t.Errorf("got %v, want record %d: %s", err, tt.seq, tt.want)
				}
			})
		})
	}
}

func TestCheckIsOfOneMoment(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.Append(t.Context(), entry("before")))
		must(t, db.Snapshot(t.Context(), func(snapshot ctx) error {
			head, err := db.Head(snapshot)
			must(t, err)
			must(t, db.Append(t.Context(), entry("meanwhile")))
			n := 0
			must(t, db.Walk(snapshot, func(audit.Entry) error { n++; return nil }))
			equal(t, "records in the snapshot", []int{int(head.Seq), n}, []int{1, 1})
			if err := db.Tx(snapshot, func(ctx) error { return nil }); err == nil {
				t.Error("a transaction was begun in a snapshot")
			}
			return nil
		}))
		head, err := check(t, db)
		must(t, err)
		equal(t, "records after", head.Seq, 2)
	})
}

func TestWalkStops(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.Tx(t.Context(), func(ctx ctx) error {
			for range 2500 {
				must(t, db.Append(ctx, entry("ok")))
			}
			return nil
		}))
		enough, n := errors.New("enough"), 0
		err := db.Walk(t.Context(), func(e audit.Entry) error {
			if n++; e.Seq != int64(n) {
				t.Fatalf("got record %d, want %d", e.Seq, n)
			}
			if n == 2400 {
				return enough
			}
			return nil
		})
		if err != enough || n != 2400 {
			t.Errorf("got %v after %d records, want %v after 2400", err, n, enough)
		}
	})
}

func TestEntries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for n := 1; n <= 6; n++ {
			e := audit.Entry{At: t0 + clock.Time(n), Principal: "token:a", Route: "plan_create", Tool: "create_plan", Outcome: "ok", Workspace: "ws_1"}
			if n%2 == 0 {
				e = audit.Entry{At: e.At, Principal: "cli", Route: "token_mint", Entity: "token:tk_1", Outcome: "invalid"}
			}
			if n > 4 {
				e.Workspace = "ws_2"
			}
			must(t, db.Append(t.Context(), e))
		}
		tests := []struct {
			name string
			f    audit.Filter
			want []int64
		}{
			{"all", audit.Filter{Limit: 10}, []int64{6, 5, 4, 3, 2, 1}},
			{"a page", audit.Filter{Limit: 2}, []int64{6, 5}},
			{"the next", audit.Filter{Limit: 2, After: 5}, []int64{4, 3}},
			{"no limit is none", audit.Filter{}, nil},
			{"principal", audit.Filter{Principal: "cli", Limit: 10}, []int64{6, 4, 2}},
			{"route", audit.Filter{Route: "plan_create", Limit: 10}, []int64{5, 3, 1}},
			{"tool", audit.Filter{Tool: "create_plan", Limit: 10}, []int64{5, 3, 1}},
			{"outcome", audit.Filter{Outcome: "invalid", Limit: 10}, []int64{6, 4, 2}},
			{"entity", audit.Filter{Entity: "token:tk_1", Limit: 1}, []int64{6}},
			{"from and to", audit.Filter{From: t0 + 2, To: t0 + 4, Limit: 10}, []int64{4, 3, 2}},
			{"one workspace", audit.Filter{Workspaces: []string{"ws_1"}, Limit: 10}, []int64{3, 1}},
			{"two workspaces, in order, cut", audit.Filter{Workspaces: []string{"ws_1", "ws_2", "ws_1"}, Limit: 3}, []int64{6, 5, 3}},
			{"workspace and more", audit.Filter{Workspaces: []string{"ws_1", "ws_2"}, Principal: "token:a", After: 5, Limit: 10}, []int64{3, 1}},
			{"no workspaces", audit.Filter{Workspaces: []string{}, Limit: 10}, nil},
			{"text is not SQL", audit.Filter{Principal: "' OR 1=1 --", Limit: 10}, nil},
		}
		for _, tt := range tests {
			found, err := db.Entries(t.Context(), tt.f)
			must(t, err)
			var got []int64
			for _, e := range found {
				got = append(got, e.Seq)
			}
			equal(t, tt.name, got, tt.want)
		}
	})
}

func TestAnotherKeyDoesNotGoOn(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		db, err := store.Open(t.Context(), c)
		must(t, err)
		must(t, db.Append(t.Context(), entry("ok")))
		must(t, db.Close())
		c.AuditKey = ed25519.NewKeyFromSeed([]byte(strings.Repeat("o", 32)))
		db = storetest.Open(t, c)
		if err := db.Append(t.Context(), entry("ok")); fault.CodeOf(err) != fault.Internal {
			t.Errorf("got %v, want an internal error", err)
		}
	})
}
