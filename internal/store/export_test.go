package store

import "gorm.io/gorm"

// Models are the rows that tables are modelled by, for the test that compares
// them with the migrated schema.
func Models() []any {
	return []any{
		&workspaceRow{}, &tokenRow{}, &epochRow{}, &personRow{}, &sessionRow{}, &linkRow{}, &namedRow{}, &versionRow{}, &planRow{},
		&runRow{}, &trialRow{}, &eventRow{}, &modelRow{}, &recordRow{}, &auditRow{}, &headRow{},
	}
}

// Record keeps the text of every query that db makes from now on.
func (db *DB) Record(into *[]string) error {
	return db.r.Callback().Query().After("gorm:query").Register("record", func(q *gorm.DB) {
		*into = append(*into, q.Dialector.Explain(q.Statement.SQL.String(), q.Statement.Vars...))
	})
}
