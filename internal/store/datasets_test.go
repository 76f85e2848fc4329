package store_test

import (
	"fmt"
	"slices"
	"testing"

	"ambit/datasets"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/models"
	"ambit/plans"
	"ambit/workspaces"
)

func TestWorkspaces(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		want := aWorkspace(t, db, "ws_1")
		filled(t, want)
		got, err := db.Workspace(t.Context(), "ws_1")
		must(t, err)
		equal(t, "workspace", got, want)
		_, err = db.Workspace(t.Context(), "ws_9")
		wantDetail(t, err, fault.NotFound, "No such workspace.")
		taken := want
		taken.ID = "ws_2"
		wantDetail(t, db.InsertWorkspace(t.Context(), taken), fault.Conflict, "There is a workspace with this name.")
	})
}

func TestWorkspacesByName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for id, name := range map[string]string{"ws_1": "b", "ws_2": "a", "ws_3": "B", "ws_4": "ä"} {
			must(t, db.InsertWorkspace(t.Context(), workspaces.Workspace{ID: id, Name: name}))
		}
		tests := []struct {
			name string
			ids  []string
			want []string
		}{
			{"all", nil, []string{"ws_3", "ws_2", "ws_1", "ws_4"}},
			{"none", []string{}, []string{}},
			{"some, one of which is not there", []string{"ws_1", "ws_2", "ws_9"}, []string{"ws_2", "ws_1"}},
		}
		for _, tt := range tests {
			found, err := db.Workspaces(t.Context(), tt.ids)
			must(t, err)
			got := []string{}
			for _, w := range found {
				got = append(got, w.ID)
			}
			equal(t, tt.name, got, tt.want)
		}
	})
}

func TestDatasets(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		aWorkspace(t, db, "ws_1")
		aWorkspace(t, db, "ws_2")
		want := aDataset(t, db, "ws_1", "ds_1")
		v := version("ws_1", "ds_1", "dv_1", 1)
		filled(t, v)
		must(t, db.InsertVersion(t.Context(), v))
		want.Latest = "dv_1"
		filled(t, want, "DeletedAt")
		got, err := db.Dataset(t.Context(), "ws_1", "ds_1")
		must(t, err)
		equal(t, "dataset", got, want)
		gotVersion, err := db.Version(t.Context(), "ws_1", "dv_1")
		must(t, err)
		equal(t, "version", gotVersion, v)

		for name, err := range map[string]error{
			"dataset of a foreign workspace": second(db.Dataset(t.Context(), "ws_2", "ds_1")),
			"version of a foreign workspace": second(db.Version(t.Context(), "ws_2", "dv_1")),
			"absent dataset":                 second(db.Dataset(t.Context(), "ws_1", "ds_9")),
			"absent version":                 second(db.Version(t.Context(), "ws_1", "dv_9")),
			"version of an absent dataset":   db.InsertVersion(t.Context(), version("ws_1", "ds_9", "dv_2", 1)),
			"version in a foreign workspace": db.InsertVersion(t.Context(), version("ws_2", "ds_1", "dv_2", 2)),
			"deleting a foreign one":         db.DeleteDataset(t.Context(), "ws_2", "ds_1", t0),
		} {
			wantCode(t, name, err, fault.NotFound)
		}
		wantDetail(t, second(db.Version(t.Context(), "ws_1", "dv_9")), fault.NotFound, "No such dataset version.")
	})
}

// second returns the error of a call that also returns something.
func second[T any](_ T, err error) error { return err }

func TestDatasetNames(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		aWorkspace(t, db, "ws_1")
		aWorkspace(t, db, "ws_2")
		add := func(workspace, id, name string) error {
			return db.InsertDataset(t.Context(), datasets.Dataset{ID: id, Workspace: workspace, Name: name})
		}
		must(t, add("ws_1", "ds_1", "Größe"))
		wantDetail(t, add("ws_1", "ds_2", "GRÖßE"), fault.Conflict, "The workspace has a dataset with this name.")
		wantCode(t, "another name", add("ws_1", "ds_3", "Grosse"), "")
		wantCode(t, "in another workspace", add("ws_2", "ds_4", "größe"), "")
		must(t, db.DeleteDataset(t.Context(), "ws_1", "ds_1", t0))
		wantCode(t, "after deletion", add("ws_1", "ds_5", "größe"), "")
	})
}

func TestInsertVersion(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		must(t, db.InsertVersion(t.Context(), version("ws_1", "ds_1", "dv_2", 2)))
		wantDetail(t, db.InsertVersion(t.Context(), version("ws_1", "ds_1", "dv_3", 2)), fault.Conflict,
			"The dataset has got another version in the meantime.")
		got, err := db.Dataset(t.Context(), "ws_1", "ds_1")
		must(t, err)
		equal(t, "latest", got.Latest, "dv_2")
	})
}

func TestDatasetsPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		aWorkspace(t, db, "ws_1")
		aWorkspace(t, db, "ws_2")
		aDataset(t, db, "ws_2", "ds_7")
		for _, n := range []int{3, 1, 5, 2, 4, 6} {
			id := fmt.Sprint("ds_", n)
			must(t, db.InsertDataset(t.Context(), datasets.Dataset{ID: id, Workspace: "ws_1", Name: id, CreatedAt: madeAt(n)}))
		}
		must(t, db.DeleteDataset(t.Context(), "ws_1", "ds_6", t0))
		got := pages(t, func(p page.Page) ([]datasets.Dataset, error) { return db.Datasets(t.Context(), "ws_1", p) },
			func(d datasets.Dataset) page.Cursor { return page.Cursor{At: d.CreatedAt, ID: d.ID} })
		equal(t, "pages", got, wantPages("ds_"))
	})
}

func TestNamed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		aWorkspace(t, db, "ws_1")
		aWorkspace(t, db, "ws_2")
		for id, name := range map[string]string{"ds_1": "b", "ds_2": "Z", "ds_3": "a", "ds_4": "no version", "ds_5": "deleted"} {
			must(t, db.InsertDataset(t.Context(), datasets.Dataset{ID: id, Workspace: "ws_1", Name: name}))
		}
		for n, v := range []datasets.Version{
			version("ws_1", "ds_1", "dv_1", 1), version("ws_1", "ds_1", "dv_2", 2), version("ws_1", "ds_2", "dv_3", 1),
			version("ws_1", "ds_3", "dv_4", 1), version("ws_1", "ds_5", "dv_5", 1),
		} {
			v.Rows = int64(n)
			must(t, db.InsertVersion(t.Context(), v))
		}
		must(t, db.DeleteDataset(t.Context(), "ws_1", "ds_5", t0))
		aDataset(t, db, "ws_2", "ds_6")
		must(t, db.InsertVersion(t.Context(), version("ws_2", "ds_6", "dv_6", 1)))

		named, err := db.Named(t.Context(), "ws_1")
		must(t, err)
		got := []string{}
		for _, n := range named {
			got = append(got, fmt.Sprint(n.Dataset.Name, " ", n.Dataset.ID, " ", n.Version.ID, " ", n.Version.Rows))
		}
		equal(t, "named", got, []string{"Z ds_2 dv_3 2", "a ds_3 dv_4 3", "b ds_1 dv_2 1"})
	})
}

func TestDeleteDataset(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		must(t, db.DeleteDataset(t.Context(), "ws_1", "ds_1", t0))
		wantCode(t, "dataset", second(db.Dataset(t.Context(), "ws_1", "ds_1")), fault.NotFound)
		wantCode(t, "version", second(db.Version(t.Context(), "ws_1", "dv_1")), fault.NotFound)
		wantCode(t, "again", db.DeleteDataset(t.Context(), "ws_1", "ds_1", t0), fault.NotFound)
		wantCode(t, "new version", db.InsertVersion(t.Context(), version("ws_1", "ds_1", "dv_2", 2)), fault.NotFound)
		for id, want := range map[string]bool{"dv_1": true, "dv_2": false} {
			got, err := db.VersionExists(t.Context(), "ws_1", id)
			if got != want || err != nil {
				t.Errorf("VersionExists(%s) = %v, %v; want %v", id, got, err, want)
			}
		}
		if got, err := db.VersionExists(t.Context(), "ws_2", "dv_1"); got || err != nil {
			t.Errorf("a foreign version exists: %v, %v", got, err)
		}
	})
}

func TestReferences(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		c.Now = func() clock.Time { return t0 }
		db := storetest.Open(t, c)
		basics(t, db)
		aDataset(t, db, "ws_1", "ds_2")
		refs := func() []string {
			got, err := db.References(t.Context(), "ws_1", "ds_1")
			must(t, err)
			return got
		}
		equal(t, "at first", len(refs()), 0)
		for _, change := range []func(p *plans.Plan){
			func(p *plans.Plan) { p.ID = "pl_ready" },
			func(p *plans.Plan) { p.ID, p.ExpiresAt = "pl_expired", t0 },
			func(p *plans.Plan) { p.ID, p.State = "pl_cancelled", plans.Cancelled },
			func(p *plans.Plan) { p.ID, p.DeletedAt = "pl_deleted", t0 },
			func(p *plans.Plan) { p.ID, p.Dataset = "pl_other", "ds_2" },
		} {
			p := plan("ws_1", "ds_1", "")
			change(&p)
			must(t, db.InsertPlan(t.Context(), p))
		}
		aRun(t, db, "ws_1", "ds_1", "rn_queued")
		aRunning(t, db, "ws_1", "ds_1", "rn_running")
		aRunning(t, db, "ws_1", "ds_1", "rn_over")
		must(t, db.FinishRun(t.Context(), "rn_over", 1, "succeeded", noFailure, t0))
		must(t, db.InsertModel(t.Context(), model("ws_1", "rn_over", "md_1")))
		gone := model("ws_1", "rn_over", "md_2")
		gone.DeletedAt = t0
		must(t, db.InsertModel(t.Context(), gone))
		other := model("ws_1", "rn_over", "md_3")
		other.Dataset, other.Status = "ds_2", models.Published
		must(t, db.InsertModel(t.Context(), other))

		got := refs()
		slices.Sort(got)
		equal(t, "references", got, []string{"model:md_1", "plan:pl_ready", "run:rn_queued", "run:rn_running"})
		foreign, err := db.References(t.Context(), "ws_2", "ds_1")
		must(t, err)
		equal(t, "of another workspace", len(foreign), 0)
	})
}
