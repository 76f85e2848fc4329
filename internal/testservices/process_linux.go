package testservices

import (
	"os/exec"
	"syscall"
)

// dieWithParent gives the child a process group of its own and a signal for
// the case that we die.
func dieWithParent(cmd *exec.Cmd, sig syscall.Signal) {
	attributes(cmd).Setpgid = true
	attributes(cmd).Pdeathsig = sig
}

// detach lets the child outlive us, and what a terminal sends to us.
func detach(cmd *exec.Cmd) { attributes(cmd).Setpgid = true }

// as runs the child as another user.
func as(cmd *exec.Cmd, uid, gid uint32) {
	attributes(cmd).Credential = &syscall.Credential{Uid: uid, Gid: gid}
}

func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}
