package duckdb

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen lets more bytes lie in a pipe, so that both ends wait less. It is no loss
// where the system does not allow it.
func widen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
}
