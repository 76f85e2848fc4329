package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"ambit/internal/fault"
)

// entities says how the workspace of each kind of thing is found. What is
// deleted, or is part of what is, has none.
var entities = map[string]struct{ what, query string }{
	"dataset":         {"dataset", "SELECT workspace_id FROM datasets WHERE id = ? AND deleted_at = 0"},
	"dataset_version": {"dataset version", "SELECT workspace_id FROM dataset_versions WHERE id = ? AND " + ofLiveDataset},
	"plan":            {"plan", "SELECT workspace_id FROM plans WHERE id = ? AND deleted_at = 0"},
	"run":             {"run", "SELECT workspace_id FROM runs WHERE id = ? AND deleted_at = 0"},
	"trial":           {"trial", "SELECT workspace_id FROM trials WHERE id = ? AND " + ofLiveRun},
	"model":           {"model", "SELECT workspace_id FROM models WHERE id = ? AND deleted_at = 0"},
}

// WorkspaceOf returns the workspace of a thing: a dataset, dataset_version,
// plan, run, trial or model. Fault: not_found if there is none that is not deleted.
func (db *DB) WorkspaceOf(ctx context.Context, kind, id string) (string, error) {
	entity, ok := entities[kind]
	if !ok {
		return "", fmt.Errorf("no kind of thing is called %q", kind)
	}
	var found []string
	err := db.readRow(ctx, func(q *gorm.DB) error { return q.Raw(entity.query, id).Scan(&found).Error })
	if err == nil && len(found) == 0 {
		err = fault.New(fault.NotFound, "No such %s.", entity.what)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}
