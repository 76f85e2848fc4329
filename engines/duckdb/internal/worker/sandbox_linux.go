package worker

import (
	"fmt"
	"io"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/child"
)

// Confine sets the child's limits and shuts every file to it but those of its
// task. It returns what holds; with insecure it goes on where something does not.
func Confine(b *wire.Boot) (*wire.Booted, error) {
	booted := &wire.Booted{}
	if err := limit(b.Limits); err == nil {
		booted.Limited = true
	} else if !b.Insecure {
		return nil, fmt.Errorf("setting limits: %w", err)
	}
	abi, err := restrict(b)
	if err != nil && !b.Insecure {
		return nil, fmt.Errorf("setting landlock: %w", err)
	}
	booted.Landlock = abi
	return booted, nil
}

// limit bounds memory with RLIMIT_DATA: the engine reserves address space freely,
// so that RLIMIT_AS would stop it at any useful value.
func limit(l wire.Limits) error {
	return child.Limits{Data: l.Data, CPU: l.CPU, FileSize: l.File, Files: l.Files}.Apply()
}

// restrict applies the newest Landlock that the kernel has. It returns its ABI,
// or 0 and an error if there is none.
func restrict(b *wire.Boot) (int, error) {
	abi, err := llsys.LandlockGetABIVersion()
	if err != nil || abi < 1 {
		return 0, fmt.Errorf("the kernel has no Landlock: %w", err)
	}
	rules := []landlock.Rule{landlock.RODirs("/proc/self", "/proc/sys/vm", "/sys/fs/cgroup", "/sys/devices/system/cpu").IgnoreIfMissing()}
	rules = append(rules, landlock.ROFiles("/proc/meminfo", "/proc/cpuinfo", "/proc/stat").IgnoreIfMissing())
	for _, t := range b.Tables {
		rules = append(rules, landlock.ROFiles(t.Path))
	}
	if b.Source != "" {
		rules = append(rules, landlock.ROFiles(b.Source))
	}
	if b.Output != "" {
		rules = append(rules, landlock.RWDirs(b.Output))
	}
	if err := landlock.V11.BestEffort().Restrict(rules...); err != nil {
		return 0, err
	}
	return abi, nil
}

// private moves the pipe to the parent off descriptor 1, where a library that
// prints would break the frames.
func private(out io.Writer) (io.Writer, error) {
	f, ok := out.(*os.File)
	if !ok || f.Fd() != 1 {
		return out, nil
	}
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, Bulk+1)
	if err != nil {
		return nil, fmt.Errorf("moving standard output: %w", err)
	}
	if err := unix.Dup3(2, 1, 0); err != nil {
		return nil, fmt.Errorf("closing standard output: %w", err)
	}
	return os.NewFile(uintptr(fd), "answers"), nil
}

// cpuSeconds returns the CPU time that the child has used.
func cpuSeconds() float64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
