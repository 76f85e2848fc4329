// Package fault defines the errors that Ambit shows to its callers.
//
// A caller branches on the Code, never on the text. An error that is not a
// *Fault is internal: it is logged, and the caller learns only that it happened.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Fault is an error that may be shown to the caller.
type Fault struct {
	Code       Code
	Detail     string         // what was wrong, in one sentence; no internals
	Fix        string         // what to do next
	Fields     []Field        // for Invalid and Malformed: every field that is wrong
	Info       map[string]any // further members of the problem document, such as run_id
	RetryAfter time.Duration  // when trying again makes sense; 0 says nothing
	Err        error          // cause, for the log only
}

// Field is one wrong part of a request.
type Field struct {
	Path  string   `json:"path"` // such as "split.k" or "files[0]"
	Rule  string   `json:"rule"` // what must hold
	Valid []string `json:"valid,omitempty"`
}

// New returns a Fault with a formatted detail.
func New(code Code, format string, args ...any) *Fault {
	return &Fault{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// WithFix returns f after setting what to do next.
func (f *Fault) WithFix(format string, args ...any) *Fault {
	f.Fix = fmt.Sprintf(format, args...)
	return f
}

// With returns f after adding a member to its problem document.
func (f *Fault) With(key string, value any) *Fault {
	if f.Info == nil {
		f.Info = map[string]any{}
	}
	f.Info[key] = value
	return f
}

// Because returns f after keeping its cause for the log.
func (f *Fault) Because(err error) *Fault {
	f.Err = err
	return f
}

// InvalidFields returns an Invalid fault that lists every wrong field, or nil when there is none.
func InvalidFields(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	f := New(Invalid, "%s: %s.", fields[0].Path, fields[0].Rule)
	if len(fields) > 1 {
		f.Detail = fmt.Sprintf("%d fields are wrong; the first: %s", len(fields), f.Detail)
	}
	f.Fields = fields
	return f.WithFix("Correct the listed fields and send the request again.")
}

// Error includes the cause: it is for logs. Callers are shown Code, Detail and Fix.
func (f *Fault) Error() string {
	if f.Err != nil {
		return fmt.Sprintf("%s: %s: %v", f.Code, f.Detail, f.Err)
	}
	return string(f.Code) + ": " + f.Detail
}

func (f *Fault) Unwrap() error { return f.Err }

// From returns the *Fault in err's chain, or an Internal one that wraps err.
func From(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Code: Internal, Detail: "Ambit failed to do this.", Fix: "Try again; if it happens again, report the request id.", Err: err}
}

// CodeOf returns the code of err, or "" if err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool { return CodeOf(err) == code }
