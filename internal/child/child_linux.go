package child

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
func terminate(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// Limits bound a child. Zero sets no limit.
type Limits struct {
	Data     uint64 // bytes of private memory
	CPU      uint64 // seconds
	FileSize uint64 // bytes of one written file
	Files    uint64 // open files
}

// Apply sets the limits on the calling process; core dumps are always off.
func (l Limits) Apply() error {
	set := []struct {
		what  int
		value uint64
	}{
		{unix.RLIMIT_DATA, l.Data}, {unix.RLIMIT_CPU, l.CPU},
		{unix.RLIMIT_FSIZE, l.FileSize}, {unix.RLIMIT_NOFILE, l.Files},
	}
	for _, s := range set {
		if s.value == 0 {
			continue
		}
		if err := unix.Setrlimit(s.what, &unix.Rlimit{Cur: s.value, Max: s.value}); err != nil {
			return fmt.Errorf("setting limit %d: %w", s.what, err)
		}
	}
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// RSS returns the resident memory of a process in bytes, or 0 if it is gone.
func RSS(pid int) uint64 {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(fields[1], 10, 64)
	return pages * uint64(os.Getpagesize())
}
