package scopes

// Route ids.
const (
	Healthz                RouteID = "healthz"
	Readyz                 RouteID = "readyz"
	Version                RouteID = "version"
	OpenAPI                RouteID = "openapi"
	Docs                   RouteID = "docs"
	Health                 RouteID = "health"
	Contract               RouteID = "contract"
	AuthSetup              RouteID = "auth_setup"
	AuthLogin              RouteID = "auth_login"
	AuthLogout             RouteID = "auth_logout"
	AuthLink               RouteID = "auth_link"
	AuthOIDCStart          RouteID = "auth_oidc_start"
	AuthOIDCCallback       RouteID = "auth_oidc_callback"
	AuthStepUp             RouteID = "auth_step_up"
	AuthPassword           RouteID = "auth_password"
	AuthSessions           RouteID = "auth_sessions"
	AuthSessionRevoke      RouteID = "auth_session_revoke"
	AuthMe                 RouteID = "auth_me"
	AuditRefusals          RouteID = "audit_refusals"
	Workspaces             RouteID = "workspaces"
	WorkspaceCreate        RouteID = "workspace_create"
	WorkspaceGet           RouteID = "workspace_get"
	WorkspacePatch         RouteID = "workspace_patch"
	WorkspaceDelete        RouteID = "workspace_delete"
	WorkspaceBrief         RouteID = "workspace_brief"
	WorkspaceStage         RouteID = "workspace_stage"
	Resources              RouteID = "resources"
	ResourceGet            RouteID = "resource_get"
	WorkspaceEvents        RouteID = "workspace_events"
	Query                  RouteID = "query"
	Profile                RouteID = "profile"
	DataKB                 RouteID = "data_kb"
	CompareExperiments     RouteID = "compare_experiments"
	CompareModels          RouteID = "compare_models"
	CompareDatasets        RouteID = "compare_datasets"
	Datasets               RouteID = "datasets"
	DatasetCreate          RouteID = "dataset_create"
	DatasetGet             RouteID = "dataset_get"
	DatasetPreview         RouteID = "dataset_preview"
	DatasetEDA             RouteID = "dataset_eda"
	DatasetRoles           RouteID = "dataset_roles"
	DatasetFindings        RouteID = "dataset_findings"
	DatasetVersionCreate   RouteID = "dataset_version_create"
	DatasetPatch           RouteID = "dataset_patch"
	DatasetRolesPut        RouteID = "dataset_roles_put"
	DatasetDescriptionsPut RouteID = "dataset_descriptions_put"
	DatasetEDARun          RouteID = "dataset_eda_run"
	LeakageScanCreate      RouteID = "leakage_scan_create"
	DatasetProbe           RouteID = "dataset_probe"
	DatasetDelete          RouteID = "dataset_delete"
	LeakageScanGet         RouteID = "leakage_scan_get"
	FindingGet             RouteID = "finding_get"
	FindingTriage          RouteID = "finding_triage"
	FindingConfirm         RouteID = "finding_confirm"
	FindingReject          RouteID = "finding_reject"
	Sources                RouteID = "sources"
	SourceTables           RouteID = "source_tables"
	SourceCreate           RouteID = "source_create"
	SourcePatch            RouteID = "source_patch"
	SourceDelete           RouteID = "source_delete"
	Recipes                RouteID = "recipes"
	RecipeGet              RouteID = "recipe_get"
	RecipeVersions         RouteID = "recipe_versions"
	RecipeCreate           RouteID = "recipe_create"
	RecipePatch            RouteID = "recipe_patch"
	RecipeIterate          RouteID = "recipe_iterate"
	RecipePreview          RouteID = "recipe_preview"
	RecipeRetarget         RouteID = "recipe_retarget"
	RecipeMoment           RouteID = "recipe_moment"
	RecipeMaterialise      RouteID = "recipe_materialise"
	RecipeRefresh          RouteID = "recipe_refresh"
	RecipeDelete           RouteID = "recipe_delete"
	Plans                  RouteID = "plans"
	PlanGet                RouteID = "plan_get"
	PlanDiff               RouteID = "plan_diff"
	PlanCreate             RouteID = "plan_create"
	PlanCancel             RouteID = "plan_cancel"
	PlanLaunch             RouteID = "plan_launch"
	PlanDelete             RouteID = "plan_delete"
	Runs                   RouteID = "runs"
	RunGet                 RouteID = "run_get"
	RunLeaderboard         RouteID = "run_leaderboard"
	RunLog                 RouteID = "run_log"
	RunEvents              RouteID = "run_events"
	RunAbort               RouteID = "run_abort"
	RunReplicate           RouteID = "run_replicate"
	ModelRegister          RouteID = "model_register"
	RunDelete              RouteID = "run_delete"
	JobGet                 RouteID = "job_get"
	JobCancel              RouteID = "job_cancel"
	Models                 RouteID = "models"
	ModelGet               RouteID = "model_get"
	ModelEvaluation        RouteID = "model_evaluation"
	ModelExplanations      RouteID = "model_explanations"
	ModelAutodoc           RouteID = "model_autodoc"
	ModelScore             RouteID = "model_score"
	ModelSimulate          RouteID = "model_simulate"
	ModelExplain           RouteID = "model_explain"
	ModelAutodocBuild      RouteID = "model_autodoc_build"
	ModelPublish           RouteID = "model_publish"
	ModelUnpublish         RouteID = "model_unpublish"
	ModelBatchScore        RouteID = "model_batch_score"
	ModelProposePromotion  RouteID = "model_propose_promotion"
	ModelUnsealHoldout     RouteID = "model_unseal_holdout"
	ModelDecisionPolicy    RouteID = "model_decision_policy"
	ModelPromote           RouteID = "model_promote"
	ModelRollback          RouteID = "model_rollback"
	ModelDelete            RouteID = "model_delete"
	PromotionProposalGet   RouteID = "promotion_proposal_get"
	BatchScoreGet          RouteID = "batch_score_get"
	BatchScoreRows         RouteID = "batch_score_rows"
	BatchScoreDownload     RouteID = "batch_score_download"
	PredictionImport       RouteID = "prediction_import"
	ModelImport            RouteID = "model_import"
	Gates                  RouteID = "gates"
	GateGet                RouteID = "gate_get"
	GateDecide             RouteID = "gate_decide"
	AgentSessionCreate     RouteID = "agent_session_create"
	AgentSessionGet        RouteID = "agent_session_get"
	AgentSessionDelete     RouteID = "agent_session_delete"
	AgentSessionPolicy     RouteID = "agent_session_policy"
	Tokens                 RouteID = "tokens"
	TokenMint              RouteID = "token_mint"
	TokenRevoke            RouteID = "token_revoke"
	People                 RouteID = "people"
	PersonCreate           RouteID = "person_create"
	PersonPatch            RouteID = "person_patch"
	PersonLink             RouteID = "person_link"
	Settings               RouteID = "settings"
	SettingsPut            RouteID = "settings_put"
	Audit                  RouteID = "audit"
	AuditExport            RouteID = "audit_export"
	AuditVerify            RouteID = "audit_verify"
	MCPServers             RouteID = "mcp_servers"
	MCPServerGet           RouteID = "mcp_server_get"
	MCPServerCreate        RouteID = "mcp_server_create"
	MCPServerPatch         RouteID = "mcp_server_patch"
	MCPServerDelete        RouteID = "mcp_server_delete"
	MCPServerTest          RouteID = "mcp_server_test"
	MCPServerDiscover      RouteID = "mcp_server_discover"
	MCPServerInvoke        RouteID = "mcp_server_invoke"
	MCPServerTools         RouteID = "mcp_server_tools"
	MCPServerReadiness     RouteID = "mcp_server_readiness"
	MCPToolPolicy          RouteID = "mcp_tool_policy"
	MCPToolCases           RouteID = "mcp_tool_cases"
	MCPToolCalibrate       RouteID = "mcp_tool_calibrate"
	Workflows              RouteID = "workflows"
	WorkflowGet            RouteID = "workflow_get"
	WorkflowRunGet         RouteID = "workflow_run_get"
	WorkflowCreate         RouteID = "workflow_create"
	WorkflowVersionCreate  RouteID = "workflow_version_create"
	WorkflowPreflight      RouteID = "workflow_preflight"
	WorkflowAliasPut       RouteID = "workflow_alias_put"
	WorkflowRun            RouteID = "workflow_run"
	MCP                    RouteID = "mcp"
	SessionMCP             RouteID = "session_mcp"
)

