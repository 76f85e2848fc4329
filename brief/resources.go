package brief

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ambit/datasets"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/models"
	"ambit/plans"
	"ambit/runs"
)

// Kinds are the kinds of resource that can be listed and read.
var Kinds = []string{"dataset", "leaderboard", "model", "plan", "run"}

// listed are the kinds that have a list of their own.
var listed = []string{"dataset", "model", "plan", "run"}

// maxResource bounds a resource, in bytes of JSON.
const maxResource = 64 << 10

// Item is a resource in a list.
type Item struct {
	URI       string     `json:"uri"`
	Kind      string     `json:"kind"`
	ID        string     `json:"id"`
	Name      string     `json:"name,omitempty"` // untrusted
	State     string     `json:"state,omitempty"`
	CreatedAt clock.Time `json:"created_at"`
}

// Resource is one resource in full, or cut with links to its parts.
type Resource struct {
	URI       string          `json:"uri"`
	Kind      string          `json:"kind"`
	ID        string          `json:"id"`
	Data      json.RawMessage `json:"data"`
	Truncated bool            `json:"truncated"`
	Links     []string        `json:"links"` // API paths of the parts
}

func uri(workspace, kind, id string) string { return "ambit://" + workspace + "/" + kind + "/" + id }

// List returns the newest resources of a workspace, of one kind or of all.
// Fault: invalid (kind).
func (s *Service) List(ctx context.Context, workspace, kind string, p page.Page) (page.List[Item], error) {
	kinds := listed
	if kind != "" {
		if !slices.Contains(listed, kind) {
			return page.List[Item]{}, unknownKind(listed)
		}
		kinds = []string{kind}
	}
	var all []Item
	for _, k := range kinds {
		items, err := s.items(ctx, workspace, k, page.Page{Limit: p.Limit + 1, After: p.After})
		if err != nil {
			return page.List[Item]{}, err
		}
		all = append(all, items...)
	}
	slices.SortFunc(all, newestFirst)
	return page.Cut(all, p.Limit, func(i Item) page.Cursor { return page.Cursor{At: i.CreatedAt, ID: i.ID} }), nil
}

func unknownKind(valid []string) error {
	return fault.InvalidFields([]fault.Field{{Path: "kind", Rule: "is not a kind of resource", Valid: valid}})
}

func newestFirst(a, b Item) int {
	if a.CreatedAt != b.CreatedAt {
		return int(b.CreatedAt - a.CreatedAt)
	}
	return strings.Compare(b.ID, a.ID)
}

func (s *Service) items(ctx context.Context, workspace, kind string, p page.Page) ([]Item, error) {
	switch kind {
	case "dataset":
		list, err := s.Datasets.List(ctx, workspace, p)
		return convert(list.Items, func(d datasets.Dataset) Item { return item(workspace, kind, d.ID, d.Name, "", d.CreatedAt) }), err
	case "plan":
		list, err := s.Plans.List(ctx, workspace, p)
		return convert(list.Items, func(v plans.View) Item { return item(workspace, kind, v.ID, "", string(v.State), v.CreatedAt) }), err
	case "run":
		list, err := s.Runs.List(ctx, workspace, p)
		return convert(list.Items, func(r runs.Run) Item { return item(workspace, kind, r.ID, "", string(r.State), r.CreatedAt) }), err
	}
	list, err := s.Models.List(ctx, workspace, p)
	return convert(list.Items, func(m models.Model) Item { return item(workspace, kind, m.ID, m.Name, string(m.Status), m.CreatedAt) }), err
}

func item(workspace, kind, id, name, state string, at clock.Time) Item {
	return Item{URI: uri(workspace, kind, id), Kind: kind, ID: id, Name: name, State: state, CreatedAt: at}
}

func convert[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

// Get returns one resource. Faults: not_found, invalid (kind).
func (s *Service) Get(ctx context.Context, workspace, kind, id string) (Resource, error) {
	data, links, err := s.read(ctx, workspace, kind, id)
	if err != nil {
		return Resource{}, err
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return Resource{}, err
	}
	r := Resource{URI: uri(workspace, kind, id), Kind: kind, ID: id, Data: raw, Links: links}
	if len(raw) > maxResource {
		r.Data, r.Truncated = json.RawMessage("null"), true
	}
	return r, nil
}

func (s *Service) read(ctx context.Context, workspace, kind, id string) (data any, links []string, err error) {
	switch kind {
	case "dataset":
		data, err = s.Datasets.Get(ctx, workspace, id)
		links = []string{"/api/datasets/" + id + "/preview"}
	case "plan":
		data, err = s.Plans.Get(ctx, workspace, id)
		links = []string{}
	case "run":
		data, err = s.Runs.Get(ctx, workspace, id)
		links = []string{"/api/runs/" + id + "/leaderboard", "/api/runs/" + id + "/log"}
	case "leaderboard":
		data, err = s.Runs.Leaderboard(ctx, workspace, id)
		links = []string{"/api/runs/" + id}
	case "model":
		data, err = s.Models.Store.Model(ctx, workspace, id)
		links = []string{"/api/models/" + id + "/evaluation"}
	default:
		err = unknownKind(Kinds)
	}
	return data, links, err
}
