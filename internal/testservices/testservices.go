// Package testservices starts the servers that tests need, from the system's
// own packages: PostgreSQL and Redis, on unix sockets in a temporary folder.
// No port, no container, nothing that another test could meet. The servers end
// with the test binary, however that ends.
//
// A test is skipped where the server is not installed, unless REQUIRE_SERVICES
// is 1, as it is where all tests must run.
package testservices

import (
	"os"
	"testing"
)

// missing skips or fails the test for want of a program.
func missing(t testing.TB, program, apt string) {
	t.Helper()
	const format = "%s is not installed; install the package %s"
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatalf(format, program, apt)
	}
	t.Skipf(format, program, apt)
}
