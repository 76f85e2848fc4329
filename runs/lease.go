package runs

import "errors"

// ErrFenced says that another worker has the run: stop, and write nothing more.
var ErrFenced = errors.New("the lease is lost: another worker has this run")
