package store

import (
	"context"

	"gorm.io/gorm"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/runs"
	"ambit/scopes"
	"ambit/tokens"
)

var _ tokens.Store = (*DB)(nil)

type tokenRow struct {
	ID            string `gorm:"primaryKey"`
	Name          string
	Hash          string
	Scope         scopes.Scope
	Workspaces    []string `gorm:"serializer:json;not null"`
	ActsFor       string
	MaxConcurrent int
	MaxDaily      int
	CreatedAt     clock.Time `gorm:"autoCreateTime:false"`
	CreatedBy     string
	ExpiresAt     clock.Time
	RevokedAt     clock.Time
	LastUsedAt    clock.Time
}

func (tokenRow) TableName() string { return "tokens" }

// epochRow is the one row that counts revocations.
type epochRow struct {
	ID    int64 `gorm:"primaryKey;autoIncrement:false"`
	Epoch int64
}

func (epochRow) TableName() string { return "token_epoch" }

// InsertToken keeps a new token. Fault: conflict if there is one with its id.
func (db *DB) InsertToken(ctx context.Context, t tokens.Token) error {
	row := tokenRow(t)
	added, err := insert(ctx, db, &row)
	if err == nil && !added {
		return fault.New(fault.Conflict, "There is a token with this id.")
	}
	return err
}

// Token returns a token, a revoked or expired one too. Fault: not_found.
func (db *DB) Token(ctx context.Context, id string) (tokens.Token, error) {
	row, err := take[tokenRow](ctx, db, "token", "id = ?", id)
	return tokens.Token(row), err
}

// Tokens returns a page of the newest, and one more.
func (db *DB) Tokens(ctx context.Context, p page.Page) ([]tokens.Token, error) {
	rows, err := newest[tokenRow](ctx, db, p, "1 = 1")
	return converted(rows, func(r tokenRow) tokens.Token { return tokens.Token(r) }), err
}

// RevokeToken sets the moment once, and with it makes the epoch of tokens grow.
// Fault: not_found.
func (db *DB) RevokeToken(ctx context.Context, id string, at clock.Time) error {
	return db.Tx(ctx, func(ctx context.Context) error {
		row, err := takeLocked[tokenRow](ctx, db, "token", "id = ?", id)
		if err != nil || row.RevokedAt != 0 {
			return err
		}
		if err := update[tokenRow](ctx, db, "token", map[string]any{"revoked_at": at}, "id = ?", id); err != nil {
			return err
		}
		return update[epochRow](ctx, db, "epoch of tokens", map[string]any{"epoch": gorm.Expr("epoch + 1")}, "id = 1")
	})
}

// TokenEpoch returns a number that grows whenever a token is revoked: what was
// remembered of tokens under a smaller one is old.
func (db *DB) TokenEpoch(ctx context.Context) (int64, error) {
	row, err := take[epochRow](ctx, db, "epoch of tokens", "id = 1")
	return row.Epoch, err
}

// TouchToken notes that the token was used. An older moment changes nothing.
func (db *DB) TouchToken(ctx context.Context, id string, at clock.Time) error {
	return db.write(ctx, func(q *gorm.DB) error {
		return q.Model(&tokenRow{}).Where("id = ? AND last_used_at < ?", id, at).Update("last_used_at", at).Error
	})
}

// LockUsage locks the token until the transaction ends, and counts its runs.
func (db *DB) LockUsage(ctx context.Context, id string, day clock.Time) (tokens.Token, tokens.Usage, error) {
	row, err := takeLocked[tokenRow](ctx, db, "token", "id = ?", id)
	if err != nil {
		return tokens.Token{}, tokens.Usage{}, err
	}
	usage, err := db.Usage(ctx, id, day)
	return tokens.Token(row), usage, err
}

// Usage counts rows and keeps no counter: a count cannot drift from them.
func (db *DB) Usage(ctx context.Context, id string, day clock.Time) (tokens.Usage, error) {
	var concurrent, today int64
	err := db.read(ctx, func(q *gorm.DB) error {
		active := []runs.State{runs.Queued, runs.Running}
		if err := q.Model(&runRow{}).Where("token_id = ? AND state IN ?", id, active).Count(&concurrent).Error; err != nil {
			return err
		}
		return q.Model(&runRow{}).Where("token_id = ? AND created_at >= ?", id, day).Count(&today).Error
	})
	return tokens.Usage{Concurrent: int(concurrent), Today: int(today)}, err
}
