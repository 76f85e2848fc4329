package killtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// told is what a client was told of a request in the end.
type told struct {
	key    string
	status int
	code   string // of a refusal
	id     string // of the plan, or of the run
	plan   string // of a launch
	cut    int    // times that the server went away over it
}

// history is what all clients were told.
type history struct {
	mu  sync.Mutex
	all []told
}

func (h *history) add(t told) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, t)
}

// told returns what was told of the keys that begin with a word.
func (h *history) told(word string) []told {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(h.all), func(t told) bool { return !strings.HasPrefix(t.key, word) })
}

// cut is how many times the server went away over a request with such a key.
func (h *history) cut(word string) (n int) {
	for _, t := range h.told(word) {
		n += t.cut
	}
	return n
}

// plan, run, event and record are what the server has in the end.
type plan struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Run   string `json:"run_id"`
}

type run struct {
	ID      string    `json:"id"`
	Plan    string    `json:"plan_id"`
	State   string    `json:"state"`
	Created time.Time `json:"created_at"`
	Failure *struct{ Code string }
	Events  []event `json:"-"`
}

type event struct {
	Seq  int64
	Kind string
	Data struct{ State string }
}

type record struct {
	Key     string `json:"idempotency_key"`
	Entity  string
	Outcome string
	Replay  bool
}

// state is everything that the server has in the end.
type state struct {
	plans   []plan
	runs    []run
	audit   []record // of plans and launches
	intact  bool     // the audit log
	running int      // budget in use now
	today   int      // budget in use of the day
	day     time.Time
}

// finding is a law that was broken, and how.
type finding struct{ law, what string }

func (f finding) String() string { return f.law + ": " + f.what }

// Laws. Each is broken by at least one history of TestCheckCatches.
const (
	lawAnswered = "every key is answered with success"
	lawOnePlan  = "a key has one plan"
	lawTrue     = "what was told is there"
	lawOneRun   = "a plan that was launched has one run, and no other plan has any"
	lawEnds     = "a run ends once, and only by itself or with its workers"
	lawBudget   = "budget is taken by runs, and by nothing else"
	lawAudit    = "each effect has one record, and the log is whole"
)

// check returns every law that the end state breaks, given what was told.
func check(h *history, s state) (found []finding) {
	broken := func(law, format string, args ...any) {
		found = append(found, finding{law, fmt.Sprintf(format, args...)})
	}
	for _, t := range h.told("") {
		if t.status != 201 || t.id == "" {
			broken(lawAnswered, "%s was answered %d %s", t.key, t.status, t.code)
		}
	}
	checkPlans(h, s, broken)
	checkRuns(h, s, broken)
	for _, r := range s.runs {
		checkEnd(r, broken)
	}
	checkBudget(s, broken)
	checkAudit(h, s, broken)
	return found
}

type breaker func(law, format string, args ...any)

func checkPlans(h *history, s state, broken breaker) {
	known := map[string]string{}
	for _, t := range h.told(planKey) {
		known[t.id] = t.key
	}
	for _, p := range s.plans {
		if known[p.ID] == "" {
			broken(lawOnePlan, "nobody was told of plan %s", p.ID)
		}
	}
	for id, key := range known {
		if id != "" && !slices.ContainsFunc(s.plans, func(p plan) bool { return p.ID == id }) {
			broken(lawTrue, "%s was told of plan %s, which is not there", key, id)
		}
	}
}

func checkRuns(h *history, s state, broken breaker) {
	of := map[string][]run{}
	for _, r := range s.runs {
		of[r.Plan] = append(of[r.Plan], r)
	}
	for _, p := range s.plans {
		launched := p.State == "launched"
		if n := len(of[p.ID]); n > 1 || (n == 1) != launched {
			broken(lawOneRun, "plan %s is %s and has %d runs", p.ID, p.State, n)
		} else if launched && p.Run != of[p.ID][0].ID {
			broken(lawOneRun, "plan %s names run %s and has %s", p.ID, p.Run, of[p.ID][0].ID)
		}
		delete(of, p.ID)
	}
	for id, runs := range of {
		broken(lawOneRun, "%d runs are of plan %s, which is not there", len(runs), id)
	}
	for _, t := range h.told(launchKey) {
		if t.id != "" && !slices.ContainsFunc(s.runs, func(r run) bool { return r.ID == t.id && r.Plan == t.plan }) {
			broken(lawTrue, "%s was told of run %s of plan %s, which is not there", t.key, t.id, t.plan)
		}
	}
	if n := len(h.told(launchKey)); len(s.runs) != n {
		broken(lawOneRun, "%d launches made %d runs", n, len(s.runs))
	}
}

// over reports whether a run does not leave the state.
func over(state string) bool {
	return slices.Contains([]string{"succeeded", "failed", "aborted"}, state)
}

func checkEnd(r run, broken breaker) {
	ends, last := 0, ""
	for i, e := range r.Events {
		if e.Seq != int64(i+1) {
			broken(lawEnds, "run %s: event %d has the number %d", r.ID, i+1, e.Seq)
		}
		if e.Kind == "state" {
			last = e.Data.State
		}
		if e.Kind == "state" && over(e.Data.State) {
			ends++
		}
	}
	if ends != 1 || last != r.State {
		broken(lawEnds, "run %s is %s, ended %d times, and says %s last", r.ID, r.State, ends, last)
	}
	lost := r.State == "failed" && r.Failure != nil && r.Failure.Code == "worker_lost"
	if r.State != "succeeded" && !lost {
		broken(lawEnds, "run %s is %s: %+v", r.ID, r.State, r.Failure)
	}
}

func checkBudget(s state, broken breaker) {
	today := 0
	for _, r := range s.runs {
		if !r.Created.Before(s.day) {
			today++
		}
	}
	if s.running != 0 || s.today != today {
		broken(lawBudget, "%d runs are counted as running and %d of today, want 0 and %d", s.running, s.today, today)
	}
}

func checkAudit(h *history, s state, broken breaker) {
	if !s.intact {
		broken(lawAudit, "the chain is broken")
	}
	effects := map[string]int{}
	for _, r := range s.audit {
		if r.Outcome == "ok" && !r.Replay {
			effects[r.Key]++
		}
	}
	for _, t := range slices.SortedFunc(slices.Values(h.told("")), func(a, b told) int { return cmp.Compare(a.key, b.key) }) {
		if n := effects[t.key]; n != 1 {
			broken(lawAudit, "%s has %d records of an effect", t.key, n)
		}
	}
}
