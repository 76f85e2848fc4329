package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
)

// Config says where jobs are kept and who works on them.
type Config struct {
	Pool      *sql.DB // writes; on SQLite it is one connection
	SQLite    bool    // the database is SQLite, and this process is alone with it
	ListenURL string  // PostgreSQL's URL, to be told of jobs at once; "" looks for them twice a second

	// Tx returns the transaction that a context carries, and whether there is one.
	Tx func(ctx context.Context) (*sql.Tx, bool)
	// AfterCommit calls f when the transaction of ctx has committed.
	AfterCommit func(ctx context.Context, f func())

	Workers map[Kind]Worker // none: this process adds jobs and works on none
	Slots   map[Kind]int    // jobs of a kind at the same time; 0 is 1

	Grace time.Duration // for work to end by itself when the process stops; 0 is 20 s
	Log   *slog.Logger  // nil discards
}

// Times of the queue.
const (
	defaultGrace = 20 * time.Second
	pollTold     = time.Second            // between looks for jobs when we are told of them: only in case
	pollUntold   = 500 * time.Millisecond // between looks when we are not
	rescueAfter  = time.Minute            // a cancelled job of a worker that died is closed after this
)

// Client is the queue. It adds jobs from when it is made, and works on them
// between Start and Stop.
type Client struct {
	config   Config
	river    *river.Client[*sql.Tx]
	bell     *bell         // SQLite
	listener *pgxpool.Pool // PostgreSQL, with ListenURL
}

var _ Queue = (*Client)(nil)

// New returns a queue. Its tables are made by the migrations.
func New(ctx context.Context, c Config) (*Client, error) {
	if c.Pool == nil || c.Tx == nil || c.AfterCommit == nil {
		return nil, errors.New("jobs: a pool, Tx and AfterCommit are needed")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	q := &Client{config: c}
	driver, told, err := q.driver(ctx)
	if err != nil {
		return nil, err
	}
	config := &river.Config{
		JobTimeout: -1, MaxAttempts: 1, RescueStuckJobsAfter: rescueAfter, SoftStopTimeout: c.Grace,
		FetchPollInterval: pollTold, PollOnly: !told, Logger: c.Log,
	}
	if !told {
		config.FetchPollInterval = pollUntold
	}
	if err := addWorkers(config, c); err != nil {
		return nil, err
	}
	if q.river, err = river.NewClient(driver, config); err != nil {
		return nil, fmt.Errorf("making the job queue: %w", err)
	}
	return q, nil
}

// driver returns the queue's way to the database, and whether it is told of jobs.
func (q *Client) driver(ctx context.Context) (_ riverdriver.Driver[*sql.Tx], told bool, err error) {
	if q.config.SQLite {
		q.bell = newBell()
		return newSQLiteDriver(q.config.Pool, q.bell), true, nil
	}
	if q.config.ListenURL == "" || len(q.config.Workers) == 0 {
		return riverdatabasesql.New(q.config.Pool), false, nil
	}
	c, err := pgxpool.ParseConfig(q.config.ListenURL)
	if err != nil {
		return nil, false, fmt.Errorf("reading the queue's URL: %w", err)
	}
	c.MinConns, c.MaxConns = 0, 1
	if q.listener, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return nil, false, fmt.Errorf("connecting the queue: %w", err)
	}
	return riverdatabasesql.NewWithPgxListener(q.config.Pool, q.listener), true, nil
}

// addWorkers gives every worker the queue of its kind.
func addWorkers(config *river.Config, c Config) error {
	if len(c.Workers) == 0 {
		return nil
	}
	config.Workers, config.Queues = river.NewWorkers(), map[string]river.QueueConfig{}
	for kind, w := range c.Workers {
		if !slices.Contains(Kinds, kind) {
			return fmt.Errorf("jobs: no kind of work is called %q", kind)
		}
		river.AddWorkerArgs(config.Workers, args{kind: kind}, &worker{work: w})
		config.Queues[string(kind)] = river.QueueConfig{MaxWorkers: max(c.Slots[kind], 1)}
	}
	return nil
}

// Enqueue adds a job to the transaction of ctx. One that is there already, of
// the same kind, id and epoch, is not added again; its id is returned.
func (q *Client) Enqueue(ctx context.Context, kind Kind, id string, epoch int64) (int64, error) {
	tx, ok := q.config.Tx(ctx)
	if !ok {
		return 0, errors.New("jobs: a job outside of a transaction")
	}
	if !slices.Contains(Kinds, kind) {
		return 0, fmt.Errorf("jobs: no kind of work is called %q", kind)
	}
	added, err := q.river.InsertTx(ctx, tx, args{kind: kind, ID: id, Epoch: epoch}, &river.InsertOpts{
		Queue: string(kind), MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByArgs: true},
	})
	if err != nil {
		return 0, fmt.Errorf("adding a job: %w", err)
	}
	q.tell(ctx, func(b *bell) { b.added(string(kind)) })
	return added.Job.ID, nil
}

// Cancel withdraws a job, in the transaction of ctx. The context of one that is
// worked on ends soon after the commit, in whichever process that is.
func (q *Client) Cancel(ctx context.Context, jobID int64) error {
	tx, ok := q.config.Tx(ctx)
	if !ok {
		return errors.New("jobs: a job outside of a transaction")
	}
	job, err := q.river.JobCancelTx(ctx, tx, jobID)
	if errors.Is(err, river.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cancelling a job: %w", err)
	}
	q.tell(ctx, func(b *bell) { b.cancelled(job.Queue, job.ID) })
	return nil
}

// tell rings the bell of SQLite once ctx's transaction has committed;
// PostgreSQL tells by itself.
func (q *Client) tell(ctx context.Context, ring func(*bell)) {
	if q.bell != nil {
		q.config.AfterCommit(ctx, func() { ring(q.bell) })
	}
}

// Start begins to work on jobs. When ctx ends no new ones are taken.
func (q *Client) Start(ctx context.Context) error {
	if len(q.config.Workers) == 0 {
		return nil
	}
	if err := q.river.Start(ctx); err != nil {
		return fmt.Errorf("starting the job queue: %w", err)
	}
	return nil
}

// Stop takes no new jobs and waits for those that are worked on; their contexts
// end after the grace time, or when ctx ends.
func (q *Client) Stop(ctx context.Context) error {
	var err error
	if len(q.config.Workers) > 0 {
		if err = q.river.Stop(ctx); err != nil && ctx.Err() != nil {
			err = q.river.StopAndCancel(context.WithoutCancel(ctx))
		}
	}
	if q.listener != nil {
		q.listener.Close()
	}
	return err
}

// args is what a job carries: enough to find the row and to tell whether it is
// still meant. The epoch is part of what is unique: the job of a worker that
// died stays "running" and must not keep the next one out.
type args struct {
	kind  Kind
	ID    string `json:"id" river:"unique"`
	Epoch int64  `json:"epoch" river:"unique"`
}

// Kind is the name under which the queue finds the worker.
func (a args) Kind() string { return string(a.kind) }

// worker hands a job of the queue to a Worker of ours.
type worker struct {
	river.WorkerDefaults[args]
	work Worker
}

// Timeout sets none: the row's own limits count.
func (*worker) Timeout(*river.Job[args]) time.Duration { return -1 }

func (w *worker) Work(ctx context.Context, job *river.Job[args]) error {
	return w.work.Work(ctx, job.Args.ID, job.Args.Epoch)
}
