package killtest

import (
	"slices"
	"testing"
	"time"
)

// day is when the histories of these tests happen.
var day = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// sound is a history without fault: two plans were made, both were launched, one
// run lost its workers, and one launch was answered a second time.
func sound() (*history, state) {
	h := &history{all: []told{
		{key: "plan-a", status: 201, id: "pl_a"}, {key: "launch-a", status: 201, id: "run_a", plan: "pl_a", cut: 1},
		{key: "plan-b", status: 201, id: "pl_b", cut: 2}, {key: "launch-b", status: 201, id: "run_b", plan: "pl_b"},
	}}
	s := state{
		plans: []plan{{"pl_a", "launched", "run_a"}, {"pl_b", "launched", "run_b"}},
		runs: []run{
			{ID: "run_a", Plan: "pl_a", State: "succeeded", Created: day.Add(time.Hour), Events: events("queued", "running", "succeeded")},
			{ID: "run_b", Plan: "pl_b", State: "failed", Created: day.Add(time.Hour), Failure: &struct{ Code string }{"worker_lost"},
				Events: events("queued", "running", "queued", "running", "failed")},
		},
		audit: []record{
			{"plan-a", "plan:pl_a", "ok", false}, {"launch-a", "plan:pl_a", "ok", false}, {"launch-a", "plan:pl_a", "ok", true},
			{"plan-b", "plan:pl_b", "ok", false}, {"launch-b", "plan:pl_b", "budget_exceeded", false}, {"launch-b", "plan:pl_b", "ok", false},
		},
		intact: true, today: 2, day: day,
	}
	return h, s
}

// events are changes of state, one after the other.
func events(states ...string) (all []event) {
	for i, s := range states {
		e := event{Seq: int64(i + 1), Kind: "state"}
		e.Data.State = s
		all = append(all, e)
	}
	return all
}

func TestCheckOfASoundHistory(t *testing.T) {
	h, s := sound()
	upheld(t, check(h, s))
}

// Every law is broken by a doctored history, and the check says by what.
func TestCheckCatches(t *testing.T) {
	tests := []struct {
		name   string
		doctor func(h *history, s *state)
		want   []string
	}{
		{"a launch refused to the one who made it", func(h *history, _ *state) {
			h.all[1] = told{key: "launch-a", status: 409, code: "plan_already_launched", plan: "pl_a"}
		}, []string{lawAnswered + ": launch-a was answered 409 plan_already_launched"}},
		{"an answer without an id", func(h *history, _ *state) { h.all[1].id = "" },
			[]string{lawAnswered + ": launch-a was answered 201 "}},
		{"a plan made twice", func(_ *history, s *state) { s.plans = append(s.plans, plan{"pl_c", "ready", ""}) },
			[]string{lawOnePlan + ": nobody was told of plan pl_c"}},
		{"a plan that is gone, with its run", func(_ *history, s *state) { s.plans, s.runs, s.today = s.plans[:1], s.runs[:1], 1 }, []string{
			lawTrue + ": plan-b was told of plan pl_b, which is not there",
			lawTrue + ": launch-b was told of run run_b of plan pl_b, which is not there",
			lawOneRun + ": 2 launches made 1 runs",
		}},
		{"a run of no plan", func(_ *history, s *state) { s.runs[1].Plan = "pl_x" }, []string{
			lawOneRun + ": plan pl_b is launched and has 0 runs",
			lawOneRun + ": 1 runs are of plan pl_x, which is not there",
			lawTrue + ": launch-b was told of run run_b of plan pl_b, which is not there",
		}},
		{"a plan run twice", func(_ *history, s *state) {
			twin := s.runs[0]
			twin.ID = "run_c"
			s.runs, s.today = append(s.runs, twin), 3
		}, []string{
			lawOneRun + ": plan pl_a is launched and has 2 runs",
			lawOneRun + ": 2 launches made 3 runs",
		}},
		{"a run that was lost", func(_ *history, s *state) { s.runs, s.today = s.runs[:1], 1 }, []string{
			lawOneRun + ": plan pl_b is launched and has 0 runs",
			lawTrue + ": launch-b was told of run run_b of plan pl_b, which is not there",
			lawOneRun + ": 2 launches made 1 runs",
		}},
		{"a run of a plan that was not launched", func(_ *history, s *state) { s.plans[0].State = "ready" },
			[]string{lawOneRun + ": plan pl_a is ready and has 1 runs"}},
		{"another run than the plan says", func(_ *history, s *state) { s.plans[0].Run = "run_x" },
			[]string{lawOneRun + ": plan pl_a names run run_x and has run_a"}},
		{"another run than was told", func(h *history, _ *state) { h.all[1].id = "run_x" },
			[]string{lawTrue + ": launch-a was told of run run_x of plan pl_a, which is not there"}},
		{"a run that ended twice", func(_ *history, s *state) {
			s.runs[0].Events = events("queued", "running", "succeeded", "running", "succeeded")
		}, []string{lawEnds + ": run run_a is succeeded, ended 2 times, and says succeeded last"}},
		{"a run that says otherwise", func(_ *history, s *state) { s.runs[0].Events = events("queued", "running", "failed") },
			[]string{lawEnds + ": run run_a is succeeded, ended 1 times, and says failed last"}},
		{"an event that is gone", func(_ *history, s *state) { s.runs[0].Events[2].Seq = 4 },
			[]string{lawEnds + ": run run_a: event 3 has the number 4"}},
		{"a run that failed of itself", func(_ *history, s *state) { s.runs[1].Failure = nil },
			[]string{lawEnds + ": run run_b is failed: <nil>"}},
		{"a slot that leaked", func(_ *history, s *state) { s.running = 1 },
			[]string{lawBudget + ": 1 runs are counted as running and 2 of today, want 0 and 2"}},
		{"a run charged twice", func(_ *history, s *state) { s.today = 3 },
			[]string{lawBudget + ": 0 runs are counted as running and 3 of today, want 0 and 2"}},
		{"a run of yesterday", func(_ *history, s *state) { s.runs[0].Created, s.today = day.Add(-time.Second), 1 }, nil},
		{"a log with a gap", func(_ *history, s *state) { s.intact = false }, []string{lawAudit + ": the chain is broken"}},
		{"an effect without a record", func(_ *history, s *state) { s.audit = s.audit[1:] },
			[]string{lawAudit + ": plan-a has 0 records of an effect"}},
		{"an effect with two records", func(_ *history, s *state) { s.audit[2].Replay = false },
			[]string{lawAudit + ": launch-a has 2 records of an effect"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, s := sound()
			tt.doctor(h, &s)
			var got []string
			for _, f := range check(h, s) {
				got = append(got, f.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
