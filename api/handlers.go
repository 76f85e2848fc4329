package api

import (
	"net/http"

	"ambit/scopes"
)

// handlers binds a handler to each served row, a line a row. A row's class, and nothing here,
// says who may call it.
func (s *Server) handlers() map[scopes.RouteID]endpoint {
	h := map[scopes.RouteID]endpoint{
		scopes.Healthz:  handle(http.StatusOK, s.healthz),
		scopes.Readyz:   handle(http.StatusOK, s.readyz),
		scopes.Version:  handle(http.StatusOK, s.version),
		scopes.OpenAPI:  handle(http.StatusOK, s.openAPI),
		scopes.Health:   handle(http.StatusOK, s.health),
		scopes.Contract: handle(http.StatusOK, s.contract),

		scopes.AuthSetup:         slow(http.StatusOK, s.setup, signedIn[setupRequest](s)),
		scopes.AuthLogin:         slow(http.StatusOK, s.login, signedIn[loginRequest](s)),
		scopes.AuthLink:          handle(http.StatusOK, s.useLink),
		scopes.AuthLogout:        handle(http.StatusNoContent, s.logout),
		scopes.AuthStepUp:        slow(http.StatusOK, s.checkStepUp, s.stepUp),
		scopes.AuthPassword:      slow(http.StatusOK, s.checkPassword, s.setPassword),
		scopes.AuthSessions:      handle(http.StatusOK, s.sessions),
		scopes.AuthSessionRevoke: handle(http.StatusNoContent, s.revokeSession),
		scopes.AuthMe:            handle(http.StatusOK, s.me),
		scopes.AuditRefusals:     handle(http.StatusNoContent, s.reportRefusal),

		scopes.Workspaces:      handle(http.StatusOK, s.listWorkspaces),
		scopes.WorkspaceCreate: handle(http.StatusCreated, s.createWorkspace),
		scopes.WorkspaceGet:    handle(http.StatusOK, s.getWorkspace),
		scopes.WorkspaceBrief:  handle(http.StatusOK, s.brief),
		scopes.Resources:       handle(http.StatusOK, s.resources),
		scopes.ResourceGet:     handle(http.StatusOK, s.resource),

		scopes.Query:   handle(http.StatusOK, s.query),
		scopes.Profile: handle(http.StatusOK, s.profile),

		scopes.Datasets:             handle(http.StatusOK, s.listDatasets),
		scopes.DatasetCreate:        slow(http.StatusCreated, s.buildDataset, s.createDataset),
		scopes.DatasetVersionCreate: slow(http.StatusCreated, s.buildVersion, s.createVersion),
		scopes.DatasetGet:           handle(http.StatusOK, s.getDataset),
		scopes.DatasetPreview:       handle(http.StatusOK, s.previewDataset),
		scopes.DatasetDelete:        handle(http.StatusNoContent, s.deleteDataset),

		scopes.Plans:      handle(http.StatusOK, s.listPlans),
		scopes.PlanGet:    handle(http.StatusOK, s.getPlan),
		scopes.PlanCreate: slow(http.StatusCreated, s.preparePlan, s.createPlan),
		scopes.PlanCancel: handle(http.StatusOK, s.cancelPlan),
		scopes.PlanLaunch: handle(http.StatusCreated, s.launchPlan),
		scopes.PlanDelete: handle(http.StatusNoContent, s.deletePlan),

		scopes.Runs:           handle(http.StatusOK, s.listRuns),
		scopes.RunGet:         handle(http.StatusOK, s.getRun),
		scopes.RunLeaderboard: handle(http.StatusOK, s.leaderboard),
		scopes.RunLog:         handle(http.StatusOK, s.runLog),
		scopes.RunEvents:      stream(s.runEvents),
		scopes.RunAbort:       handle(http.StatusOK, s.abortRun),
		scopes.RunDelete:      handle(http.StatusNoContent, s.deleteRun),

		scopes.ModelRegister:   handle(http.StatusCreated, s.registerModel),
		scopes.Models:          handle(http.StatusOK, s.listModels),
		scopes.ModelGet:        handle(http.StatusOK, s.getModel),
		scopes.ModelEvaluation: handle(http.StatusOK, s.evaluation),
		scopes.ModelScore:      handle(http.StatusOK, s.score),
		scopes.ModelPromote:    handle(http.StatusOK, s.promote),
		scopes.ModelDelete:     handle(http.StatusNoContent, s.deleteModel),

		scopes.Tokens:       handle(http.StatusOK, s.listTokens),
		scopes.TokenMint:    handle(http.StatusCreated, s.mintToken),
		scopes.TokenRevoke:  handle(http.StatusOK, s.revokeToken),
		scopes.People:       handle(http.StatusOK, s.listPeople),
		scopes.PersonCreate: slow(http.StatusCreated, s.preparePerson, s.createPerson),
		scopes.PersonPatch:  handle(http.StatusOK, s.patchPerson),
		scopes.PersonLink:   handle(http.StatusCreated, s.linkPerson),
		scopes.Audit:        handle(http.StatusOK, s.listAudit),
		scopes.AuditExport:  stream(s.exportAudit),
		scopes.AuditVerify:  slow(http.StatusOK, s.verifyAudit, s.verified),
	}
	h[scopes.MCP] = endpoint{raw: s.mcp()}
	return h
}

// mcp returns the hosted MCP mount.
func (s *Server) mcp() http.Handler {
	if s.MCP != nil {
		return s.MCP
	}
	return http.NotFoundHandler()
}

// listing is the query of every list.
type listing struct {
	Limit  int    `query:"limit" doc:"Items of a page, 1 to 100; default 50."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}
