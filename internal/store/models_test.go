package store_test

import (
	"fmt"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/models"
)

func TestModels(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aWorkspace(t, db, "ws_2")
		aRun(t, db, "ws_1", "ds_1", "rn_1")
		want := model("ws_1", "rn_1", "md_1")
		want.PromotedAt, want.PromotedBy = t0+1, "person:pn_1"
		filled(t, want, "DeletedAt")
		must(t, db.InsertModel(t.Context(), want))
		got, err := db.Model(t.Context(), "ws_1", "md_1")
		must(t, err)
		equal(t, "model", got, want)

		taken := model("ws_1", "rn_1", "md_2")
		taken.Name = want.Name
		wantDetail(t, db.InsertModel(t.Context(), taken), fault.Conflict, "The workspace has a model with this name.")
		elsewhere := taken
		elsewhere.Workspace = "ws_2"
		must(t, db.InsertModel(t.Context(), elsewhere))
		for _, err := range []error{
			second(db.Model(t.Context(), "ws_2", "md_1")),
			db.SetStatus(t.Context(), "ws_2", "md_1", models.Published, "", t0),
			db.DeleteModel(t.Context(), "ws_2", "md_1", t0),
		} {
			wantDetail(t, err, fault.NotFound, "No such model.")
		}
		must(t, db.DeleteModel(t.Context(), "ws_1", "md_1", t0))
		wantCode(t, "deleted", second(db.Model(t.Context(), "ws_1", "md_1")), fault.NotFound)
		taken.ID = "md_3"
		wantCode(t, "its name is free", db.InsertModel(t.Context(), taken), "")
	})
}

func TestModelsPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_1")
		aRun(t, db, "ws_1", "ds_1", "rn_2")
		for _, n := range []int{3, 1, 5, 2, 4, 6} {
			m := model("ws_1", "rn_1", fmt.Sprint("md_", n))
			m.CreatedAt = madeAt(n)
			must(t, db.InsertModel(t.Context(), m))
		}
		must(t, db.InsertModel(t.Context(), model("ws_1", "rn_2", "md_other")))
		must(t, db.DeleteModel(t.Context(), "ws_1", "md_6", t0))
		must(t, db.DeleteModel(t.Context(), "ws_1", "md_other", t0))
		got := pages(t, func(p page.Page) ([]models.Model, error) { return db.Models(t.Context(), "ws_1", p) },
			func(m models.Model) page.Cursor { return page.Cursor{At: m.CreatedAt, ID: m.ID} })
		equal(t, "pages", got, wantPages("md_"))

		of, err := db.ModelsOfRun(t.Context(), "ws_1", "rn_1")
		must(t, err)
		equal(t, "of a run", of, []string{"md_5", "md_4", "md_3", "md_2", "md_1"})
		for workspace, run := range map[string]string{"ws_1": "rn_2", "ws_2": "rn_1"} {
			none, err := db.ModelsOfRun(t.Context(), workspace, run)
			must(t, err)
			equal(t, workspace+" "+run, len(none), 0)
		}
	})
}

func TestSetStatus(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		basics(t, db)
		aRun(t, db, "ws_1", "ds_1", "rn_1")
		must(t, db.InsertModel(t.Context(), model("ws_1", "rn_1", "md_1")))
		must(t, db.InsertModel(t.Context(), model("ws_1", "rn_1", "md_2")))
		_, err := db.Champion(t.Context(), "ws_1")
		wantDetail(t, err, fault.NotFound, "No such champion.")

		steps := []struct {
			id     string
			status models.Status
			at     clock.Time
			code   fault.Code
			want   string // status, promoted by and at of the model
		}{
			{"md_1", models.Published, t0 + 1, "", `published "" -`},
			{"md_1", models.Champion, t0 + 2, "", `champion "person:pn_1" +2`},
			{"md_2", models.Champion, t0 + 3, fault.Conflict, `registered "" -`},
			{"md_1", models.Retired, t0 + 4, "", `retired "person:pn_1" +2`},
			{"md_2", models.Champion, t0 + 5, "", `champion "person:pn_1" +5`},
		}
		for _, s := range steps {
			wantCode(t, fmt.Sprint(s.id, " ", s.status), db.SetStatus(t.Context(), "ws_1", s.id, s.status, "person:pn_1", s.at), s.code)
			m, err := db.Model(t.Context(), "ws_1", s.id)
			must(t, err)
			equal(t, s.id, fmt.Sprintf("%s %q %s", m.Status, m.PromotedBy, since(m.PromotedAt)), s.want)
		}
		champion, err := db.Champion(t.Context(), "ws_1")
		must(t, err)
		equal(t, "champion", champion.ID, "md_2")
		must(t, db.DeleteModel(t.Context(), "ws_1", "md_2", t0))
		wantCode(t, "deleted champion", second(db.Champion(t.Context(), "ws_1")), fault.NotFound)
	})
}
