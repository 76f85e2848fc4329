package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"ambit/audit"
	"ambit/internal/clock"
)

var _ audit.Store = (*DB)(nil)

type auditRow struct {
	Seq       int64 `gorm:"primaryKey;autoIncrement:false"`
	At        clock.Time
	Principal string
	ActsFor   string
	Tool      string
	Host      string
	Route     string
	Workspace string `gorm:"column:workspace_id"`
	Entity    string
	Outcome   string
	Detail    string
	Key       string `gorm:"column:idempotency_key"`
	Replay    bool
	Digest    string `gorm:"column:request_digest"`
	RequestID string
	Prev      string `gorm:"column:prev_hash"`
	Hash      string
}

func (auditRow) TableName() string { return "audit_log" }

// headRow is the one row that says where the chain ends.
type headRow struct {
	ID        int64 `gorm:"primaryKey;autoIncrement:false"`
	Seq       int64
	Hash      string
	Signature string
}

func (headRow) TableName() string { return "audit_head" }

// Append chains the entry to the last one. In a transaction it waits until
// everything else is done, so that the one row that all appends lock is locked
// as briefly as can be; when it then fails, the transaction does. Outside of
// one it is written at once, even if the caller has gone.
func (db *DB) Append(ctx context.Context, e audit.Entry) error {
	if t := db.tx(ctx); t != nil && !t.readAll {
		t.entries = append(t.entries, e)
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return db.Tx(ctx, func(ctx context.Context) error { return db.Append(ctx, e) })
}

// auditBatch is how many records one statement writes: a statement has a limit
// of parameters.
const auditBatch = 500

// appendEntries chains and writes what Append has gathered.
func (t *tx) appendEntries() error {
	if len(t.entries) == 0 {
		return nil
	}
	var row headRow
	if err := t.gorm.Clauses(forUpdate).Take(&row).Error; err != nil {
		return fmt.Errorf("locking the end of the audit log: %w", err)
	}
	head := audit.Head{Seq: row.Seq, Hash: row.Hash, Signature: row.Signature}
	if head != (audit.Head{}) && !head.Signed(t.db.public) {
		// Going on would sign over what somebody has changed.
		return fmt.Errorf("record %d, the end of the audit log, is not signed with this server's key", head.Seq)
	}
	rows := make([]auditRow, len(t.entries))
	for i, e := range t.entries {
		e = audit.Chain(head, e)
		head = audit.Head{Seq: e.Seq, Hash: e.Hash}
		rows[i] = auditRow(e)
	}
	head, err := audit.Seal(t.db.key, audit.Entry(rows[len(rows)-1]))
	if err != nil {
		return err
	}
	if err := t.gorm.CreateInBatches(rows, auditBatch).Error; err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	columns := map[string]any{"seq": head.Seq, "hash": head.Hash, "signature": head.Signature}
	return affected("end of the audit log", t.gorm.Model(&headRow{ID: 1}).Updates(columns))
}

// Head returns the signed end of the log.
func (db *DB) Head(ctx context.Context) (audit.Head, error) {
	row, err := take[headRow](ctx, db, "end of the audit log", "id = 1")
	return audit.Head{Seq: row.Seq, Hash: row.Hash, Signature: row.Signature}, err
}

// walkBatch is how many records a walk reads at a time.
const walkBatch = 1000

// Walk calls f with every record, oldest first, until it fails. Inside of a
// snapshot it stops where that does.
func (db *DB) Walk(ctx context.Context, f func(audit.Entry) error) error {
	for last := int64(0); ; {
		var rows []auditRow
		err := db.read(ctx, func(q *gorm.DB) error {
			return q.Where("seq > ?", last).Order("seq").Limit(walkBatch).Find(&rows).Error
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := f(audit.Entry(row)); err != nil {
				return err
			}
			last = row.Seq
		}
		if len(rows) < walkBatch {
			return nil
		}
	}
}

// Entries returns the newest first. A negative or zero Limit returns none.
func (db *DB) Entries(ctx context.Context, f audit.Filter) ([]audit.Entry, error) {
	where, args := auditWhere(f)
	if f.Workspaces == nil {
		rows, err := db.entries(ctx, f.Limit, where, args)
		return converted(rows, func(r auditRow) audit.Entry { return audit.Entry(r) }), err
	}
	// One index scan for each workspace that stops at the limit: neither
	// database merges the ranges of an IN in the order of seq.
	var all []auditRow
	for _, workspace := range f.Workspaces {
		rows, err := db.entries(ctx, f.Limit, append(slices.Clone(where), "workspace_id = ?"), append(slices.Clone(args), workspace))
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	slices.SortFunc(all, func(a, b auditRow) int { return int(b.Seq - a.Seq) })
	all = slices.CompactFunc(all, func(a, b auditRow) bool { return a.Seq == b.Seq }) // a workspace may be named twice
	return converted(all[:min(len(all), max(f.Limit, 0))], func(r auditRow) audit.Entry { return audit.Entry(r) }), nil
}

func (db *DB) entries(ctx context.Context, limit int, where []string, args []any) ([]auditRow, error) {
	var rows []auditRow
	err := db.read(ctx, func(q *gorm.DB) error {
		return q.Where(strings.Join(where, " AND "), args...).Order("seq DESC").Limit(max(limit, 0)).Find(&rows).Error
	})
	return rows, err
}

// auditWhere returns the conditions of a filter, but for its workspaces.
func auditWhere(f audit.Filter) (where []string, args []any) {
	where = []string{"seq > 0"}
	for _, c := range []struct {
		column, value string
	}{
		{"principal", f.Principal}, {"route", f.Route}, {"tool", f.Tool}, {"outcome", f.Outcome}, {"entity", f.Entity},
	} {
		if c.value != "" {
			where, args = append(where, c.column+" = ?"), append(args, c.value)
		}
	}
	for _, c := range []struct {
		condition string
		value     int64
	}{
		{"at >= ?", int64(f.From)}, {"at <= ?", int64(f.To)}, {"seq < ?", f.After},
	} {
		if c.value != 0 {
			where, args = append(where, c.condition), append(args, c.value)
		}
	}
	return where, args
}
