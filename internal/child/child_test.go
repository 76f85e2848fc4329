package child_test

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ambit/internal/child"
)

func start(t *testing.T, spec child.Spec) *child.Process {
	t.Helper()
	p, err := child.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func TestNothingIsInherited(t *testing.T) {
	t.Setenv("AMBIT_CHILD_TEST", "leaks")
	p := start(t, child.Spec{Command: []string{"/usr/bin/env"}, Env: []string{"ONLY=this"}})
	out, err := io.ReadAll(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != "ONLY=this" {
		t.Errorf("the child's environment = %q, want only what it was given", got)
	}
}

func TestKillEndsTheWholeGroup(t *testing.T) {
	p := start(t, child.Spec{Command: []string{"/bin/sh", "-c", "sleep 600 & echo $!; wait"}})
	line, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if gone := eventually(func() bool { return syscall.Kill(grandchild, 0) == syscall.ESRCH || zombie(grandchild) }); !gone {
		t.Errorf("process %d of the killed child's group is still there", grandchild)
	}
}

func TestWaitTellsTheLastWords(t *testing.T) {
	p := start(t, child.Spec{Command: []string{"/bin/sh", "-c", "echo 'out of paper' >&2; exit 3"}})
	err := p.Wait()
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "out of paper") {
		t.Errorf("Wait = %v, want the status and the last words", err)
	}
}

func TestStopGivesGrace(t *testing.T) {
	p := start(t, child.Spec{Command: []string{"/bin/sh", "-c", "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done"}})
	out := bufio.NewReader(p.Stdout)
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	p.Stop(time.Minute)
	if err := p.Wait(); err != nil {
		t.Errorf("the child ended with %v, want by itself", err)
	}
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	if p, err := child.Start(child.Spec{Command: []string{"/no/such/program"}}); err == nil {
		p.Kill()
		t.Error("Start of a program that is not there = nil, want an error")
	}
}

func TestRSS(t *testing.T) {
	if got := child.RSS(os.Getpid()); got < 1<<20 {
		t.Errorf("RSS of this process = %d bytes, want over a MiB", got)
	}
	if got := child.RSS(1 << 30); got != 0 {
		t.Errorf("RSS of no process = %d, want 0", got)
	}
}

// eventually polls a condition that another process brings about.
func eventually(done func() bool) bool {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if done() {
			return true
		}
	}
	return false
}

func zombie(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(raw), ") Z ")
}

// TestLongLastWords keeps the first line, which says why, and the last.
func TestLongLastWords(t *testing.T) {
	p := start(t, child.Spec{Command: []string{"/bin/sh", "-c", "echo why >&2; i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1"}})
	if err := p.Wait(); err == nil {
		t.Error("Wait = nil, want the status")
	}
	words := p.LastWords()
	if !strings.HasPrefix(words, "why\nline 0\n") || !strings.Contains(words, "\n…\n") || !strings.HasSuffix(words, "line 2999") || len(words) > 9<<10 {
		t.Errorf("%d bytes: %.20q … %q", len(words), words, words[max(0, len(words)-20):])
	}
}
