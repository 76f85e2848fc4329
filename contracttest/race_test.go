package contracttest

import (
	"encoding/json"
	"strings"
	"testing"

	"ambit/internal/app"
	"ambit/internal/testservices"
)

// onBoth runs a test on either database.
func onBoth(t *testing.T, test func(t *testing.T, change func(*app.Config))) {
	t.Run("SQLite", func(t *testing.T) { test(t, func(*app.Config) {}) })
	t.Run("PostgreSQL", func(t *testing.T) {
		url := testservices.Postgres(t)
		test(t, func(c *app.Config) { c.DatabaseURL = url })
	})
}

// Of 200 launches at once by a token that may have 3 runs, exactly 3 get
// through, and the others are told which limit, and what is in use of it.
func TestLaunchesAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, change func(*app.Config)) {
		const launches, limit = 200, 3
		s := newSite(t, change)
		plans := make([]string, launches)
		together(8, func(worker int) answer {
			for i := worker; i < launches; i += 8 {
				plans[i] = s.plan(t, s.builder, s.ws, s.dataset)
			}
			return answer{}
		})
		got := map[string]int{}
		for _, a := range together(launches, func(i int) answer {
			return s.send(s.builder, "POST", "/api/plans/"+plans[i]+"/launch", nil, withKey(fresh()))
		}) {
			got[a.code()]++
			if a.code() == "budget_exceeded" && !strings.Contains(string(a.body), `"allowed":3,`) {
				t.Errorf("a refusal does not name the limit: %s", a.body)
			}
			if a.status != 201 && a.code() != "budget_exceeded" {
				t.Errorf("got %d %v %s, want 201 or budget_exceeded", a.status, a.err, a.body)
			}
		}
		if got[""] != limit || got["budget_exceeded"] != launches-limit {
			t.Errorf("answers by code: %v, want %d let through and %d over budget", got, limit, launches-limit)
		}
		if n := s.count(t, "runs"); n != limit {
			t.Errorf("%d runs, want %d", n, limit)
		}
		if used := s.used(t, s.builder); used.Concurrent.Used != limit || used.Daily.Used != limit {
			t.Errorf("budget used: %+v, want %d and %d", used, limit, limit)
		}
	})
}

// A run that ends gives its place back, and nothing else does.
func TestPlacesComeBack(t *testing.T) {
	s := newSite(t)
	var runs []string
	for range 3 {
		runs = append(runs, s.launch(t, s.builder, s.plan(t, s.builder, s.ws, s.dataset)))
	}
	fourth := "/api/plans/" + s.plan(t, s.builder, s.ws, s.dataset) + "/launch"
	launch := func() answer { return s.send(s.builder, "POST", fourth, nil, withKey(fresh())) }
	launch().is(t, "a fourth of three", 429, "budget_exceeded")
	s.send(s.builder, "POST", "/api/runs/"+runs[0]+"/abort", nil, withKey(fresh())).read(t, 200, nil)
	launch().read(t, 201, nil)
	launch().is(t, "the same plan again", 429, "budget_exceeded")
	if n := s.count(t, "runs"); n != 4 {
		t.Errorf("%d runs, want 4", n)
	}
}

// One plan launched by 50 callers at once becomes one run, and the others are
// told which.
func TestOnePlanAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, change func(*app.Config)) {
		const callers = 50
		s := newSite(t, change)
		plan := s.plan(t, s.builder, s.ws, s.dataset)
		tokens := make([]credential, callers)
		for i := range tokens {
			tokens[i] = s.mint(t, "builder", s.ws, "").credential()
		}
		named := map[string]int{}
		got := map[int]int{}
		for _, a := range together(callers, func(i int) answer {
			return s.send(tokens[i], "POST", "/api/plans/"+plan+"/launch", nil, withKey(fresh()))
		}) {
			var doc struct {
				Run string `json:"run_id"`
			}
			json.Unmarshal(a.body, &doc) // what names no run is counted below
			got[a.status]++
			named[doc.Run]++
			if a.status != 201 {
				a.is(t, "a launch too many", 409, "plan_already_launched")
			}
		}
		if got[201] != 1 || got[409] != callers-1 || len(named) != 1 || named[""] != 0 {
			t.Errorf("answers by status %v naming runs %v, want 1 and %d naming one run", got, named, callers-1)
		}
		if n := s.count(t, "runs"); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}
	})
}
