// Package xgboost fits, scores and explains models with the system's XGBoost 1.7.
//
// The C library is loaded only in child processes (ChildMain): it is not safe
// against what it is given, and it dies with its process. The server itself
// knows how to check a model file (Parse) and how to score single rows
// (Model.Margin), both in Go.
package xgboost

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"ambit/internal/fault"
	"ambit/training"
)

const (
	// DefaultMemory bounds a child's private memory unless Config or Limits say otherwise.
	DefaultMemory = 4 << 30

	defaultGrace = 10 * time.Second // from asking a child to stop to killing it
	startTimeout = time.Minute      // of a child, until it has loaded the library
)

// Config says how the engine's children are started.
type Config struct {
	Command   []string      // runs ChildMain, such as {"/usr/bin/ambit", "trainer"}
	Library   string        // file or name of the library; empty tries the system's names
	Memory    uint64        // private bytes of a child when Limits name none; 0 is DefaultMemory
	Grace     time.Duration // from asking a child to stop to killing it; 0 is 10 s
	Unlimited bool          // run children where the kernel sets no memory limits (outside Linux)
	Logger    *slog.Logger  // hears what children and the library write as errors; nil is silent
}

// Engine starts children. It is safe for concurrent use and holds no resources.
type Engine struct {
	config Config

	mu      sync.Mutex
	version string // of the library; empty until a child has told it
}

var _ training.Engine = (*Engine)(nil)

// New returns an engine. It starts nothing yet.
func New(config Config) *Engine {
	if config.Memory == 0 {
		config.Memory = DefaultMemory
	}
	if config.Grace == 0 {
		config.Grace = defaultGrace
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Engine{config: config}
}

// Version returns the engine's name and version, such as "xgboost 1.7.4". A
// child is asked once; a failure is not kept, so that installing the library
// needs no restart. Fault: engine_unavailable, with the line that installs it.
func (e *Engine) Version() (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.version != "" {
		return e.version, nil
	}
	session, err := e.start(context.Background(), training.Limits{Scratch: os.TempDir()})
	if err != nil {
		return "", err
	}
	defer session.Close()
	e.version = session.version
	return e.version, nil
}

// Open starts a child for one run, as training.Engine says.
// Faults: engine_unavailable.
func (e *Engine) Open(ctx context.Context, limits training.Limits) (training.Session, error) {
	session, err := e.Start(ctx, limits)
	if err != nil {
		return nil, err
	}
	return session, nil
}

// Start is Open for callers who also score and explain.
func (e *Engine) Start(ctx context.Context, limits training.Limits) (*Session, error) {
	if limits.Scratch == "" {
		return nil, fmt.Errorf("starting a trainer: no scratch folder")
	}
	return e.start(ctx, limits)
}

// start makes the child's private folder, starts the child in it and waits
// until it has loaded the library.
func (e *Engine) start(ctx context.Context, limits training.Limits) (*Session, error) {
	if limits.MemoryBytes == 0 {
		limits.MemoryBytes = e.config.Memory
	}
	dir, err := os.MkdirTemp(limits.Scratch, "trainer-")
	if err != nil {
		return nil, fmt.Errorf("making the trainer's folder: %w", err)
	}
	session, err := newSession(e.config, limits, dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, unavailable("The training process cannot be started.").Because(err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout,
		unavailable("The training process did not start within a minute."))
	defer cancel()
	if err := session.hello(ctx, e.config); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}

// unavailable returns the fault of an engine whose children do not run.
func unavailable(detail string) *fault.Fault {
	return fault.New(fault.EngineUnavailable, "%s", detail).
		WithFix("Try again; if it happens again, look at the server's log.")
}
