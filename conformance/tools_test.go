package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tools is where the programs of package.json are installed. It begins with a
// dot: some of them bring Go files, which "./..." would find.
const tools = "../.tools/mcp"

// leastNode is the oldest Node that the programs run on.
const leastNode = 22

// node runs the programs of package.json.
type node struct{ program, modules string }

// newNode installs what package.json names where it is missing, and finds Node.
func newNode(t *testing.T) node {
	t.Helper()
	install(t)
	modules, err := filepath.Abs(filepath.Join(tools, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	// npm leaves out the optional packages of other systems.
	if own, _ := filepath.Glob(filepath.Join(modules, "node-*", "bin", "node")); len(own) == 1 {
		return node{own[0], modules}
	}
	if major := systemNode(); major < leastNode {
		missing(t, "Node %d or newer is not installed", leastNode)
	}
	return node{"node", modules}
}

// systemNode returns the major version of the system's Node, or 0.
func systemNode() int {
	out, err := exec.Command("node", "--print", "process.versions.node").Output()
	if err != nil {
		return 0
	}
	major, _, _ := strings.Cut(string(out), ".")
	n, _ := strconv.Atoi(major)
	return n
}

// install runs npm where the tools are not those of the lock file; a copy of it
// beside them says what they are.
func install(t *testing.T) {
	t.Helper()
	stamp := filepath.Join(tools, "installed.json")
	lock := readFile(t, "package-lock.json")
	if got, err := os.ReadFile(stamp); err == nil && bytes.Equal(got, lock) {
		return
	}
	if os.Getenv("REQUIRE_SERVICES") != "1" {
		missing(t, "the MCP conformance suite and inspector are not installed; with REQUIRE_SERVICES=1 this test installs them")
	}
	if err := os.MkdirAll(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		writeFile(t, filepath.Join(tools, name), readFile(t, name))
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = tools
	if out, err := cmd.CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		missing(t, "npm is not installed")
	} else if err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	writeFile(t, stamp, lock)
}

// missing skips or fails the test for want of a program.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// outcome is what a program did.
type outcome struct {
	code           int
	stdout, stderr string
}

// giveUp is when a program is taken to hang. Most give up before, and say why.
const giveUp = 2 * time.Minute

// run runs a program of a module and waits for it.
func (n node) run(t *testing.T, module string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), giveUp)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.program, append([]string{filepath.Join(n.modules, module)}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "NO_COLOR=1"}
	cmd.WaitDelay = time.Second
	return finish(t, cmd)
}

// finish runs a command whose exit code is for the caller to judge.
func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func writeFile(t *testing.T, name string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(name, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}
