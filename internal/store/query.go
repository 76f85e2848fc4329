package store

import (
	"context"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"ambit/internal/page"
)

// gormConfig leaves transactions to [DB.Tx] and errors to the callers.
func gormConfig() *gorm.Config {
	return &gorm.Config{
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         true,
		Logger:                 logger.Discard,
	}
}

// forUpdate locks what is read until the transaction ends. SQLite has one
// writer, and leaves it out.
var forUpdate = clause.Locking{Strength: "UPDATE"}

// take reads one row. Fault: not_found, which names what.
func take[R any](ctx context.Context, db *DB, what, where string, args ...any) (R, error) {
	var row R
	err := db.readRow(ctx, func(q *gorm.DB) error { return q.Where(where, args...).Take(&row).Error })
	return row, noSuch(what, err)
}

// takeLocked reads one row and locks it. Fault: not_found, which names what.
func takeLocked[R any](ctx context.Context, db *DB, what, where string, args ...any) (R, error) {
	var row R
	err := db.locked(ctx, func(q *gorm.DB) error { return q.Clauses(forUpdate).Where(where, args...).Take(&row).Error })
	return row, noSuch(what, err)
}

// find reads the rows that match, in the order asked for.
func find[R any](ctx context.Context, db *DB, order, where string, args ...any) ([]R, error) {
	var rows []R
	err := db.read(ctx, func(q *gorm.DB) error { return q.Where(where, args...).Order(order).Find(&rows).Error })
	return rows, err
}

// newest reads a page of the rows that match, and one row more.
func newest[R any](ctx context.Context, db *DB, p page.Page, where string, args ...any) ([]R, error) {
	if p.After != (page.Cursor{}) {
		where += " AND (created_at, id) < (?, ?)"
		args = append(args, p.After.At, p.After.ID)
	}
	var rows []R
	err := db.read(ctx, func(q *gorm.DB) error {
		return q.Where(where, args...).Order("created_at DESC, id DESC").Limit(p.Limit + 1).Find(&rows).Error
	})
	return rows, err
}

// insert adds a row and reports whether it did: not if a unique value is taken,
// which leaves the transaction usable.
func insert(ctx context.Context, db *DB, row any) (added bool, err error) {
	err = db.write(ctx, func(q *gorm.DB) error {
		r := q.Clauses(clause.OnConflict{DoNothing: true}).Create(row)
		added = r.RowsAffected == 1
		return r.Error
	})
	return added, err
}

// update changes the columns of one row. Fault: not_found, which names what.
func update[R any](ctx context.Context, db *DB, what string, columns map[string]any, where string, args ...any) error {
	return db.write(ctx, func(q *gorm.DB) error {
		return affected(what, q.Model(new(R)).Where(where, args...).Updates(columns))
	})
}

// converted converts every item.
func converted[R, T any](rows []R, convert func(R) T) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = convert(row)
	}
	return out
}

// folded is a name without regard to case. Both databases compare it alike,
// which they would not do with a function of theirs.
func folded(name string) string { return strings.ToLower(name) }