// Routes is the API: the only list of routes there is.
var Routes = []Route{
	// health and documents
	{ID: Healthz, Method: "GET", Path: "/healthz", Class: ClassPublic, Bound: BoundNone},
	{ID: Readyz, Method: "GET", Path: "/readyz", Class: ClassPublic, Bound: BoundNone},
	{ID: Version, Method: "GET", Path: "/api/version", Class: ClassPublic, Bound: BoundNone},
	{ID: OpenAPI, Method: "GET", Path: "/api/openapi.json", Class: ClassPublic, Bound: BoundNone},
	{ID: Docs, Method: "GET", Path: "/api/docs", Class: ClassPublic, Bound: BoundNone, Planned: true},
	{ID: Health, Method: "GET", Path: "/api/health", Class: ClassPerson, Role: Viewer, Bound: BoundNone},
	{ID: Contract, Method: "GET", Path: "/api/contract", Class: ClassRead, Bound: BoundNone},

	// signing in
	{ID: AuthSetup, Method: "POST", Path: "/api/auth/setup", Class: ClassPublic, Bound: BoundNone},
	{ID: AuthLogin, Method: "POST", Path: "/api/auth/login", Class: ClassPublic, Bound: BoundNone},
	{ID: AuthLogout, Method: "POST", Path: "/api/auth/logout", Class: ClassPublic, Bound: BoundNone},
	{ID: AuthLink, Method: "POST", Path: "/api/auth/link", Class: ClassPublic, Bound: BoundNone},
	{ID: AuthOIDCStart, Method: "GET", Path: "/api/auth/oidc/start", Class: ClassPublic, Bound: BoundNone, Planned: true},
	{ID: AuthOIDCCallback, Method: "GET", Path: "/api/auth/oidc/callback", Class: ClassPublic, Bound: BoundNone, Planned: true},
	{ID: AuthStepUp, Method: "POST", Path: "/api/auth/step-up", Class: ClassPerson, Role: Viewer, Bound: BoundNone},
	{ID: AuthPassword, Method: "POST", Path: "/api/auth/password", Class: ClassPerson, Role: Viewer, Bound: BoundNone},
	{ID: AuthSessions, Method: "GET", Path: "/api/auth/sessions", Class: ClassPerson, Role: Viewer, Bound: BoundNone},
	{ID: AuthSessionRevoke, Method: "POST", Path: "/api/auth/sessions/{id}/revoke", Class: ClassPerson, Role: Viewer, Bound: BoundNone},
	{ID: AuthMe, Method: "GET", Path: "/api/auth/me", Class: ClassRead, Bound: BoundNone},
	{ID: AuditRefusals, Method: "POST", Path: "/api/audit/refusals", Class: ClassRead, Bound: BoundNone},

	// workspaces
	{ID: Workspaces, Method: "GET", Path: "/api/workspaces", Class: ClassRead, Bound: BoundAll},
	{ID: WorkspaceCreate, Method: "POST", Path: "/api/workspaces", Class: ClassPerson, Role: Admin, Bound: BoundNone, CLI: true},
	{ID: WorkspaceGet, Method: "GET", Path: "/api/workspaces/{ws}", Class: ClassRead, Bound: BoundPath},
	{ID: WorkspacePatch, Method: "PATCH", Path: "/api/workspaces/{ws}", Class: ClassPerson, Role: Admin, Bound: BoundPath, Planned: true},
	{ID: WorkspaceDelete, Method: "DELETE", Path: "/api/workspaces/{ws}", Class: ClassPerson, Role: Admin, Bound: BoundPath, StepUp: true, Planned: true},
	{ID: WorkspaceBrief, Method: "POST", Path: "/api/workspaces/{ws}/brief", Class: ClassReadPost, Bound: BoundPath},
	{ID: WorkspaceStage, Method: "POST", Path: "/api/workspaces/{ws}/stage", Class: ClassPerson, Role: Operator, Bound: BoundPath, Planned: true},
	{ID: Resources, Method: "GET", Path: "/api/workspaces/{ws}/resources", Class: ClassRead, Bound: BoundPath},
	{ID: ResourceGet, Method: "GET", Path: "/api/workspaces/{ws}/resources/{kind}/{id}", Class: ClassRead, Bound: BoundPath},
	{ID: WorkspaceEvents, Method: "GET", Path: "/api/workspaces/{ws}/events", Class: ClassRead, Bound: BoundPath, Stream: true, Planned: true},

	// questions on data
	{ID: Query, Method: "POST", Path: "/api/query", Class: ClassReadPost, Bound: BoundBody},
	{ID: Profile, Method: "POST", Path: "/api/profile", Class: ClassReadPost, Bound: BoundBody},
	{ID: DataKB, Method: "POST", Path: "/api/data-kb", Class: ClassReadPost, Bound: BoundBody, Planned: true},
	{ID: CompareExperiments, Method: "POST", Path: "/api/compare/experiments", Class: ClassReadPost, Bound: BoundBody, Planned: true},
	{ID: CompareModels, Method: "POST", Path: "/api/compare/models", Class: ClassReadPost, Bound: BoundBody, Planned: true},
	{ID: CompareDatasets, Method: "POST", Path: "/api/compare/datasets", Class: ClassCompute, Bound: BoundBody, Planned: true},

	// datasets
	{ID: Datasets, Method: "GET", Path: "/api/workspaces/{ws}/datasets", Class: ClassRead, Bound: BoundPath},
	{ID: DatasetCreate, Method: "POST", Path: "/api/workspaces/{ws}/datasets", Class: ClassPerson, Role: Operator, Bound: BoundPath, CLI: true, Upload: true},
	{ID: DatasetGet, Method: "GET", Path: "/api/datasets/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "dataset"},
	{ID: DatasetPreview, Method: "GET", Path: "/api/datasets/{id}/preview", Class: ClassRead, Bound: BoundEntity, Entity: "dataset"},
	{ID: DatasetEDA, Method: "GET", Path: "/api/datasets/{id}/eda", Class: ClassRead, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: DatasetRoles, Method: "GET", Path: "/api/datasets/{id}/roles", Class: ClassRead, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: DatasetFindings, Method: "GET", Path: "/api/datasets/{id}/findings", Class: ClassRead, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: DatasetVersionCreate, Method: "POST", Path: "/api/datasets/{id}/versions", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "dataset", CLI: true, Upload: true},
	{ID: DatasetPatch, Method: "PATCH", Path: "/api/datasets/{id}", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "dataset", CLI: true, Planned: true},
	{ID: DatasetRolesPut, Method: "PUT", Path: "/api/datasets/{id}/roles", Class: ClassBuilder, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: DatasetDescriptionsPut, Method: "PUT", Path: "/api/datasets/{id}/descriptions", Class: ClassBuilder, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: DatasetEDARun, Method: "POST", Path: "/api/datasets/{id}/eda", Class: ClassBuilder, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: LeakageScanCreate, Method: "POST", Path: "/api/datasets/{id}/leakage-scans", Class: ClassBuilder, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: DatasetProbe, Method: "POST", Path: "/api/datasets/{id}/probes/{probe}", Class: ClassCompute, Bound: BoundEntity, Entity: "dataset", Planned: true},
	{ID: DatasetDelete, Method: "DELETE", Path: "/api/datasets/{id}", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "dataset", StepUp: true},

	// leakage
	{ID: LeakageScanGet, Method: "GET", Path: "/api/leakage-scans/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "leakage_scan", Planned: true},
	{ID: FindingGet, Method: "GET", Path: "/api/findings/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "finding", Planned: true},
	{ID: FindingTriage, Method: "POST", Path: "/api/findings/{id}/triage", Class: ClassBuilder, Bound: BoundEntity, Entity: "finding", Planned: true},
	{ID: FindingConfirm, Method: "POST", Path: "/api/findings/{id}/confirm", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "finding", Planned: true},
	{ID: FindingReject, Method: "POST", Path: "/api/findings/{id}/reject", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "finding", Planned: true},

	// source databases
	{ID: Sources, Method: "GET", Path: "/api/workspaces/{ws}/sources", Class: ClassRead, Bound: BoundPath, Planned: true},
	{ID: SourceTables, Method: "GET", Path: "/api/sources/{id}/tables", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "source", Planned: true},
	{ID: SourceCreate, Method: "POST", Path: "/api/workspaces/{ws}/sources", Class: ClassPerson, Role: Admin, Bound: BoundPath, Planned: true},
	{ID: SourcePatch, Method: "PATCH", Path: "/api/sources/{id}", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "source", Planned: true},
	{ID: SourceDelete, Method: "DELETE", Path: "/api/sources/{id}", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "source", StepUp: true, Planned: true},

	// recipes
	{ID: Recipes, Method: "GET", Path: "/api/workspaces/{ws}/recipes", Class: ClassRead, Bound: BoundPath, Planned: true},
	{ID: RecipeGet, Method: "GET", Path: "/api/recipes/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeVersions, Method: "GET", Path: "/api/recipes/{id}/versions", Class: ClassRead, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeCreate, Method: "POST", Path: "/api/workspaces/{ws}/recipes", Class: ClassBuilder, Bound: BoundPath, Planned: true},
	{ID: RecipePatch, Method: "PATCH", Path: "/api/recipes/{id}", Class: ClassBuilder, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeIterate, Method: "POST", Path: "/api/recipes/{id}/iterate", Class: ClassBuilder, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipePreview, Method: "POST", Path: "/api/recipes/{id}/preview", Class: ClassBuilder, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeRetarget, Method: "POST", Path: "/api/recipes/{id}/retarget", Class: ClassBuilder, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeMoment, Method: "POST", Path: "/api/recipes/{id}/moment", Class: ClassBuilder, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeMaterialise, Method: "POST", Path: "/api/recipes/{id}/materialise", Class: ClassBuilder, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeRefresh, Method: "POST", Path: "/api/recipes/{id}/refresh", Class: ClassBuilder, Bound: BoundEntity, Entity: "recipe", Planned: true},
	{ID: RecipeDelete, Method: "DELETE", Path: "/api/recipes/{id}", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "recipe", StepUp: true, Planned: true},

	// plans
	{ID: Plans, Method: "GET", Path: "/api/workspaces/{ws}/plans", Class: ClassRead, Bound: BoundPath},
	{ID: PlanGet, Method: "GET", Path: "/api/plans/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "plan"},
	{ID: PlanDiff, Method: "GET", Path: "/api/plans/{id}/diff", Class: ClassRead, Bound: BoundEntity, Entity: "plan", Planned: true},
	{ID: PlanCreate, Method: "POST", Path: "/api/workspaces/{ws}/plans", Class: ClassBuilder, Bound: BoundPath, Trains: true},
	{ID: PlanCancel, Method: "POST", Path: "/api/plans/{id}/cancel", Class: ClassBuilder, Bound: BoundEntity, Entity: "plan"},
	{ID: PlanLaunch, Method: "POST", Path: "/api/plans/{id}/launch", Class: ClassBuilder, Bound: BoundEntity, Entity: "plan", Budgeted: true, Trains: true},
	{ID: PlanDelete, Method: "DELETE", Path: "/api/plans/{id}", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "plan", StepUp: true},

	// runs
	{ID: Runs, Method: "GET", Path: "/api/workspaces/{ws}/runs", Class: ClassRead, Bound: BoundPath},
	{ID: RunGet, Method: "GET", Path: "/api/runs/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "run"},
	{ID: RunLeaderboard, Method: "GET", Path: "/api/runs/{id}/leaderboard", Class: ClassRead, Bound: BoundEntity, Entity: "run"},
	{ID: RunLog, Method: "GET", Path: "/api/runs/{id}/log", Class: ClassRead, Bound: BoundEntity, Entity: "run"},
	{ID: RunEvents, Method: "GET", Path: "/api/runs/{id}/events", Class: ClassRead, Bound: BoundEntity, Entity: "run", Stream: true},
	{ID: RunAbort, Method: "POST", Path: "/api/runs/{id}/abort", Class: ClassBuilder, Bound: BoundEntity, Entity: "run"},
	{ID: RunReplicate, Method: "POST", Path: "/api/runs/{id}/replicate", Class: ClassBuilder, Bound: BoundEntity, Entity: "run", Trains: true, Planned: true},
	{ID: ModelRegister, Method: "POST", Path: "/api/runs/{id}/models", Class: ClassBuilder, Bound: BoundEntity, Entity: "run"},
	{ID: RunDelete, Method: "DELETE", Path: "/api/runs/{id}", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "run", StepUp: true},
	{ID: JobGet, Method: "GET", Path: "/api/jobs/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "job", Planned: true},
	{ID: JobCancel, Method: "POST", Path: "/api/jobs/{id}/cancel", Class: ClassCompute, Bound: BoundEntity, Entity: "job", Planned: true},

	// models
	{ID: Models, Method: "GET", Path: "/api/workspaces/{ws}/models", Class: ClassRead, Bound: BoundPath},
	{ID: ModelGet, Method: "GET", Path: "/api/models/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "model"},
	{ID: ModelEvaluation, Method: "GET", Path: "/api/models/{id}/evaluation", Class: ClassRead, Bound: BoundEntity, Entity: "model"},
	{ID: ModelExplanations, Method: "GET", Path: "/api/models/{id}/explanations", Class: ClassRead, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelAutodoc, Method: "GET", Path: "/api/models/{id}/autodoc", Class: ClassRead, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelScore, Method: "POST", Path: "/api/models/{id}/score", Class: ClassCompute, Bound: BoundEntity, Entity: "model"},
	{ID: ModelSimulate, Method: "POST", Path: "/api/models/{id}/simulations/{kind}", Class: ClassCompute, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelExplain, Method: "POST", Path: "/api/models/{id}/explanations", Class: ClassBuilder, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelAutodocBuild, Method: "POST", Path: "/api/models/{id}/autodoc", Class: ClassBuilder, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelPublish, Method: "POST", Path: "/api/models/{id}/publish", Class: ClassBuilder, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelUnpublish, Method: "POST", Path: "/api/models/{id}/unpublish", Class: ClassBuilder, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelBatchScore, Method: "POST", Path: "/api/models/{id}/batch-scores", Class: ClassBuilder, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelProposePromotion, Method: "POST", Path: "/api/models/{id}/promotion-proposals", Class: ClassBuilder, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelUnsealHoldout, Method: "POST", Path: "/api/models/{id}/unseal-holdout", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelDecisionPolicy, Method: "PUT", Path: "/api/models/{id}/decision-policy", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "model", Planned: true},
	{ID: ModelPromote, Method: "POST", Path: "/api/models/{id}/promote", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "model", StepUp: true},
	{ID: ModelRollback, Method: "POST", Path: "/api/models/{id}/rollback", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "model", StepUp: true, Planned: true},
	{ID: ModelDelete, Method: "DELETE", Path: "/api/models/{id}", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "model", StepUp: true},
	{ID: PromotionProposalGet, Method: "GET", Path: "/api/promotion-proposals/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "promotion_proposal", Planned: true},
	{ID: BatchScoreGet, Method: "GET", Path: "/api/batch-scores/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "batch_score", Planned: true},
	{ID: BatchScoreRows, Method: "GET", Path: "/api/batch-scores/{id}/rows", Class: ClassRead, Bound: BoundEntity, Entity: "batch_score", Planned: true},
	{ID: BatchScoreDownload, Method: "GET", Path: "/api/batch-scores/{id}/download", Class: ClassPerson, Role: Viewer, Bound: BoundEntity, Entity: "batch_score", Planned: true},
	{ID: PredictionImport, Method: "POST", Path: "/api/workspaces/{ws}/prediction-imports", Class: ClassBuilder, Bound: BoundPath, Planned: true},
	{ID: ModelImport, Method: "POST", Path: "/api/workspaces/{ws}/model-imports", Class: ClassPerson, Role: Admin, Bound: BoundPath, Planned: true},

	// gates and agent sessions
	{ID: Gates, Method: "GET", Path: "/api/workspaces/{ws}/gates", Class: ClassRead, Bound: BoundPath, Session: true, Planned: true},
	{ID: GateGet, Method: "GET", Path: "/api/gates/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "gate", Session: true, Planned: true},
	{ID: GateDecide, Method: "POST", Path: "/api/gates/{id}/decision", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "gate", Session: true, Planned: true},
	{ID: AgentSessionCreate, Method: "POST", Path: "/api/workspaces/{ws}/agent-sessions", Class: ClassPerson, Role: Operator, Bound: BoundPath, StepUp: true, Planned: true},
	{ID: AgentSessionGet, Method: "GET", Path: "/api/agent-sessions/{id}", Class: ClassPerson, Role: Viewer, Bound: BoundEntity, Entity: "agent_session", Planned: true},
	{ID: AgentSessionDelete, Method: "DELETE", Path: "/api/agent-sessions/{id}", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "agent_session", Planned: true},
	{ID: AgentSessionPolicy, Method: "PUT", Path: "/api/agent-sessions/{id}/policy", Class: ClassPerson, Role: Operator, Bound: BoundEntity, Entity: "agent_session", Planned: true},

	// administration
	{ID: Tokens, Method: "GET", Path: "/api/tokens", Class: ClassPerson, Role: Admin, Bound: BoundNone},
	{ID: TokenMint, Method: "POST", Path: "/api/tokens", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true, CLI: true},
	{ID: TokenRevoke, Method: "POST", Path: "/api/tokens/{id}/revoke", Class: ClassPerson, Role: Admin, Bound: BoundNone, CLI: true},
	{ID: People, Method: "GET", Path: "/api/people", Class: ClassPerson, Role: Admin, Bound: BoundNone},
	{ID: PersonCreate, Method: "POST", Path: "/api/people", Class: ClassPerson, Role: Admin, Bound: BoundNone, CLI: true},
	{ID: PersonPatch, Method: "PATCH", Path: "/api/people/{id}", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true},
	{ID: PersonLink, Method: "POST", Path: "/api/people/{id}/link", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true, CLI: true},
	{ID: Settings, Method: "GET", Path: "/api/settings", Class: ClassPerson, Role: Admin, Bound: BoundNone, Planned: true},
	{ID: SettingsPut, Method: "PUT", Path: "/api/settings", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true, Planned: true},
	{ID: Audit, Method: "GET", Path: "/api/audit", Class: ClassPerson, Role: Operator, Bound: BoundAll},
	{ID: AuditExport, Method: "GET", Path: "/api/audit/export", Class: ClassPerson, Role: Admin, Bound: BoundNone},
	{ID: AuditVerify, Method: "POST", Path: "/api/audit/verify", Class: ClassPerson, Role: Admin, Bound: BoundNone, CLI: true},

	// external MCP servers
	{ID: MCPServers, Method: "GET", Path: "/api/mcp-servers", Class: ClassPerson, Role: Operator, Bound: BoundNone, Planned: true},
	{ID: MCPServerGet, Method: "GET", Path: "/api/mcp-servers/{id}", Class: ClassPerson, Role: Operator, Bound: BoundNone, Planned: true},
	{ID: MCPServerCreate, Method: "POST", Path: "/api/mcp-servers", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true, Planned: true},
	{ID: MCPServerPatch, Method: "PATCH", Path: "/api/mcp-servers/{id}", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true, Planned: true},
	{ID: MCPServerDelete, Method: "DELETE", Path: "/api/mcp-servers/{id}", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true, Planned: true},
	{ID: MCPServerTest, Method: "POST", Path: "/api/mcp-servers/{id}/test-connection", Class: ClassPerson, Role: Admin, Bound: BoundNone, Planned: true},
	{ID: MCPServerDiscover, Method: "POST", Path: "/api/mcp-servers/{id}/discover-tools", Class: ClassPerson, Role: Admin, Bound: BoundNone, Planned: true},
	{ID: MCPServerInvoke, Method: "POST", Path: "/api/mcp-servers/{id}/invoke-tool", Class: ClassPerson, Role: Admin, Bound: BoundNone, Planned: true},
	{ID: MCPServerTools, Method: "GET", Path: "/api/mcp-servers/{id}/tools", Class: ClassPerson, Role: Operator, Bound: BoundNone, Planned: true},
	{ID: MCPServerReadiness, Method: "GET", Path: "/api/mcp-servers/{id}/readiness", Class: ClassPerson, Role: Operator, Bound: BoundNone, Planned: true},
	{ID: MCPToolPolicy, Method: "PATCH", Path: "/api/mcp-servers/{id}/tools/{tool}/policy", Class: ClassPerson, Role: Admin, Bound: BoundNone, StepUp: true, Planned: true},
	{ID: MCPToolCases, Method: "PUT", Path: "/api/mcp-servers/{id}/tools/{tool}/test-cases", Class: ClassPerson, Role: Operator, Bound: BoundNone, Planned: true},
	{ID: MCPToolCalibrate, Method: "POST", Path: "/api/mcp-servers/{id}/tools/{tool}/calibrate", Class: ClassPerson, Role: Operator, Bound: BoundNone, Planned: true},

	// workflows
	{ID: Workflows, Method: "GET", Path: "/api/workspaces/{ws}/workflows", Class: ClassRead, Bound: BoundPath, Planned: true},
	{ID: WorkflowGet, Method: "GET", Path: "/api/workflows/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "workflow", Planned: true},
	{ID: WorkflowRunGet, Method: "GET", Path: "/api/workflow-runs/{id}", Class: ClassRead, Bound: BoundEntity, Entity: "workflow_run", Planned: true},
	{ID: WorkflowCreate, Method: "POST", Path: "/api/workspaces/{ws}/workflows", Class: ClassBuilder, Bound: BoundPath, Planned: true},
	{ID: WorkflowVersionCreate, Method: "POST", Path: "/api/workflows/{id}/versions", Class: ClassBuilder, Bound: BoundEntity, Entity: "workflow", Planned: true},
	{ID: WorkflowPreflight, Method: "POST", Path: "/api/workflows/{id}/preflight", Class: ClassBuilder, Bound: BoundEntity, Entity: "workflow", Planned: true},
	{ID: WorkflowAliasPut, Method: "PUT", Path: "/api/workflows/{id}/aliases/{alias}", Class: ClassPerson, Role: Admin, Bound: BoundEntity, Entity: "workflow", StepUp: true, Planned: true},
	{ID: WorkflowRun, Method: "POST", Path: "/api/workflows/{id}/runs", Class: ClassBuilder, Bound: BoundEntity, Entity: "workflow", Budgeted: true, Planned: true},

	// MCP
	{ID: MCP, Method: "POST", Path: "/mcp", Class: ClassOwn, Bound: BoundNone},
	{ID: SessionMCP, Method: "POST", Path: "/session/mcp", Class: ClassOwn, Bound: BoundNone, Planned: true},
}
