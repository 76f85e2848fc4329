package store

import (
	"context"

	"gorm.io/gorm"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/people"
)

type sessionRow struct {
	ID         string `gorm:"primaryKey"`
	Hash       string
	Person     string     `gorm:"column:person_id"`
	CreatedAt  clock.Time `gorm:"autoCreateTime:false"`
	LastSeenAt clock.Time
	SteppedUp  clock.Time `gorm:"column:stepped_up_at"`
	Agent      string
	Address    string
}

func (sessionRow) TableName() string { return "sessions" }

func (r sessionRow) session() people.Session { return people.Session(r) }

type linkRow struct {
	Hash      string `gorm:"primaryKey"`
	Person    string `gorm:"column:person_id"`
	ExpiresAt clock.Time
	UsedAt    clock.Time
}

func (linkRow) TableName() string { return "links" }

// InsertSession keeps a new session of a person who is there.
func (db *DB) InsertSession(ctx context.Context, s people.Session) error {
	row := sessionRow(s)
	return db.write(ctx, func(q *gorm.DB) error { return q.Create(&row).Error })
}

// SessionByHash returns the session of a cookie. Fault: not_found.
func (db *DB) SessionByHash(ctx context.Context, hash string) (people.Session, error) {
	row, err := take[sessionRow](ctx, db, "session", "hash = ?", hash)
	return row.session(), err
}

// Sessions returns the newest first.
func (db *DB) Sessions(ctx context.Context, person string) ([]people.Session, error) {
	rows, err := find[sessionRow](ctx, db, "created_at DESC, id DESC", "person_id = ?", person)
	return converted(rows, sessionRow.session), err
}

// TouchSession notes that the session was used. An older moment changes nothing.
func (db *DB) TouchSession(ctx context.Context, id string, seen clock.Time) error {
	return db.write(ctx, func(q *gorm.DB) error {
		return q.Model(&sessionRow{}).Where("id = ? AND last_seen_at < ?", id, seen).Update("last_seen_at", seen).Error
	})
}

// StepUpSession notes that the person confirmed who they are. Fault: not_found.
func (db *DB) StepUpSession(ctx context.Context, id string, at clock.Time) error {
	return update[sessionRow](ctx, db, "session", map[string]any{"stepped_up_at": at}, "id = ?", id)
}

// DeleteSession removes a session if it is the person's; none is no error.
func (db *DB) DeleteSession(ctx context.Context, person, id string) error {
	return db.write(ctx, func(q *gorm.DB) error {
		return q.Where("person_id = ? AND id = ?", person, id).Delete(&sessionRow{}).Error
	})
}

// DeleteSessions removes the person's sessions but for one.
func (db *DB) DeleteSessions(ctx context.Context, person, except string) error {
	return db.write(ctx, func(q *gorm.DB) error {
		return q.Where("person_id = ? AND id <> ?", person, except).Delete(&sessionRow{}).Error
	})
}

// InsertLink keeps a new link.
func (db *DB) InsertLink(ctx context.Context, l people.Link) error {
	row := linkRow(l)
	return db.write(ctx, func(q *gorm.DB) error { return q.Create(&row).Error })
}

// UseLink marks the link used and returns it. Of two callers one gets it.
func (db *DB) UseLink(ctx context.Context, hash string, now clock.Time) (people.Link, error) {
	var row linkRow
	err := db.Tx(ctx, func(ctx context.Context) (err error) {
		row, err = takeLocked[linkRow](ctx, db, "link", "hash = ? AND used_at = 0 AND expires_at > ?", hash, now)
		if err != nil {
			return err
		}
		row.UsedAt = now
		return update[linkRow](ctx, db, "link", map[string]any{"used_at": now}, "hash = ? AND used_at = 0", hash)
	})
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "No such link, or it was used or is too old.").WithFix("Ask for a new link.")
	}
	if err != nil {
		return people.Link{}, err
	}
	return people.Link(row), nil
}
