package store_test

import (
	"context"
	"fmt"
	"testing"

	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/plans"
	"ambit/runs"
)

// ctx is short for the many functions that take one.
type ctx = context.Context

var noFailure runs.Failure

func TestPlans(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		want := plan("ws_1", "ds_1", "pl_1")
		want.Run = "rn_1"
		filled(t, want, "DeletedAt")
		must(t, db.InsertPlan(t.Context(), want))
		got, err := db.Plan(t.Context(), "ws_1", "pl_1")
		must(t, err)
		equal(t, "plan", got, want)
		wantDetail(t, second(db.Plan(t.Context(), "ws_2", "pl_1")), fault.NotFound, "No such plan.")

		wantCode(t, "deleting a foreign one", db.DeletePlan(t.Context(), "ws_2", "pl_1", t0), fault.NotFound)
		must(t, db.DeletePlan(t.Context(), "ws_1", "pl_1", t0))
		wantCode(t, "deleted", second(db.Plan(t.Context(), "ws_1", "pl_1")), fault.NotFound)
		wantCode(t, "deleting again", db.DeletePlan(t.Context(), "ws_1", "pl_1", t0), fault.NotFound)
	})
}

func TestPlansPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		for _, n := range []int{3, 1, 5, 2, 4, 6} {
			p := plan("ws_1", "ds_1", fmt.Sprint("pl_", n))
			p.CreatedAt = madeAt(n)
			must(t, db.InsertPlan(t.Context(), p))
		}
		must(t, db.DeletePlan(t.Context(), "ws_1", "pl_6", t0))
		got := pages(t, func(p page.Page) ([]plans.Plan, error) { return db.Plans(t.Context(), "ws_1", p) },
			func(p plans.Plan) page.Cursor { return page.Cursor{At: p.CreatedAt, ID: p.ID} })
		equal(t, "pages", got, wantPages("pl_"))
	})
}

func TestMovePlan(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		must(t, db.InsertPlan(t.Context(), plan("ws_1", "ds_1", "pl_1")))
		tests := []struct {
			name, workspace, id string
			from, to            plans.State
			run                 string
			moved               bool
			state               plans.State
			wantRun             string
		}{
			{"from another state", "ws_1", "pl_1", plans.Launched, plans.Cancelled, "", false, plans.Ready, ""},
			{"of another workspace", "ws_2", "pl_1", plans.Ready, plans.Launched, "rn_1", false, plans.Ready, ""},
			{"absent", "ws_1", "pl_2", plans.Ready, plans.Launched, "rn_1", false, plans.Ready, ""},
			{"launched", "ws_1", "pl_1", plans.Ready, plans.Launched, "rn_1", true, plans.Launched, "rn_1"},
			{"again", "ws_1", "pl_1", plans.Ready, plans.Launched, "rn_2", false, plans.Launched, "rn_1"},
			{"back, the run stays", "ws_1", "pl_1", plans.Launched, plans.Ready, "", true, plans.Ready, "rn_1"},
		}
		for _, tt := range tests {
			moved, err := db.MovePlan(t.Context(), tt.workspace, tt.id, tt.from, tt.to, tt.run)
			must(t, err)
			got, err := db.Plan(t.Context(), "ws_1", "pl_1")
			must(t, err)
			if moved != tt.moved || got.State != tt.state || got.Run != tt.wantRun {
				t.Errorf("%s: got %v, %s, %q; want %v, %s, %q", tt.name, moved, got.State, got.Run, tt.moved, tt.state, tt.wantRun)
			}
		}
		must(t, db.DeletePlan(t.Context(), "ws_1", "pl_1", t0))
		if moved, err := db.MovePlan(t.Context(), "ws_1", "pl_1", plans.Ready, plans.Launched, "rn_1"); moved || err != nil {
			t.Errorf("deleted: got %v, %v; want false", moved, err)
		}
	})
}
