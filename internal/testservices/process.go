package testservices

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a server that ends when the test binary ends.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	log  bytes.Buffer // what it wrote; read it when done is closed
}

// start starts a server whose death signal is sig. The kernel sends that when
// the thread that started it ends, so one thread starts it and waits for it.
func start(cmd *exec.Cmd, sig syscall.Signal) (*process, error) {
	p := &process{cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	cmd.WaitDelay = time.Second // do not wait for what its children hold open
	dieWithParent(cmd, sig)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	return p, nil
}

// kill ends the server at once and waits until it has.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// ready calls probe until it succeeds, the server ends or a minute is over.
func (p *process) ready(probe func() error) error {
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		err := probe()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended: %s", p.cmd.Path, p.log.String())
		case <-deadline.C:
			return fmt.Errorf("%s does not answer: %w", p.cmd.Path, err)
		case <-again.C:
		}
	}
}

// cleanUp ends the server of a folder and removes the folder, once its standard
// input has ended.
const cleanUp = `cat >/dev/null
for file in "$1"/data/postmaster.pid "$1"/redis.pid; do
	[ -f "$file" ] && kill -QUIT "$(head -n1 "$file")"
done
rm -rf "$1" || { sleep 1; rm -rf "$1"; }`

// removeAtExit removes a folder, and ends the server in it, when this process
// has ended, in whatever way: a shell waits for the end of a pipe whose other
// end only this process holds.
func removeAtExit(dir string) error {
	cmd := exec.Command("/bin/sh", "-c", cleanUp, "sh", dir)
	detach(cmd)
	if _, err := cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting a shell to clean up: %w", err)
	}
	go cmd.Wait() // holds the pipe
	return nil
}
