// Package workspaces keeps the tenants of the work. Tokens and people are bound to them.
package workspaces

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/ids"
)

// Stage is how far a workspace's work has come.
type Stage string

// Stages.
const (
	Explore    Stage = "explore"
	Build      Stage = "build"
	Review     Stage = "review"
	Production Stage = "production"
)

// Frozen reports whether agents may no longer train in the stage.
func (s Stage) Frozen() bool { return s == Review || s == Production }

// Workspace is the tenant of datasets, plans, runs and models.
type Workspace struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Goal      string     `json:"goal,omitempty"`
	Stage     Stage      `json:"stage"`
	CreatedAt clock.Time `json:"created_at"`
	CreatedBy string     `json:"created_by"`
}

// Store keeps workspaces.
type Store interface {
	// InsertWorkspace fails with conflict if the name is taken.
	InsertWorkspace(ctx context.Context, w Workspace) error
	// Workspace fails with not_found if there is none.
	Workspace(ctx context.Context, id string) (Workspace, error)
	// Workspaces returns those of ids by name; nil returns all.
	Workspaces(ctx context.Context, ids []string) ([]Workspace, error)
}

// Service makes and reads workspaces.
type Service struct {
	Store Store
	Now   clock.Clock
}

// Create makes a workspace.
// Faults: invalid (name), conflict (name taken).
func (s *Service) Create(ctx context.Context, name, goal, by string) (Workspace, error) {
	name = strings.TrimSpace(name)
	var wrong []fault.Field
	if name == "" || utf8.RuneCountInString(name) > 100 || strings.ContainsFunc(name, unseen) {
		wrong = append(wrong, fault.Field{Path: "name", Rule: "must have 1 to 100 printable characters"})
	}
	if len(goal) > 2<<10 {
		wrong = append(wrong, fault.Field{Path: "goal", Rule: "must have at most 2,048 bytes"})
	}
	if err := fault.InvalidFields(wrong); err != nil {
		return Workspace{}, err
	}
	w := Workspace{ID: ids.New("ws"), Name: name, Goal: goal, Stage: Explore, CreatedAt: s.Now(), CreatedBy: by}
	if err := s.Store.InsertWorkspace(ctx, w); err != nil {
		return Workspace{}, err
	}
	return w, nil
}

// unseen reports whether a character of a name would not be seen, or would
// change how others are seen.
func unseen(r rune) bool { return !unicode.IsPrint(r) }

// Missing returns those of ids that name no workspace, in their order.
func (s *Service) Missing(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil // no ids ask the store for all of them
	}
	found, err := s.Store.Workspaces(ctx, ids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(found, func(w Workspace) bool { return w.ID == id })
	}), nil
}

// Get returns a workspace. Fault: not_found.
func (s *Service) Get(ctx context.Context, id string) (Workspace, error) {
	return s.Store.Workspace(ctx, id)
}

// List returns the workspaces of ids by name; nil returns all.
func (s *Service) List(ctx context.Context, ids []string) ([]Workspace, error) {
	return s.Store.Workspaces(ctx, ids)
}
