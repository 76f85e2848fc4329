package store_test

import (
	"testing"

	"ambit/internal/fault"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

func TestWorkspaceOf(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRunning(t, db, "ws_1", "ds_1", "rn_1")
		must(t, db.SaveTrial(t.Context(), 1, trial("ws_1", "rn_1", "tr_1")))
		must(t, db.InsertModel(t.Context(), model("ws_1", "rn_1", "md_1")))
		tests := []struct {
			kind, id, detail string
		}{
			{"dataset", "ds_1", "No such dataset."},
			{"dataset_version", "dv_1", "No such dataset version."},
			{"plan", "pl_rn_1", "No such plan."},
			{"run", "rn_1", "No such run."},
			{"trial", "tr_1", "No such trial."},
			{"model", "md_1", "No such model."},
		}
		for _, tt := range tests {
			got, err := db.WorkspaceOf(t.Context(), tt.kind, tt.id)
			if got != "ws_1" || err != nil {
				t.Errorf("%s: got %q, %v; want ws_1", tt.kind, got, err)
			}
			_, err = db.WorkspaceOf(t.Context(), tt.kind, "absent")
			wantDetail(t, err, fault.NotFound, tt.detail)
		}
		must(t, db.DeleteModel(t.Context(), "ws_1", "md_1", t0))
		must(t, db.DeleteRun(t.Context(), "ws_1", "rn_1", t0))
		must(t, db.DeletePlan(t.Context(), "ws_1", "pl_rn_1", t0))
		must(t, db.DeleteDataset(t.Context(), "ws_1", "ds_1", t0))
		for _, tt := range tests {
			got, err := db.WorkspaceOf(t.Context(), tt.kind, tt.id)
			wantDetail(t, err, fault.NotFound, tt.detail)
			equal(t, tt.kind, got, "")
		}
		if _, err := db.WorkspaceOf(t.Context(), "table", "ds_1"); fault.CodeOf(err) != fault.Internal {
			t.Errorf("an unknown kind: got %v, want an internal error", err)
		}
	})
}
