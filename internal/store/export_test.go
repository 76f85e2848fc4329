package store

// Models are the rows that tables are modelled by, for the test that compares
// them with the migrated schema.
func Models() []any {
	return []any{
		&workspaceRow{}, &tokenRow{}, &epochRow{}, &personRow{}, &sessionRow{}, &linkRow{}, &namedRow{}, &versionRow{}, &planRow{},
		&runRow{}, &trialRow{}, &eventRow{}, &modelRow{}, &recordRow{}, &auditRow{}, &headRow{},
	}
}
