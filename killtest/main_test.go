package killtest

import (
	"os"
	"testing"

	"ambit/internal/app"
)

// TestMain lets the test binary stand in for the program: the server of a test
// is a process of its own, which can be killed, and starts its children so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "engine":
			os.Exit(app.EngineChild(os.Args[2:]))
		case "trainer":
			os.Exit(app.TrainerChild(os.Args[2:]))
		case "serve":
			os.Exit(serveMain(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}
