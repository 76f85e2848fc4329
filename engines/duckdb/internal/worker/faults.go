package worker

import (
	"errors"
	"strings"

	"ambit/engines/duckdb/internal/gate"
	"ambit/internal/fault"
)

// engineFault turns an error that was raised while the engine ran for a caller
// into what the caller may see. Faults stay what they are.
func engineFault(err error) error {
	var f *fault.Fault
	var said engineError
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case !errors.As(err, &said):
		return broken(err)
	}
	kind, rest, _ := strings.Cut(string(said), ": ")
	switch {
	case strings.Contains(kind, "INTERRUPT"):
		return timedOut()
	case strings.Contains(kind, "Out of Memory"), strings.Contains(string(said), "bad_alloc"), strings.Contains(string(said), "Failed to allocate"):
		return fault.New(fault.Memory, "The statement needs more memory than a query may have.").
			WithFix("Read fewer rows or columns, aggregate earlier, or sort less.").Because(err)
	case !strings.HasSuffix(kind, "Error"), strings.HasPrefix(kind, "INTERNAL"), strings.HasPrefix(kind, "FATAL"), strings.HasPrefix(kind, "IO"):
		return broken(err)
	}
	// The engine names a table by the whole of its path, which a query may not write.
	return fault.New(fault.Invalid, "%s", gate.Clean(strings.ReplaceAll(rest, "memory.main.", ""))).WithFix("Correct the SQL.").Because(err)
}

// broken is a failure of the engine, not of the statement.
func broken(err error) *fault.Fault {
	return fault.New(fault.EngineUnavailable, "The engine failed on this statement.").
		WithFix("Write it in another way; other statements are not affected.").Because(err)
}

func timedOut() *fault.Fault {
	return fault.New(fault.Timeout, "The statement took longer than it may.").
		WithFix("Read fewer rows, filter earlier, or aggregate before joining.")
}
