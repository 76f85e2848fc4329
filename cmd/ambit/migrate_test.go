package main

import (
	"testing"

	"ambit/internal/testservices"
)

// Migrate makes the schema, says so, and does nothing the second time.
func TestMigrate(t *testing.T) {
	tests := []struct {
		name string
		url  func(testing.TB) string
	}{{"SQLite", func(testing.TB) string { return "" }}, {"PostgreSQL", testservices.EmptyPostgres}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"migrate", "--data", dataFolder(t), "--database-url", tt.url(t)}
			for range 2 {
				if out := ambit(t, "", args...).ok(t, nil); out != "the schema is this version's\n" {
					t.Errorf("got %q", out)
				}
			}
		})
	}
}
