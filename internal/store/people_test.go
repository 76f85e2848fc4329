package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/people"
	"ambit/scopes"
)

func TestPeople(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		want := person("pn_1")
		want.DisabledAt = t0
		filled(t, want)
		must(t, db.InsertPerson(t.Context(), want))
		got, err := db.Person(t.Context(), "pn_1")
		must(t, err)
		equal(t, "person", got, want)
		got, err = db.PersonByEmail(t.Context(), "pn_1@example.org")
		must(t, err)
		equal(t, "person by email", got, want)

		taken := person("pn_2")
		taken.Email = want.Email
		wantDetail(t, db.InsertPerson(t.Context(), taken), fault.Conflict, "There is a person with this email address.")
		_, err = db.Person(t.Context(), "pn_2")
		wantDetail(t, err, fault.NotFound, "No such person.")
		_, err = db.PersonByEmail(t.Context(), "pn_2@example.org")
		wantDetail(t, err, fault.NotFound, "No such person.")
		n, err := db.CountPeople(t.Context())
		if n != 1 || err != nil {
			t.Errorf("got %d people, %v; want 1", n, err)
		}
	})
}

func TestUpdatePerson(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.InsertPerson(t.Context(), person("pn_1")))
		must(t, db.InsertPerson(t.Context(), person("pn_2")))
		want := people.Person{ID: "pn_1", Email: "new@example.org", Role: scopes.NoRole, CreatedAt: t0 + 1, DisabledAt: t0 + 2}
		must(t, db.UpdatePerson(t.Context(), want))
		got, err := db.Person(t.Context(), "pn_1")
		must(t, err)
		equal(t, "person, with what was emptied", got, want)

		want.Email = "pn_2@example.org"
		wantDetail(t, db.UpdatePerson(t.Context(), want), fault.Conflict, "There is a person with this email address.")
		wantDetail(t, db.UpdatePerson(t.Context(), person("pn_3")), fault.NotFound, "No such person.")
	})
}

func TestPeoplePages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, n := range []int{3, 1, 5, 2, 4} {
			p := person(fmt.Sprint("pn_", n))
			p.CreatedAt = madeAt(n)
			must(t, db.InsertPerson(t.Context(), p))
		}
		got := pages(t, func(p page.Page) ([]people.Person, error) { return db.People(t.Context(), p) },
			func(p people.Person) page.Cursor { return page.Cursor{At: p.CreatedAt, ID: p.ID} })
		equal(t, "pages", got, wantPages("pn_"))
	})
}

func TestOldestAdmin(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		_, err := db.OldestAdmin(t.Context())
		wantDetail(t, err, fault.NotFound, "No such admin.")
		for n, p := range []people.Person{
			{Role: scopes.Operator, CreatedAt: t0},
			{Role: scopes.Admin, CreatedAt: t0 + 1, DisabledAt: t0 + 2},
			{Role: scopes.Admin, CreatedAt: t0 + 3},
			{Role: scopes.Admin, CreatedAt: t0 + 2},
		} {
			p.ID, p.Email = fmt.Sprint("pn_", n), fmt.Sprint(n)
			must(t, db.InsertPerson(t.Context(), p))
		}
		got, err := db.OldestAdmin(t.Context())
		must(t, err)
		equal(t, "id", got.ID, "pn_3")
	})
}

