package contracttest

import "testing"

// Tests that need a world with a trained model share one: it takes seconds to make.
func TestTheWall(t *testing.T) {
	w := newWorld(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, w *world)
	}{
		{"every route with every caller", testMatrix},
		{"keys", testKeys},
		{"planned rows", testPlanned},
		{"a route that was just added", testNewRoute},
		{"foreign and absent look alike", testLookalikes},
		{"foreign and absent look alike inside", testForeignInside},
		{"foreign tables", testForeignTables},
		{"lists", testLists},
		{"disguised paths", testDisguisedPaths},
		{"ids in paths", testIDsInPaths},
		{"methods", testMethods},
		{"overrides", testOverrides},
		{"queries", testQueries},
		{"credentials", testCredentials},
		{"origins", testOrigins},
		{"fields", testFields},
		{"unreadable bodies", testUnreadableBodies},
		{"media types", testMediaTypes},
		{"sizes", testSizes},
		{"bad files", testBadFiles},
		{"bad forms", testBadForms},
		{"bad targets", testBadTargets},
		{"stale plan", testStalePlan},
		{"audit", testAudit},
		{"audit of tools", testAuditOfTools},
		{"what the server tells of itself", testServedContract},
		{"OpenAPI", testOpenAPI},
		{"every tool", testTools},
		{"misdeclared tools", testMisdeclaredTools},
		{"scopes of tools", testToolScopes},
		{"people lose rights", testPeopleLoseRights}, // the last ones change the world
		{"what people decide", testDecisions},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, w) })
	}
}
