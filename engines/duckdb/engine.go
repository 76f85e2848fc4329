// Package duckdb is the SQL engine: it builds tables from callers' files, runs
// callers' SELECTs over them and reads columns for training.
//
// The server's process never calls the engine. Callers' SQL and files meet it in
// child processes only, one workspace to a child, each with resource limits and
// Landlock, each killed if it does not answer in time. A statement runs only after
// the gate has found every part of its parsed tree on an allow-list.
//
// A built table keeps the rows in the order of the file, and a SELECT without
// ORDER BY over one table returns them in that order: a preview is
// SELECT * FROM "name".
package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
	"ambit/engines/duckdb/internal/worker"
	"ambit/internal/fault"
)

// Config says where the engine works and how. The zero value of a limit takes
// the default that is named with it.
type Config struct {
	Root    string   // folder of built tables; made if need be
	Scratch string   // folder for uploads in progress; made if need be
	Command []string // program and arguments that start a child, which calls ChildMain

	Query  Limits // 512 MiB, no spill, 10 s
	Read   Limits // 1 GiB, no spill, 10 minutes
	Ingest Limits // 2 GiB, 20 GiB of spill, 10 minutes

	MaxRows     int           // of an answer: 10,000
	MaxBytes    int           // of an answer: 8 MiB
	MaxRead     int64         // bytes of columns read at once: 8 GiB
	IngestRows  int64         // of a file: 50,000,000
	Running     int           // queries and reads at once: the number of cores
	Building    int           // ingests at once: half of that, at least 1
	Workers     int           // children at once, idle ones included: 2 Running + Building
	Queue       int           // requests of one workspace that may wait: 32
	MaxWait     time.Duration // for a turn: 10 s; ingests wait as long as their context lets them
	Idle        time.Duration // after which a child is ended: 10 minutes
	Uses        int           // statements after which a child is replaced: 1,000
	SweepAge    time.Duration // younger files are spared by Sweep: 1 hour
	Threads     int           // of one child: the number of cores, at most 4
	BootTimeout time.Duration // 10 s

	InsecureSandbox bool // go on where limits or Landlock cannot be set
	Logger          *slog.Logger
	Now             func() time.Time
}

// Limits bound one kind of work; sizes in bytes.
type Limits struct {
	Memory  uint64 // the engine's own limit; the process may have 500 MiB more
	Spill   uint64 // temporary files
	Timeout time.Duration
}

// Engine runs children. It implements datasets.Engine and is safe for
// concurrent use.
type Engine struct {
	cfg      Config
	log      *slog.Logger
	pool     *pool
	running  *turns
	building *turns
	tables   *tables
	scratch  *instance

	group sync.WaitGroup     // requests in flight
	ended context.Context    // done once Close was called
	end   context.CancelFunc // ends it

	mu     sync.Mutex
	health *Health
}

var _ datasets.Engine = (*Engine)(nil)

// New makes the folders that the engine works in. It starts no child: the first
// request does.
func New(cfg Config) (*Engine, error) {
	if len(cfg.Command) == 0 || cfg.Root == "" || cfg.Scratch == "" {
		return nil, errors.New("the engine needs a root folder, a scratch folder and a command")
	}
	cfg = cfg.withDefaults()
	root, err := filepath.Abs(cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("the root folder: %w", err)
	}
	cfg.Root = root
	tables, err := openTables(root, cfg.SweepAge, cfg.Now)
	if err != nil {
		return nil, err
	}
	scratch, err := newInstance(cfg.Scratch)
	if err != nil {
		return nil, errors.Join(err, tables.close())
	}
	e := &Engine{
		cfg: cfg, log: cfg.Logger, tables: tables, scratch: scratch,
		running: newTurns(cfg.Running, cfg.Queue), building: newTurns(cfg.Building, cfg.Queue),
	}
	e.pool = newPool(cfg, scratch.path)
	e.ended, e.end = context.WithCancel(context.Background())
	return e, nil
}

// Close cancels what is in flight, ends every child, waits until it is gone, and
// removes what was in progress. A second call does nothing.
func (e *Engine) Close() error {
	e.mu.Lock()
	again := e.ended.Err() != nil
	e.end()
	e.mu.Unlock()
	if again {
		return nil
	}
	e.group.Wait()
	e.pool.close()
	return errors.Join(e.scratch.close(), e.tables.close())
}

