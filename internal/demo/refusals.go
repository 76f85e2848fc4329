package demo

import (
	"context"
	"fmt"
	"strings"

	"ambit/api/client"
	"ambit/internal/fault"
	"ambit/scopes"
)

// refusals tries what the agent may not do. Each must be refused with its code.
func (w *Walk) refusals(ctx context.Context) error {
	for _, try := range []func(context.Context) error{
		w.promote, w.otherWorkspace, w.hostileSQL, w.fourthRun, w.stalePlan, w.otherBody,
	} {
		if err := try(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refused prints a refusal, or fails if it is not the one that must come.
func (w *Walk) refused(what string, got fault.Code, want fault.Code, detail string) error {
	if got != want {
		return fmt.Errorf("%s: got %q, want %q: %s", what, got, want, detail)
	}
	w.say("agent", "builder", "refused", "%-28s %d %s: %s", what, got.Status(), got, detail)
	return nil
}

// mustRefuse calls a tool that has to be refused with the code.
func (w *Walk) mustRefuse(ctx context.Context, what string, want fault.Code, tool string, args map[string]any) error {
	r, err := w.agent.call(ctx, tool, args)
	if err != nil {
		return err
	}
	if !r.refused {
		return fmt.Errorf("%s was not refused", what)
	}
	return w.refused(what, fault.Code(r.str("code")), want, r.str("detail"))
}

// promote has no tool, so the agent tries the route itself.
func (w *Walk) promote(ctx context.Context) error {
	c, err := client.New(w.URL, nil)
	if err != nil {
		return err
	}
	_, err = c.As(client.Caller{Bearer: w.token, Host: "ambit-demo-agent"}).
		Call(ctx, scopes.ModelPromote, map[string]string{"id": w.model}, nil, map[string]any{"confirm": "credit-first", "reason": "It is the best one."})
	return w.refused("promote its own model", fault.CodeOf(err), fault.HumanOnly, fault.From(err).Detail)
}

func (w *Walk) otherWorkspace(ctx context.Context) error {
	return w.mustRefuse(ctx, "read another workspace", fault.NotFound, "query", map[string]any{"workspace_id": w.foreign, "sql": "SELECT 1"})
}

// hostile is SQL that looks past its sandbox, and how it is refused.
var hostile = []struct {
	what, sql string
	want      fault.Code
}{
	{"SQL that reads a file", "SELECT * FROM read_csv('/etc/passwd')", fault.FunctionNotAllowed},
	{"SQL that names a file", "SELECT * FROM '/etc/passwd'", fault.UnknownTable},
	{"SQL that writes", "COPY credit TO '/tmp/credit.csv'", fault.NotSelect},
	{"SQL with a second statement", "SELECT 1; SELECT 2", fault.MultipleStatements},
	{"SQL that reads settings", "SELECT current_setting('secret_directory')", fault.FunctionNotAllowed},
}

func (w *Walk) hostileSQL(ctx context.Context) error {
	for _, h := range hostile {
		if err := w.mustRefuse(ctx, h.what, h.want, "query", map[string]any{"workspace_id": w.workspace, "sql": h.sql}); err != nil {
			return err
		}
	}
	return nil
}

// fourthRun has three runs going and asks for a fourth.
func (w *Walk) fourthRun(ctx context.Context) error {
	var started []string
	for i := range 3 {
		plan, err := w.plan(ctx, fmt.Sprintf("of three, number %d", i+1))
		if err != nil {
			return err
		}
		run, err := w.must(ctx, "launch_plan", map[string]any{"plan_id": plan}, func(r result) string { return r.str("run_id") })
		if err != nil {
			return err
		}
		started = append(started, run.str("run_id"))
	}
	fourth, err := w.plan(ctx, "one too many")
	if err != nil {
		return err
	}
	if err := w.mustRefuse(ctx, "start a fourth run of three", fault.BudgetExceeded, "launch_plan", map[string]any{"plan_id": fourth}); err != nil {
		return err
	}
	for _, run := range started {
		if _, err := w.must(ctx, "run", map[string]any{"action": "abort", "run_id": run}, func(r result) string { return r.str("id") + " asked to stop" }); err != nil {
			return err
		}
	}
	return nil
}

// plan makes a plan with a budget of time that outlasts the demo.
func (w *Walk) plan(ctx context.Context, note string) (string, error) {
	args := with(w.planArgs(note), "budget", map[string]any{"time_s": 600})
	r, err := w.must(ctx, "plan", args, func(r result) string { return r.str("id") + " " + r.str("state") })
	return r.str("id"), err
}

// stalePlan launches a plan whose data a person has replaced.
func (w *Walk) stalePlan(ctx context.Context) error {
	plan, err := w.plan(ctx, "soon stale")
	if err != nil {
		return err
	}
	smaller := table{"credit", []byte(strings.Join(strings.SplitAfter(string(creditG), "\n")[:901], ""))}
	if _, err := w.host.upload(ctx, w.workspace, w.datasets["credit"], smaller); err != nil {
		return err
	}
	w.say("cli", "", "dataset", "credit: a person replaces it with its first 900 rows")
	return w.mustRefuse(ctx, "launch a stale plan", fault.PlanStale, "launch_plan", map[string]any{"plan_id": plan})
}

// otherBody repeats a key with another request.
func (w *Walk) otherBody(ctx context.Context) error {
	const key = "demo-key-1"
	args := with(w.planArgs("under a key of its own"), "idempotency_key", key)
	first, err := w.must(ctx, "plan", args, func(r result) string { return r.str("id") + " under the key " + key })
	if err != nil {
		return err
	}
	again, err := w.must(ctx, "plan", args, func(r result) string { return r.str("id") + ": the same answer again, no second plan" })
	if err != nil {
		return err
	}
	if first.str("id") != again.str("id") {
		return fmt.Errorf("a repeated key made another plan: %s and %s", first.str("id"), again.str("id"))
	}
	return w.mustRefuse(ctx, "use a key for something else", fault.KeyReused, "plan", with(args, "note", "another body"))
}