// Of many who each find nobody there, one becomes the first person.
func TestLockPeople(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var first atomic.Int32
		var wg sync.WaitGroup
		for n := range 20 {
			wg.Go(func() {
				err := db.Tx(t.Context(), func(ctx ctx) error {
					if err := db.LockPeople(ctx); err != nil {
						return err
					}
					count, err := db.CountPeople(ctx)
					if err != nil || count > 0 {
						return err
					}
					first.Add(1)
					return db.InsertPerson(ctx, person(fmt.Sprint("pn_", n)))
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, "first people", first.Load(), 1)
		if err := db.LockPeople(t.Context()); err == nil {
			t.Error("a lock outside of a transaction locks nothing, and did not say so")
		}
	})
}

func TestSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.InsertPerson(t.Context(), person("pn_1")))
		must(t, db.InsertPerson(t.Context(), person("pn_2")))
		session := func(id, who string, at clock.Time) people.Session {
			s := people.Session{ID: id, Hash: "hash of " + id, Person: who, CreatedAt: at, LastSeenAt: at, SteppedUp: at, Agent: "browser", Address: "::1"}
			must(t, db.InsertSession(t.Context(), s))
			return s
		}
		one := session("se_1", "pn_1", t0)
		two := session("se_2", "pn_1", t0+1)
		three := session("se_3", "pn_1", t0+2)
		other := session("se_4", "pn_2", t0)
		filled(t, one)

		got, err := db.SessionByHash(t.Context(), one.Hash)
		must(t, err)
		equal(t, "session", got, one)
		_, err = db.SessionByHash(t.Context(), "se_1")
		wantDetail(t, err, fault.NotFound, "No such session.")

		must(t, db.TouchSession(t.Context(), "se_1", t0+9))
		must(t, db.TouchSession(t.Context(), "se_1", t0+8))
		must(t, db.StepUpSession(t.Context(), "se_1", t0+7))
		one.LastSeenAt, one.SteppedUp = t0+9, t0+7
		wantDetail(t, db.StepUpSession(t.Context(), "se_9", t0), fault.NotFound, "No such session.")

		list := func(who string) []people.Session {
			s, err := db.Sessions(t.Context(), who)
			must(t, err)
			return s
		}
		equal(t, "newest first", list("pn_1"), []people.Session{three, two, one})
		must(t, db.DeleteSession(t.Context(), "pn_2", "se_2"))
		must(t, db.DeleteSession(t.Context(), "pn_1", "se_9"))
		equal(t, "after deleting another's", list("pn_1"), []people.Session{three, two, one})
		must(t, db.DeleteSession(t.Context(), "pn_1", "se_2"))
		must(t, db.DeleteSessions(t.Context(), "pn_1", "se_1"))
		equal(t, "all but one", list("pn_1"), []people.Session{one})
		must(t, db.DeleteSessions(t.Context(), "pn_1", ""))
		equal(t, "none spared", list("pn_1"), []people.Session{})
		equal(t, "another's", list("pn_2"), []people.Session{other})
	})
}

func TestUseLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, l := range []people.Link{
			{Hash: "first", ExpiresAt: t0 + 10},
			{Hash: "person", Person: "pn_1", ExpiresAt: t0 + 10},
			{Hash: "used", ExpiresAt: t0 + 10, UsedAt: t0},
		} {
			must(t, db.InsertLink(t.Context(), l))
		}
		tests := []struct {
			name, hash string
			now        clock.Time
			want       people.Link
			code       fault.Code
		}{
			{"too late", "first", t0 + 10, people.Link{}, fault.NotFound},
			{"in time", "first", t0 + 9, people.Link{Hash: "first", ExpiresAt: t0 + 10, UsedAt: t0 + 9}, ""},
			{"again", "first", t0 + 9, people.Link{}, fault.NotFound},
			{"of a person", "person", t0, people.Link{Hash: "person", Person: "pn_1", ExpiresAt: t0 + 10, UsedAt: t0}, ""},
			{"used before", "used", t0, people.Link{}, fault.NotFound},
			{"absent", "absent", t0, people.Link{}, fault.NotFound},
		}
		for _, tt := range tests {
			got, err := db.UseLink(t.Context(), tt.hash, tt.now)
			wantCode(t, tt.name, err, tt.code)
			equal(t, tt.name, got, tt.want)
		}
	})
}

func TestUseLinkOnceOfMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		must(t, db.InsertLink(t.Context(), people.Link{Hash: "h", ExpiresAt: t0 + 10}))
		var used atomic.Int32
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				_, err := db.UseLink(t.Context(), "h", t0)
				if err == nil {
					used.Add(1)
				} else if !fault.Is(err, fault.NotFound) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, "uses", used.Load(), 1)
	})
}
