package store_test

import (
	"fmt"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/runs"
	"ambit/scopes"
	"ambit/tokens"
)

func TestTokens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		want := token("tk_1")
		want.RevokedAt, want.LastUsedAt = t0+1, t0+2
		filled(t, want)
		must(t, db.InsertToken(t.Context(), want))
		got, err := db.Token(t.Context(), "tk_1")
		must(t, err)
		equal(t, "token", got, want)

		wantDetail(t, db.InsertToken(t.Context(), want), fault.Conflict, "There is a token with this id.")
		_, err = db.Token(t.Context(), "tk_2")
		wantDetail(t, err, fault.NotFound, "No such token.")
	})
}

func TestTokensPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, n := range []int{3, 1, 5, 2, 4} {
			tk := token(fmt.Sprint("tk_", n))
			tk.CreatedAt = madeAt(n)
			must(t, db.InsertToken(t.Context(), tk))
		}
		got := pages(t, func(p page.Page) ([]tokens.Token, error) { return db.Tokens(t.Context(), p) },
			func(tk tokens.Token) page.Cursor { return page.Cursor{At: tk.CreatedAt, ID: tk.ID} })
		equal(t, "pages", got, wantPages("tk_"))
	})
}

func TestRevokeToken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.InsertToken(t.Context(), token("tk_1")))
		epoch := func() int64 {
			n, err := db.TokenEpoch(t.Context())
			must(t, err)
			return n
		}
		before := epoch()
		must(t, db.RevokeToken(t.Context(), "tk_1", t0+5))
		after := epoch()
		must(t, db.RevokeToken(t.Context(), "tk_1", t0+9))
		got, err := db.Token(t.Context(), "tk_1")
		must(t, err)
		equal(t, "revoked at", got.RevokedAt, t0+5)
		equal(t, "epochs", []int64{before, after, epoch()}, []int64{0, 1, 1})
		wantDetail(t, db.RevokeToken(t.Context(), "tk_2", t0), fault.NotFound, "No such token.")
	})
}

func TestTouchToken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.InsertToken(t.Context(), token("tk_1")))
		for _, at := range []clock.Time{t0 + 5, t0 + 3} {
			must(t, db.TouchToken(t.Context(), "tk_1", at))
		}
		got, err := db.Token(t.Context(), "tk_1")
		must(t, err)
		equal(t, "last used at", got.LastUsedAt, t0+5)
		must(t, db.TouchToken(t.Context(), "tk_2", t0))
	})
}

func TestUsage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		must(t, db.InsertToken(t.Context(), token("tk_1")))
		for n, state := range []runs.State{runs.Queued, runs.Running, runs.Succeeded, runs.Failed, runs.Aborted, runs.Queued} {
			id := fmt.Sprint("rn_", n)
			must(t, db.InsertPlan(t.Context(), plan("ws_1", "ds_1", "pl_"+id)))
			r := runs.Run{ID: id, Workspace: "ws_1", Plan: "pl_" + id, Token: "tk_1", State: state, CreatedAt: t0 + clock.Time(n)}
			if n == 5 {
				r.Token = "tk_2"
			}
			if n == 2 {
				r.DeletedAt = t0 // a run that is hidden was made nevertheless
			}
			must(t, db.InsertRun(t.Context(), r))
		}
		usage, err := db.Usage(t.Context(), "tk_1", t0+2)
		must(t, err)
		equal(t, "usage", usage, tokens.Usage{Concurrent: 2, Today: 3})

		must(t, db.Tx(t.Context(), func(ctx ctx) error {
			tk, usage, err := db.LockUsage(ctx, "tk_1", t0)
			equal(t, "token", tk, token("tk_1"))
			equal(t, "usage", usage, tokens.Usage{Concurrent: 2, Today: 5})
			return err
		}))
		if _, _, err := db.LockUsage(t.Context(), "tk_1", t0); err == nil {
			t.Error("LockUsage outside of a transaction locks nothing, and did not say so")
		}
	})
}

// The numbers are in databases: they may not come to mean another scope or role.
func TestStoredNumbers(t *testing.T) {
	equal(t, "scopes", []scopes.Scope{scopes.Read, scopes.Compute, scopes.Builder}, []scopes.Scope{1, 2, 3})
	equal(t, "roles", []scopes.Role{scopes.Viewer, scopes.Operator, scopes.Admin}, []scopes.Role{1, 2, 3})
}
