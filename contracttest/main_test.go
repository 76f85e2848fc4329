package contracttest

import (
	"os"
	"testing"

	"ambit/internal/app"
)

// TestMain lets the test binary stand in for the program: the server starts its
// children with the command line that it was given, which is this binary's.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "engine":
			os.Exit(app.EngineChild(os.Args[2:]))
		case "trainer":
			os.Exit(app.TrainerChild(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}
