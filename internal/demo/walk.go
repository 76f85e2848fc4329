package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ambit/api/client"
)

// Walk is the demo: what a person sets up, what the agent then does, and what it
// is refused.
type Walk struct {
	Operator *client.Client // the host's operator, who sets up
	URL      string         // of the server, as an agent reaches it
	Wire     *Wire          // the server's log
	Out      io.Writer

	host      host
	agent     *agent
	workspace string
	foreign   string
	person    string
	tokenID   string
	token     string
	datasets  map[string]string // ids by name
	step      int
	best      result // the leaderboard of the first run
	run       string // the first run
	model     string
}

// Run walks through the demo. An error means that something did not go as it must.
func (w *Walk) Run(ctx context.Context) error {
	w.host = host{w.Operator}
	for _, part := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"A person sets up a workspace, uploads data and mints a builder token", w.setUp},
		{"The agent does the main job, over MCP, with that token and nothing else", w.mainJob},
		{"The agent is refused what it may not do", w.refusals},
		{"The leaderboard of the run", w.leaderboard},
		{"The audit log of the walk", w.auditLog},
	} {
		fmt.Fprintf(w.Out, "\n%s\n%s\n", part.title, strings.Repeat("─", len(part.title)))
		if err := part.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// SignIn returns a one-time link that signs the demo's admin in.
func (w *Walk) SignIn(ctx context.Context) (secret string, err error) {
	return w.host.link(ctx, w.person)
}

// Token is the agent's token, for a snippet that a person can paste.
func (w *Walk) Token() string { return w.token }

func (w *Walk) setUp(ctx context.Context) (err error) {
	if w.person, err = w.host.admin(ctx, "admin@example.com"); err != nil {
		return err
	}
	if w.workspace, err = w.host.workspace(ctx, "Sample", "Predict which credits go bad."); err != nil {
		return err
	}
	if w.foreign, err = w.host.workspace(ctx, "Another team", ""); err != nil {
		return err
	}
	w.datasets = map[string]string{}
	for _, t := range Sample() {
		if w.datasets[t.name], err = w.host.upload(ctx, w.workspace, "", t); err != nil {
			return err
		}
		w.say("cli", "", "dataset", "%s: %s", t.name, w.datasets[t.name])
	}
	if w.tokenID, w.token, err = w.host.token(ctx, w.workspace); err != nil {
		return err
	}
	w.say("cli", "", "token", "%s: builder, bound to %s, 3 runs at a time, 50 a day", w.tokenID, w.workspace)
	w.Wire.take()
	return nil
}

// say prints a line of the walk.
func (w *Walk) say(who, scope, what, format string, args ...any) {
	w.step++
	fmt.Fprintf(w.Out, "%3d  %-5s %-8s %-16s %s\n", w.step, who, scope, what, fmt.Sprintf(format, args...))
	for _, call := range w.Wire.take() {
		fmt.Fprintf(w.Out, "%38s wire: %s\n", "", call)
	}
}

// scopeOf names the scope that each tool asks for.
var scopeOf = map[string]string{"plan": "builder", "launch_plan": "builder", "run": "builder", "model": "builder", "what_if": "compute"}

// must calls a tool that has to succeed.
func (w *Walk) must(ctx context.Context, tool string, args map[string]any, show func(result) string) (result, error) {
	r, err := w.agent.call(ctx, tool, args)
	if err != nil {
		return r, err
	}
	if r.refused {
		return r, fmt.Errorf("%s was refused: %s", tool, r.text)
	}
	w.say("agent", scopeName(tool), tool, "%s", show(r))
	return r, nil
}

func scopeName(tool string) string {
	if s, ok := scopeOf[tool]; ok {
		return s
	}
	return "read"
}

func (w *Walk) leaderboard(context.Context) error {
	t := tabwriter.NewWriter(w.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rank\tname\tfamily\tcv\tse\tover floor\tflags")
	for _, row := range w.best.list("rows") {
		fmt.Fprintf(t, "%v\t%v\t%v\t%s\t%s\t%s\t%v\n", row["rank"], row["name"], row["family"], num(row["cv"]), num(row["se"]), num(row["over_floor"]), flags(row["flags"]))
	}
	return t.Flush()
}

func num(v any) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.4f", f)
	}
	return "–"
}

func flags(v any) string {
	list, _ := v.([]any)
	return strings.Trim(fmt.Sprint(list...), "[]")
}

// auditLog shows what the log holds of the agent, and that its chain is whole.
func (w *Walk) auditLog(ctx context.Context) error {
	records, err := w.host.audit(ctx, "token:"+w.tokenID)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return fmt.Errorf("the audit log holds nothing of the agent")
	}
	t := tabwriter.NewWriter(w.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "seq\tprincipal\ttool\troute\toutcome")
	for i := len(records) - 1; i >= 0; i-- {
		r := records[i]
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\n", r.Seq, r.Principal, r.Tool, r.Route, r.ending())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	intact, n, err := w.host.verify(ctx)
	if err != nil {
		return err
	}
	if !intact {
		return fmt.Errorf("the audit log is not intact")
	}
	fmt.Fprintf(w.Out, "The chain of %d records is intact.\n", n)
	return nil
}
