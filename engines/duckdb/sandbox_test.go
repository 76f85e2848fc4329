package duckdb

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"ambit/engines/duckdb/internal/wire"
	"ambit/engines/duckdb/internal/worker"
	"ambit/internal/fault"
)

// Arguments that make the test binary something else than the tests.
const (
	confinedArgument = "confined"       // confine as a child does, then try what a child must not
	layeredArgument  = "layered-engine" // a child on a machine where Landlock cannot be set
)

// confined is what a confined process tries.
type confined struct {
	Boot  wire.Boot
	Read  []string // files
	List  []string // folders
	Write []string // files
	Dial  []string // addresses
	Kill  []int    // processes
}

// tryConfined runs in a process of its own and prints one line for each attempt.
func tryConfined() int {
	var c confined
	if err := json.NewDecoder(os.Stdin).Decode(&c); err != nil {
		return 1
	}
	if _, err := worker.Confine(&c.Boot); err != nil {
		fmt.Println("confine:", err)
		return 1
	}
	for _, path := range c.Read {
		_, err := os.ReadFile(path)
		fmt.Println("read", filepath.Base(path), err == nil)
	}
	for _, path := range c.List {
		_, err := os.ReadDir(path)
		fmt.Println("list", filepath.Base(path), err == nil)
	}
	for _, path := range c.Write {
		err := os.WriteFile(path, []byte("x"), 0o600)
		fmt.Println("write", filepath.Base(path), err == nil)
	}
	for _, address := range c.Dial {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		fmt.Println("dial", err == nil)
	}
	for _, pid := range c.Kill {
		fmt.Println("signal", syscall.Kill(pid, 0) == nil)
	}
	return 0
}

// rooms are folders with the files of two workspaces, an upload and an output.
type rooms struct{ own, sibling, foreign, upload, output, fresh string }

func newRooms(t *testing.T) rooms {
	t.Helper()
	dir := t.TempDir()
	r := rooms{dir + "/w/own", dir + "/w/sibling", dir + "/other/foreign", dir + "/upload", dir + "/output", dir + "/w/fresh"}
	for _, folder := range []string{dir + "/w", dir + "/other", r.output} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{r.own, r.sibling, r.foreign, r.upload} {
		if err := os.WriteFile(file, []byte("data"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// try has a process confine itself and try, and returns what it printed.
func (c confined) try(t *testing.T) string {
	t.Helper()
	c.Boot.Limits = wire.Limits{Memory: 64 << 20, Data: 1 << 30, File: 1 << 20, CPU: 60, Files: 64, Threads: 1}
	input, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], confinedArgument)
	cmd.Stdin = strings.NewReader(string(input))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// The two tests below show what holds a child that the engine's own settings no
// longer hold: it sees its tables, or its upload, and nothing else.

func TestKernelHoldsQueries(t *testing.T) {
	abi, err := llsys.LandlockGetABIVersion()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	r, parent := newRooms(t), fmt.Sprintf("/proc/%d/", os.Getpid())
	got := confined{
		Boot:  wire.Boot{Tables: []wire.Table{{Name: "t", Path: r.own}}},
		Read:  []string{r.own, r.sibling, r.foreign, r.upload, "/etc/passwd", parent + "environ", parent + "cmdline"},
		List:  []string{filepath.Dir(r.own), "/proc", "/tmp"},
		Write: []string{r.own, r.fresh, "/dev/shm/ambit-fresh"},
		Dial:  []string{listener.Addr().String()}, Kill: []int{os.Getpid()},
	}.try(t)
	want := "read own true\nread sibling false\nread foreign false\nread upload false\nread passwd false\nread environ false\nread cmdline false\n" +
		"list w false\nlist proc false\nlist tmp false\nwrite own false\nwrite fresh false\nwrite ambit-fresh false\n" +
		fmt.Sprintf("dial %v\nsignal %v", abi < 4, abi < 6) // older kernels cannot
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestKernelHoldsIngests(t *testing.T) {
	r := newRooms(t)
	got := confined{
		Boot: wire.Boot{Source: r.upload, Output: r.output},
		Read: []string{r.upload, r.own}, List: []string{r.output}, Write: []string{r.output + "/fresh", r.upload, r.fresh},
	}.try(t)
	if want := "read upload true\nread own false\nlist output true\nwrite fresh true\nwrite upload false\nwrite fresh false"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// layeredEngine is a child that has used up Landlock: the kernel takes 16 layers.
func layeredEngine() int {
	for range 16 {
		if err := landlock.V1.RestrictPaths(landlock.RWDirs("/")); err != nil {
			return 3
		}
	}
	return ChildMain(nil, os.Stdin, os.Stdout)
}

func TestSandboxIsDemanded(t *testing.T) {
	layered := []string{os.Args[0], layeredArgument}
	t.Run("refused", func(t *testing.T) {
		e := newEngine(t, func(c *Config) { c.Command = layered })
		_, err := e.Health(t.Context())
		if f := fault.From(err); f.Code != fault.EngineUnavailable || !strings.Contains(f.Detail, "sandbox") {
			t.Errorf("health: got %v, want engine_unavailable about the sandbox", err)
		}
		if _, err := ask(t, e, "w", "SELECT 1"); fault.CodeOf(err) != fault.EngineUnavailable {
			t.Errorf("query: got %v, want engine_unavailable", err)
		}
	})
	t.Run("insecure", func(t *testing.T) {
		e := newEngine(t, func(c *Config) { c.Command, c.InsecureSandbox = layered, true })
		h, err := e.Health(t.Context())
		if want := (Health{Engine: engineVersion, Sandbox: "partial", Landlock: 0, Limits: true}); err != nil || h != want {
			t.Errorf("health: got %+v, %v; want %+v", h, err, want)
		}
		if r, err := ask(t, e, "w", "SELECT 1"); err != nil || rowsOf(r) != "[1]" {
			t.Errorf("query: got %v, %v; want [1]", r.Rows, err)
		}
	})
}

func TestHealth(t *testing.T) {
	e := newEngine(t, nil)
	h, err := e.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if h.Engine != engineVersion || h.Sandbox != "full" || h.Landlock < 1 || !h.Limits {
		t.Errorf("got %+v, want %s, full, with Landlock and limits", h, engineVersion)
	}
	e.pool.close() // a second call asks nobody
	if again, err := e.Health(t.Context()); err != nil || again != h {
		t.Errorf("again: got %+v, %v; want %+v", again, err, h)
	}
}
