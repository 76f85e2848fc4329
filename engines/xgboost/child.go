package xgboost

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"ambit/internal/child"
)

// ChildMain is the training process: it answers the requests on stdin, with
// files in its working folder, until stdin ends, and returns its exit code. It
// takes no arguments. One locked thread makes every call of the library: a
// round on another thread draws other random numbers.
func ChildMain(args []string, stdin io.Reader, stdout io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(os.Stderr, "the trainer takes no arguments")
		return 2
	}
	runtime.LockOSThread()
	t := &trainer{out: json.NewEncoder(stdout)}
	requests := listen(stdin, &t.aborted)
	for r := range requests {
		if !t.serve(r) {
			return 1
		}
	}
	return 0
}

// listen reads requests until in ends, when it aborts what runs: a child
// without a parent stops. It keeps the id of what is to be aborted by itself, as
// the thread that trains reads nothing meanwhile.
func listen(in io.Reader, aborted *atomic.Int64) <-chan request {
	requests := make(chan request, 16)
	go func() {
		defer close(requests)
		defer aborted.Store(math.MaxInt64)
		decoder := json.NewDecoder(bufio.NewReader(in))
		for {
			var r request
			if decoder.Decode(&r) != nil {
				return
			}
			if r.Abort {
				aborted.Store(int64(r.ID))
				continue
			}
			requests <- r
		}
	}()
	return requests
}

// trainer is the state of a training process.
type trainer struct {
	out     *json.Encoder
	aborted atomic.Int64 // requests up to this id are to stop
	lib     *library     // nil until opened
	shelf   shelf
}

// serve answers one request and reports whether to go on.
func (t *trainer) serve(r request) bool {
	var e event
	var err error
	switch {
	case r.Open != nil && t.lib == nil:
		e, err = t.open(*r.Open)
	case r.Fit != nil && t.lib != nil:
		e, err = t.fit(r.ID, *r.Fit)
	case r.Score != nil && t.lib != nil:
		e, err = t.score(*r.Score)
	default:
		return false
	}
	if err != nil {
		t.shelf.clear() // handles that took part in an error are not to be trusted
		e = event{Kind: eventFailed, Failure: failureOf(err), Detail: err.Error()}
	}
	e.ID = r.ID
	return t.out.Encode(e) == nil
}

// open sets the memory limit and then loads the library.
func (t *trainer) open(r openRequest) (event, error) {
	limits := child.Limits{Data: ownData() + r.Memory}
	if err := limits.Apply(); err != nil && !r.Unlimited {
		return event{}, fmt.Errorf("limiting memory: %w", err)
	}
	lib, err := openLibrary(r.Library)
	if err != nil {
		return event{}, fmt.Errorf("%w: %w", errMissing, err)
	}
	t.lib = lib
	t.shelf.limit = r.Memory / 2
	return event{Kind: eventReady, Version: lib.name()}, nil
}

// errMissing marks a library that is not there or is another one.
var errMissing = errors.New("no library")

func failureOf(err error) failure {
	switch {
	case errors.Is(err, errMissing):
		return failureMissing
	case strings.Contains(err.Error(), "bad_alloc"):
		return failureMemory
	}
	return failureLibrary
}

// isAborted reports whether a request is to stop.
func (t *trainer) isAborted(id int) bool { return t.aborted.Load() >= int64(id) }

// score answers what a stored model says about rows.
func (t *trainer) score(r scoreRequest) (event, error) {
	info, err := os.Stat(r.Model)
	if err != nil {
		return event{}, fmt.Errorf("looking at the model: %w", err)
	}
	model, err := mapFile(r.Model, info.Size())
	if err != nil {
		return event{}, err
	}
	defer unmap(model)
	b, err := loadBooster(t.lib, model, r.Threads)
	if err != nil {
		return event{}, err
	}
	defer b.free()
	t.shelf.makeRoom(matrixCost(r.Rows.Rows, r.Rows.Cols), 0)
	m, err := loadMatrix(t.lib, r.Rows, r.Threads)
	if err != nil {
		return event{}, err
	}
	defer m.free()
	return event{Kind: eventDone}, b.predict(m, r.What, r.Out)
}
