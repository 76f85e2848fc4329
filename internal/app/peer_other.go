//go:build !linux

package app

import (
	"net"
	"os"
)

// peerUID trusts the socket's mode, 0600, where the kernel does not tell.
func peerUID(net.Conn) (int, error) { return os.Getuid(), nil }
