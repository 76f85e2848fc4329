package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/url"

	"ambit/api/client"
	"ambit/scopes"
)

// host is the operator of the demo's server: what a person sets up for an agent.
type host struct{ api *client.Client }

func (h host) call(ctx context.Context, id scopes.RouteID, params map[string]string, query url.Values, body, out any) error {
	answer, err := h.api.Call(ctx, id, params, query, body)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	return json.Unmarshal(answer.Body, out)
}

type thing struct {
	ID string `json:"id"`
}

func (h host) workspace(ctx context.Context, name, goal string) (string, error) {
	var w thing
	err := h.call(ctx, scopes.WorkspaceCreate, nil, nil, map[string]any{"name": name, "goal": goal}, &w)
	return w.ID, err
}

func (h host) admin(ctx context.Context, email string) (string, error) {
	var p thing
	err := h.call(ctx, scopes.PersonCreate, nil, nil, map[string]any{"email": email, "role": "admin"}, &p)
	return p.ID, err
}

func (h host) link(ctx context.Context, person string) (string, error) {
	var l struct {
		Secret string `json:"secret"`
	}
	err := h.call(ctx, scopes.PersonLink, map[string]string{"id": person}, nil, nil, &l)
	return l.Secret, err
}

func (h host) token(ctx context.Context, workspace string) (id, secret string, err error) {
	var t struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	err = h.call(ctx, scopes.TokenMint, nil, nil, map[string]any{
		"name": "demo agent", "scope": "builder", "workspace_ids": []string{workspace}, "max_concurrent": 3, "max_daily": 50,
	}, &t)
	return t.ID, t.Token, err
}

// upload sends a table as a new dataset, or as a new version of the dataset id.
func (h host) upload(ctx context.Context, workspace, id string, t table) (string, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := w.WriteField("name", t.name); err != nil {
		return "", err
	}
	part, err := w.CreateFormFile("file", t.name+".csv")
	if err != nil {
		return "", err
	}
	if _, err := part.Write(t.csv); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	route, params := scopes.DatasetCreate, map[string]string{"ws": workspace}
	if id != "" {
		route, params = scopes.DatasetVersionCreate, map[string]string{"id": id}
	}
	var d thing
	err = h.call(ctx, route, params, nil, client.Stream{ContentType: w.FormDataContentType(), Reader: &form}, &d)
	return d.ID, err
}

// record is a line of the audit log.
type record struct {
	Seq       int64  `json:"seq"`
	Principal string `json:"principal"`
	Tool      string `json:"tool"`
	Route     string `json:"route"`
	Outcome   string `json:"outcome"`
	Replay    bool   `json:"replay"`
}

// ending is the outcome, and whether it came from an earlier call.
func (r record) ending() string {
	if r.Replay {
		return r.Outcome + " (replay)"
	}
	return r.Outcome
}

func (h host) audit(ctx context.Context, principal string) ([]record, error) {
	var list struct {
		Items []record `json:"items"`
	}
	err := h.call(ctx, scopes.Audit, nil, url.Values{"principal": {principal}, "limit": {"200"}}, nil, &list)
	return list.Items, err
}

func (h host) verify(ctx context.Context) (intact bool, records int64, err error) {
	var v struct {
		Intact  bool  `json:"intact"`
		Records int64 `json:"records"`
	}
	err = h.call(ctx, scopes.AuditVerify, nil, nil, nil, &v)
	return v.Intact, v.Records, err
}
