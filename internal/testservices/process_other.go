//go:build !linux

package testservices

import (
	"os/exec"
	"syscall"
)

// Elsewhere the shell that cleans up ends the servers.

func dieWithParent(*exec.Cmd, syscall.Signal) {}

func detach(*exec.Cmd) {}

func as(*exec.Cmd, uint32, uint32) {}
