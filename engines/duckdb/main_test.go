package duckdb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// childArgument makes the test binary an engine child.
const childArgument = "engine-child"

// childCommand starts a child: this binary again, or, under the race detector,
// whose memory would break the children's limits, a program built without it.
var childCommand []string

func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case childArgument:
			os.Exit(ChildMain(nil, os.Stdin, os.Stdout))
		case confinedArgument:
			os.Exit(tryConfined())
		case layeredArgument:
			os.Exit(layeredEngine())
		}
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	childCommand = []string{os.Args[0], childArgument}
	if raceDetector() {
		dir, err := os.MkdirTemp("", "enginechild-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		program := filepath.Join(dir, "enginechild")
		if out, err := exec.Command("go", "build", "-o", program, "./internal/enginechild").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the child: %v\n%s", err, out)
			return 1
		}
		childCommand = []string{program}
	}
	return m.Run()
}

func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
