package api

import (
	"context"
	"path"
	"strings"

	"ambit/datasets"
	"ambit/internal/fault"
	"ambit/internal/page"
)

type queryRequest struct {
	WorkspaceID string `json:"workspace_id" doc:"The workspace whose datasets the SQL may name."`
	SQL         string `json:"sql" doc:"One SELECT, at most 32 KiB. Each dataset is a table under its name."`
	Limit       int    `json:"limit,omitempty" doc:"Rows to answer with, at most 10,000; default 1,000."`
}

func (s *Server) query(ctx context.Context, call *Call, in queryRequest) (datasets.Result, error) {
	if strings.TrimSpace(in.SQL) == "" {
		return datasets.Result{}, fault.InvalidFields([]fault.Field{{Path: "sql", Rule: "is required: one SELECT"}})
	}
	return s.Datasets.Query(ctx, call.Workspace, in.SQL, in.Limit)
}

type profileRequest struct {
	WorkspaceID string   `json:"workspace_id"`
	DatasetID   string   `json:"dataset_id" entity:"dataset"`
	Columns     []string `json:"columns,omitempty" doc:"Only these; default all."`
}

func (s *Server) profile(ctx context.Context, call *Call, in profileRequest) (datasets.Profiled, error) {
	return s.Datasets.Profile(ctx, call.Workspace, in.DatasetID, in.Columns)
}

func (s *Server) listDatasets(ctx context.Context, call *Call, in listing) (page.List[datasets.Dataset], error) {
	p, err := page.Parse(in.Limit, in.Cursor)
	if err != nil {
		return page.List[datasets.Dataset]{}, err
	}
	return s.Datasets.List(ctx, call.Workspace, p)
}

func (s *Server) getDataset(ctx context.Context, call *Call, _ none) (datasets.View, error) {
	return s.Datasets.Get(ctx, call.Workspace, call.Param("id"))
}

type previewRequest struct {
	Limit int `query:"limit" doc:"Rows, 1 to 100; default 20."`
}

func (s *Server) previewDataset(ctx context.Context, call *Call, in previewRequest) (datasets.Result, error) {
	return s.Datasets.Preview(ctx, call.Workspace, call.Param("id"), in.Limit)
}

// built is an uploaded table on its way to a dataset.
type built struct {
	datasets.Built
	service *datasets.Service
}

func (b built) digest() string { return b.Built.Digest() }

// discard removes what was built, if it came to that. A sweep finds what this misses.
func (b built) discard(context.Context) {
	if b.service != nil {
		_ = b.service.Discard(b.Built)
	}
}

func (s *Server) buildDataset(ctx context.Context, call *Call, in uploadBody) (built, error) {
	if err := datasets.CheckName(in.Name); err != nil {
		return built{}, err
	}
	return s.build(ctx, call, in)
}

func (s *Server) buildVersion(ctx context.Context, call *Call, in uploadBody) (built, error) {
	return s.build(ctx, call, in)
}

func (s *Server) build(ctx context.Context, call *Call, in uploadBody) (built, error) {
	format := datasets.Format(strings.ToLower(strings.TrimPrefix(path.Ext(in.FileName), ".")))
	b, err := s.Datasets.Build(ctx, call.Workspace, datasets.Upload{Name: in.Name, Format: format, Source: in.File})
	return built{b, s.Datasets}, err
}

func (s *Server) createDataset(ctx context.Context, call *Call, _ uploadBody, b built) (datasets.View, error) {
	v, err := s.Datasets.Create(ctx, b.Built, call.Caller.Principal())
	call.Did("dataset", v.ID)
	return v, err
}

func (s *Server) createVersion(ctx context.Context, call *Call, _ uploadBody, b built) (datasets.View, error) {
	return s.Datasets.AddVersion(ctx, call.Workspace, call.Param("id"), b.Built, call.Caller.Principal())
}

// deleteRequest is the typed confirmation of what has no name of its own.
type deleteRequest struct {
	Confirm string `json:"confirm" doc:"The name of the dataset, or the id of the plan or run, typed."`
}

func (s *Server) deleteDataset(ctx context.Context, call *Call, in deleteRequest) (none, error) {
	d, err := s.Datasets.Get(ctx, call.Workspace, call.Param("id"))
	if err != nil {
		return none{}, err
	}
	if err := in.check(d.Name); err != nil {
		return none{}, err
	}
	return none{}, s.Datasets.Delete(ctx, call.Workspace, d.ID)
}
