package worker

import (
	"errors"
	"strings"

	"ambit/engines/duckdb/internal/gate"
	"ambit/internal/fault"
)

// engineFault turns an error of the engine, raised while it ran for a caller,
// into what the caller may see. Errors that are faults already stay.
func engineFault(err error) error {
	var f *fault.Fault
	if err == nil || errors.As(err, &f) {
		return err
	}
	message := err.Error()
	kind, rest, _ := strings.Cut(message, ": ")
	switch {
	case strings.Contains(message, "INTERRUPT"):
		return timedOut()
	case strings.Contains(kind, "Out of Memory"), strings.Contains(message, "bad_alloc"), strings.Contains(message, "llocate"):
		return fault.New(fault.Memory, "The statement needs more memory than a query may have.").
			WithFix("Read fewer rows or columns, aggregate earlier, or sort less.").Because(err)
	case strings.HasPrefix(kind, "INTERNAL"), strings.HasPrefix(kind, "FATAL"), strings.HasPrefix(kind, "IO"), kind == message:
		return fault.New(fault.EngineUnavailable, "The engine failed on this statement.").
			WithFix("Write it in another way; other statements are not affected.").Because(err)
	}
	return fault.New(fault.Invalid, "%s", gate.Clean(rest)).WithFix("Correct the SQL.").Because(err)
}

func timedOut() *fault.Fault {
	return fault.New(fault.Timeout, "The statement took longer than it may.").
		WithFix("Read fewer rows, filter earlier, or aggregate before joining.")
}
