package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/people"
	"ambit/scopes"
)

var _ people.Store = (*DB)(nil)

type personRow struct {
	ID           string `gorm:"primaryKey"`
	Email        string
	Name         string
	Role         scopes.Role
	Workspaces   []string `gorm:"serializer:json;not null"`
	PasswordHash string
	CreatedAt    clock.Time `gorm:"autoCreateTime:false"`
	DisabledAt   clock.Time
}

func (personRow) TableName() string { return "people" }

func (r personRow) person() people.Person { return people.Person(r) }

func emailTaken() error {
	return fault.New(fault.Conflict, "There is a person with this email address.").
		WithFix("Use another address, or change that person.")
}

// InsertPerson keeps a new person. Fault: conflict if the email is taken.
func (db *DB) InsertPerson(ctx context.Context, p people.Person) error {
	row := personRow(p)
	added, err := insert(ctx, db, &row)
	if err == nil && !added {
		return emailTaken()
	}
	return err
}

// Person returns a person. Fault: not_found.
func (db *DB) Person(ctx context.Context, id string) (people.Person, error) {
	row, err := take[personRow](ctx, db, "person", "id = ?", id)
	return row.person(), err
}

// PersonByEmail returns the person with exactly this address. Fault: not_found.
func (db *DB) PersonByEmail(ctx context.Context, email string) (people.Person, error) {
	row, err := take[personRow](ctx, db, "person", "email = ?", email)
	return row.person(), err
}

// People returns a page of the newest, and one more.
func (db *DB) People(ctx context.Context, p page.Page) ([]people.Person, error) {
	rows, err := newest[personRow](ctx, db, p, "1 = 1")
	return converted(rows, personRow.person), err
}

// UpdatePerson replaces what is kept of a person.
// Faults: not_found; conflict if the email is taken.
func (db *DB) UpdatePerson(ctx context.Context, p people.Person) error {
	row := personRow(p)
	err := db.write(ctx, func(q *gorm.DB) error {
		return affected("person", q.Model(&personRow{}).Where("id = ?", p.ID).Select("*").Omit("id").Updates(&row))
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return emailTaken()
	}
	return err
}

// CountPeople counts all, disabled ones too.
func (db *DB) CountPeople(ctx context.Context) (int, error) {
	var n int64
	err := db.read(ctx, func(q *gorm.DB) error { return q.Model(&personRow{}).Count(&n).Error })
	return int(n), err
}

// LockPeople keeps other transactions from adding or changing people until this
// one ends.
func (db *DB) LockPeople(ctx context.Context) error {
	return db.locked(ctx, func(q *gorm.DB) error {
		if db.dialect == SQLite {
			return nil // the one writer is us
		}
		return q.Exec("LOCK TABLE people IN SHARE ROW EXCLUSIVE MODE").Error
	})
}

// OldestAdmin returns the admin who was made first and is not disabled.
func (db *DB) OldestAdmin(ctx context.Context) (people.Person, error) {
	var row personRow
	err := db.read(ctx, func(q *gorm.DB) error {
		return q.Where("role = ? AND disabled_at = 0", scopes.Admin).Order("created_at, id").Take(&row).Error
	})
	return row.person(), noSuch("admin", err)
}
