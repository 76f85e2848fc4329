package mcp

import (
	"time"

	"ambit/scopes"
)

// Tools is the one list of tools.
var Tools = []Tool{
	// read
	tool(Tool{
		Name: "brief", Title: "Workspace brief", Scope: scopes.Read,
		Calls:       []scopes.RouteID{scopes.WorkspaceBrief},
		Description: "What a workspace holds, what you may do and what makes sense next. Call it first.",
		Untrusted: []string{"workspace.name", "workspace.goal", "datasets[].name", "datasets[].columns[]",
			"plans[].target", "models[].name"},
	}, brief),
	tool(Tool{
		Name: "list_resources", Title: "List resources", Scope: scopes.Read,
		Calls:       []scopes.RouteID{scopes.Workspaces, scopes.Resources},
		Description: "Without arguments: your workspaces. With workspace_id: its datasets, plans, runs and models, newest first.",
		Untrusted:   []string{"items[].name", "items[].goal"},
	}, listResources),
	tool(Tool{
		Name: "get_resource", Title: "Get a resource", Scope: scopes.Read,
		Calls:       []scopes.RouteID{scopes.ResourceGet},
		Description: "One dataset, plan, run, leaderboard (by run id) or model in full.",
		Untrusted:   []string{"data"},
	}, getResource),
	tool(Tool{
		Name: "query", Title: "Query with SQL", Scope: scopes.Read,
		Calls:       []scopes.RouteID{scopes.Query},
		Description: "Run one SELECT (DuckDB dialect) over the datasets of a workspace; a dataset's name is its table's. Read-only, 10 s.",
		Untrusted:   []string{"columns[].name", "rows"},
	}, query),
	tool(Tool{
		Name: "profile", Title: "Profile a dataset", Scope: scopes.Read,
		Calls:       []scopes.RouteID{scopes.Profile},
		Description: "Types, missing values, ranges, frequent values and warnings of a dataset's columns.",
		Untrusted:   []string{"profile.columns", "profile.warnings"},
	}, profile),
	tool(Tool{
		Name: "evaluation", Title: "Evaluate a model", Scope: scopes.Read,
		Calls:       []scopes.RouteID{scopes.ModelEvaluation},
		Description: "How good a registered model is, by cross-validation: metrics with intervals, curves, calibration.",
		Untrusted:   []string{"binary.positive", "binary.negative", "multiclass", "regression.worst"},
	}, evaluation),
	tool(Tool{
		Name: "run_status", Title: "Run status", Scope: scopes.Read,
		Calls:       []scopes.RouteID{scopes.RunGet, scopes.RunLeaderboard},
		Description: "How far a run is; waits up to 20 s for it to end. Or its leaderboard.",
		Untrusted:   []string{"failure.detail", "rows[].failure.detail"},
		Deadline:    40 * time.Second,
	}, runStatus),

	// compute
	tool(Tool{
		Name: "what_if", Title: "Score rows", Scope: scopes.Compute,
		Calls:       []scopes.RouteID{scopes.ModelScore},
		Description: "What a registered model predicts for up to 100 rows that you make up. Nothing is stored.",
		Untrusted:   []string{"predictions[].class", "predictions[].probabilities", "predictions[].flags"},
	}, whatIf),

	// builder
	tool(Tool{
		Name: "plan", Title: "Make or cancel a plan", Scope: scopes.Builder,
		Actions: []Action{{"create", scopes.PlanCreate}, {"cancel", scopes.PlanCancel}},
		Description: "create: store a plan to train, checked and resolved in full; nothing runs yet. cancel: drop a plan that was not launched. " +
			"Creating again makes another plan.",
		Untrusted: []string{"note", "hypothesis", "created_by.tool", "created_by.host", "spec.target", "spec.positive",
			"spec.classes[].value", "spec.features[].name", "spec.ignored[].name", "spec.warnings[].msg"},
	}, plan),
	tool(Tool{
		Name: "launch_plan", Title: "Launch a plan", Scope: scopes.Builder,
		Calls:       []scopes.RouteID{scopes.PlanLaunch},
		Description: "Start the run of a stored plan, once; it takes a run from your budget. Then follow it with run_status.",
	}, launchPlan),
	tool(Tool{
		Name: "run", Title: "Abort a run", Scope: scopes.Builder,
		Actions:     []Action{{"abort", scopes.RunAbort}},
		Description: "abort: stop a run and keep its finished trials.",
		Untrusted:   []string{"failure.detail"},
	}, run),
	tool(Tool{
		Name: "model", Title: "Register a model", Scope: scopes.Builder,
		Actions:     []Action{{"register", scopes.ModelRegister}},
		Description: "register: make a model of a finished trial, under a new name. Registering again makes another model. Promoting one is a person's.",
		Untrusted:   []string{"name", "trial_name", "target"},
	}, model),
}

// keyed is what every builder tool takes besides its own arguments.
type keyed struct {
	Key string `json:"idempotency_key,omitempty" doc:"Leave out to act; give back a returned key to repeat an act without doing it again." rule:"ascii,max=255"`
}
