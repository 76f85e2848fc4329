// Package child starts and ends the processes that do what the server itself
// must not: run callers' SQL, read callers' files, train models.
package child

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// maxStderr bounds what is kept of a child's last words, in bytes.
const maxStderr = 8 << 10

// Spec says what to start.
type Spec struct {
	Command []string   // program and arguments
	Env     []string   // the whole environment: nothing is inherited
	Dir     string     // working folder; empty is the root folder
	Files   []*os.File // further files, from descriptor 3 on
}

// Process is a running child: its own process group, dead when its parent dies.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cmd    *exec.Cmd
	stderr *words
	done   chan struct{}
	err    error
}

// Start starts a child. The caller must Kill it or wait for it.
func Start(spec Spec) (*Process, error) {
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...)
	cmd.Env = append([]string{}, spec.Env...)
	cmd.Dir = spec.Dir
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.ExtraFiles = spec.Files
	cmd.SysProcAttr = attributes()
	p := &Process{cmd: cmd, stderr: &words{max: maxStderr}, done: make(chan struct{})}
	cmd.Stderr = p.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("child stdin: %w", err)
	}
	stdout, pipe, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("child stdout: %w", err)
	}
	cmd.Stdout = pipe
	p.Stdin, p.Stdout = stdin, stdout
	started := make(chan error)
	go p.run(pipe, started)
	if err := <-started; err != nil {
		stdout.Close()
		return nil, fmt.Errorf("starting %s: %w", spec.Command[0], err)
	}
	return p, nil
}

// run starts the child and waits for it on one operating-system thread: the
// kernel sends the death signal when the thread that forked ends.
func (p *Process) run(pipe *os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	pipe.Close()
	started <- err
	if err != nil {
		close(p.done)
		return
	}
	p.err = p.cmd.Wait()
	killGroup(p.cmd.Process.Pid)
	close(p.done)
}

// Pid returns the child's process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the child to end and returns how it did, its last words included.
func (p *Process) Wait() error {
	<-p.done
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("child ended: %w: %s", p.err, p.LastWords())
}

// LastWords returns what the child wrote to its standard error: the start and the
// end of it, if it was long.
func (p *Process) LastWords() string { return p.stderr.String() }

// Kill ends the child and everything it started, and waits until it is gone.
func (p *Process) Kill() {
	killGroup(p.cmd.Process.Pid)
	<-p.done
	p.Stdin.Close()
	p.Stdout.Close()
}

// Stop asks the child to end, and kills it after the grace time.
func (p *Process) Stop(grace time.Duration) {
	terminate(p.cmd.Process.Pid)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	p.Kill()
}

// words keeps the first and the last of what is written to it, max bytes in
// all: a crash says why in its first line, and then often goes on for pages.
type words struct {
	mu   sync.Mutex
	max  int
	head []byte
	tail bytes.Buffer
	cut  bool
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(b), w.max/2-len(w.head))
	w.head = append(w.head, b[:n]...)
	w.tail.Write(b[n:])
	if over := w.tail.Len() - (w.max - w.max/2); over > 0 {
		w.tail.Next(over)
		w.cut = true
	}
	return len(b), nil
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	between := ""
	if w.cut {
		between = "\n…\n"
	}
	return strings.TrimSpace(string(w.head) + between + w.tail.String())
}