// begin counts a request in, and ties it to the engine's life. The caller must
// call done.
func (e *Engine) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended.Err() != nil {
		return nil, nil, unavailable(errClosed)
	}
	e.group.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.ended, cancel)
	return ctx, func() { stop(); cancel(); e.group.Done() }, nil
}

// Health is the engine's version and what confines its children.
type Health struct {
	Engine   string `json:"engine"`   // version, such as v1.5.6
	Sandbox  string `json:"sandbox"`  // "full", "partial" or "none"
	Landlock int    `json:"landlock"` // ABI in force; 0 is none
	Limits   bool   `json:"limits"`   // resource limits are set
}

// Health asks a child once, and remembers.
// Faults: engine_unavailable.
func (e *Engine) Health(ctx context.Context) (Health, error) {
	e.mu.Lock()
	known := e.health
	e.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	ctx, done, err := e.begin(ctx)
	if err != nil {
		return Health{}, err
	}
	defer done()
	w, err := e.pool.take(ctx, "", e.cfg.limit(&wire.Boot{}, e.cfg.Query), time.Now().Add(e.cfg.BootTimeout))
	if err != nil {
		return Health{}, err
	}
	e.pool.discard(w)
	h := healthOf(w.booted)
	e.remember(h)
	return h, nil
}

func (e *Engine) remember(h Health) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.health = &h
}

func healthOf(b *wire.Booted) Health {
	h := Health{Engine: b.Engine, Landlock: b.Landlock, Limits: b.Limited, Sandbox: "partial"}
	switch {
	case b.Limited && b.Landlock > 0:
		h.Sandbox = "full"
	case !b.Limited && b.Landlock == 0:
		h.Sandbox = "none"
	}
	return h
}

// ChildMain is a child: it serves requests from stdin until its parent is gone,
// and returns the exit code. Descriptor 3 must be a file that parent and child share.
func ChildMain(args []string, stdin io.Reader, stdout io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(os.Stderr, "an engine child takes no arguments")
		return 2
	}
	return worker.Main(stdin, stdout)
}

func (c Config) withDefaults() Config {
	cores := runtime.GOMAXPROCS(0)
	c.Query = c.Query.or(Limits{Memory: 512 << 20, Timeout: 10 * time.Second})
	c.Read = c.Read.or(Limits{Memory: 1 << 30, Timeout: 10 * time.Minute})
	c.Ingest = c.Ingest.or(Limits{Memory: 2 << 30, Spill: 20 << 30, Timeout: 10 * time.Minute})
	set(&c.MaxRows, 10_000)
	set(&c.MaxBytes, 8<<20)
	set(&c.MaxRead, 8<<30)
	set(&c.IngestRows, 50_000_000)
	set(&c.Running, cores)
	set(&c.Building, max(1, c.Running/2))
	set(&c.Workers, 2*c.Running+c.Building)
	set(&c.Queue, 32)
	set(&c.MaxWait, 10*time.Second)
	set(&c.Idle, 10*time.Minute)
	set(&c.Uses, 1_000)
	set(&c.SweepAge, time.Hour)
	set(&c.Threads, min(cores, 4))
	set(&c.BootTimeout, 10*time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (l Limits) or(d Limits) Limits {
	set(&l.Memory, d.Memory)
	set(&l.Spill, d.Spill)
	set(&l.Timeout, d.Timeout)
	return l
}

// Limits of a child beside the engine's own, in bytes, seconds and numbers.
const (
	overhead = 500 << 20 // private memory beside the engine's
	cpuLife  = 2 * 3600  // a child is replaced long before
	maxFiles = 512       // beside two for each table
)

// limit sets the limits of a child that writes no files.
func (c Config) limit(b *wire.Boot, l Limits) *wire.Boot {
	b.Limits = wire.Limits{
		Memory: l.Memory, Data: l.Memory + overhead, Spill: l.Spill, File: 1 << 12, CPU: cpuLife,
		Files: maxFiles + 2*uint64(len(b.Tables)), Threads: c.Threads,
	}
	b.Insecure = c.InsecureSandbox
	return b
}

// unavailable is the refusal for a child that failed.
func unavailable(err error) *fault.Fault {
	return fault.New(fault.EngineUnavailable, "The engine is not available.").WithFix("Try again.").Because(err)
}
