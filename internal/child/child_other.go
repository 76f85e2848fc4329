//go:build !linux

package child

import (
	"errors"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
func terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// Limits bound a child. They are set on Linux only.
type Limits struct{ Data, CPU, FileSize, Files uint64 }

// Apply fails: without limits a child must not run, unless its operator says so.
func (l Limits) Apply() error { return errors.New("limits are set on Linux only") }

// RSS is known on Linux only.
func RSS(int) uint64 { return 0 }
