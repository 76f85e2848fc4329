// Package jobs runs background work whose rows commit with the effect that asks
// for it. A job is only a trigger: the row that it names is the truth.
package jobs

import (
	"context"
	"time"
)

// Queue hands work to workers.
type Queue interface {
	// Enqueue adds a job to the transaction of ctx. Epoch is the lease epoch
	// that the worker must find on the row: a job of an older one does nothing.
	Enqueue(ctx context.Context, kind Kind, id string, epoch int64) (jobID int64, err error)
	// Cancel withdraws a job, in the transaction of ctx. A job that is gone is no error.
	Cancel(ctx context.Context, jobID int64) error
	// Spent returns those of the jobs that will not be delivered any more: a
	// process took them before the time, or they are over or gone.
	Spent(ctx context.Context, jobIDs []int64, before time.Time) ([]int64, error)
}

// Kind is a kind of work.
type Kind string

// Kinds of work.
const (
	Train    Kind = "train"
	Score    Kind = "score"
	Maintain Kind = "maint"
)

// Kinds is every kind of work. Each has a queue of its own, of the same name.
var Kinds = []Kind{Train, Score, Maintain}

// Worker does one kind of work. Work returns when it is done or ctx ends; its
// outcome is on the row. Ctx ends when the job is cancelled, or some time after
// the process was asked to stop; it has no deadline. A job is delivered at least
// once, and is not tried again when Work fails.
type Worker interface {
	Work(ctx context.Context, id string, epoch int64) error
}
