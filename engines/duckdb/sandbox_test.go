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

// TestKernelSaysNo shows what holds a child that the engine's own settings no
// longer hold: it sees its tables, or its upload, and nothing else.
func TestKernelSaysNo(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("data"), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	table, sibling, foreign, source := write("w/own.duckdb"), write("w/other.duckdb"), write("other/foreign.duckdb"), write("upload")
	output := filepath.Join(dir, "output")
	if err := os.Mkdir(output, 0o755); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	abi, err := llsys.LandlockGetABIVersion()
	if err != nil {
		t.Fatal(err)
	}
	limits := wire.Limits{Memory: 64 << 20, Data: 1 << 30, File: 1 << 20, CPU: 60, Files: 64, Threads: 1}
	tests := []struct {
		name string
		try  confined
		want string
	}{
		{"query", confined{
			Boot: wire.Boot{Limits: limits, Tables: []wire.Table{{Name: "t", Path: table}}},
			Read: []string{table, sibling, foreign, source, "/etc/passwd", fmt.Sprintf("/proc/%d/environ", os.Getpid()), fmt.Sprintf("/proc/%d/cmdline", os.Getpid())},
			List: []string{filepath.Dir(table), "/proc", "/tmp"}, Write: []string{table, filepath.Join(dir, "w/new"), "/dev/shm/ambit-new"},
			Dial: []string{listener.Addr().String()}, Kill: []int{os.Getpid()},
		}, `
			read own.duckdb true
			read other.duckdb false
			read foreign.duckdb false
			read upload false
			read passwd false
			read environ false
			read cmdline false
			list w false
			list proc false
			list tmp false
			write own.duckdb false
			write new false
			write ambit-new false
			dial ` + fmt.Sprint(abi < 4) + `
			signal ` + fmt.Sprint(abi < 6)},
		{"ingest", confined{
			Boot: wire.Boot{Limits: limits, Source: source, Output: output},
			Read: []string{source, table}, List: []string{output}, Write: []string{filepath.Join(output, "new"), source, filepath.Join(dir, "new")},
		}, `
			read upload true
			read own.duckdb false
			list output true
			write new true
			write upload false
			write new false`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			input, err := json.Marshal(tt.try)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], confinedArgument)
			cmd.Stdin = strings.NewReader(string(input))
			out, err := cmd.CombinedOutput()
			if got, want := strings.TrimSpace(string(out)), strings.TrimSpace(strings.ReplaceAll(tt.want, "\t", "")); err != nil || got != want {
				t.Errorf("%v\n got\n%s\nwant\n%s", err, got, want)
			}
		})
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
