package store

import (
	"cmp"
	"context"
	"slices"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/workspaces"
)

var _ workspaces.Store = (*DB)(nil)

type workspaceRow struct {
	ID        string `gorm:"primaryKey"`
	Name      string
	Goal      string
	Stage     workspaces.Stage
	CreatedAt clock.Time `gorm:"autoCreateTime:false"`
	CreatedBy string
}

func (workspaceRow) TableName() string { return "workspaces" }

func (r workspaceRow) workspace() workspaces.Workspace { return workspaces.Workspace(r) }

// InsertWorkspace keeps a new workspace. Fault: conflict if the name is taken.
func (db *DB) InsertWorkspace(ctx context.Context, w workspaces.Workspace) error {
	row := workspaceRow(w)
	added, err := insert(ctx, db, &row)
	if err == nil && !added {
		return fault.New(fault.Conflict, "There is a workspace with this name.").WithFix("Choose another name.")
	}
	return err
}

// Workspace returns a workspace. Fault: not_found.
func (db *DB) Workspace(ctx context.Context, id string) (workspaces.Workspace, error) {
	row, err := take[workspaceRow](ctx, db, "workspace", "id = ?", id)
	return row.workspace(), err
}

// Workspaces returns those of ids by name; nil returns all. They are ordered
// here, by bytes: databases order text as they were set up to.
func (db *DB) Workspaces(ctx context.Context, ids []string) ([]workspaces.Workspace, error) {
	where, args := "1 = 1", []any(nil)
	if ids != nil {
		where, args = "id IN ?", []any{ids}
	}
	rows, err := find[workspaceRow](ctx, db, "id", where, args...)
	slices.SortFunc(rows, func(a, b workspaceRow) int { return cmp.Compare(a.Name, b.Name) })
	return converted(rows, workspaceRow.workspace), err
}
