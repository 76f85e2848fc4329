package app

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"ambit/api"
	"ambit/audit"
	"ambit/brief"
	"ambit/datasets"
	"ambit/engines/duckdb"
	"ambit/engines/xgboost"
	"ambit/internal/blobs"
	"ambit/internal/idempotency"
	"ambit/internal/ids"
	"ambit/internal/jobs"
	"ambit/internal/store"
	"ambit/mcp"
	"ambit/migrations"
	"ambit/models"
	"ambit/people"
	"ambit/plans"
	"ambit/runs"
	"ambit/scopes"
	"ambit/tokens"
	"ambit/training"
	"ambit/workspaces"
)

// App is Ambit, put together and not yet listening.
type App struct {
	cfg     Config
	log     *slog.Logger
	store   *store.DB
	sql     *duckdb.Engine
	trainer *xgboost.Engine
	limiter limiter
	queue   *jobs.Client
	worker  *runs.Worker
	people  *people.Service
	api     *api.Server
	hosted  *mcp.Hosted // set once, before anything is served

	closing sync.Once
}

// New opens what the configuration names. It listens to nothing and works on nothing yet.
func New(ctx context.Context, cfg Config) (a *App, err error) {
	a = &App{cfg: cfg, log: cfg.logger()}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return a, fmt.Errorf("data folder: %w", err)
	}
	key, err := audit.LoadKey(os.Getenv(audit.KeyEnv), cfg.Data)
	if err != nil {
		return a, err
	}
	if a.store, err = store.Open(ctx, store.Config{Dir: cfg.Data, URL: cfg.DatabaseURL, AuditKey: key, Migrate: migrations.Up, Now: cfg.Now}); err != nil {
		return a, err
	}
	if a.limiter, err = newLimiter(cfg.RedisURL); err != nil {
		return a, err
	}
	if err := a.openEngines(); err != nil {
		return a, err
	}
	return a, a.assemble(ctx, key.Public().(ed25519.PublicKey))
}

// openEngines makes the engines; neither starts a child before it is needed.
func (a *App) openEngines() (err error) {
	scratch := filepath.Join(a.cfg.Data, "scratch")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return err
	}
	a.trainer = xgboost.New(xgboost.Config{Command: a.cfg.child("trainer"), Library: os.Getenv("XGBOOST_LIB"), Unlimited: a.cfg.InsecureSandbox, Logger: a.log})
	a.sql, err = duckdb.New(duckdb.Config{
		Root: filepath.Join(a.cfg.Data, "tables"), Scratch: scratch, Command: a.cfg.child("engine"),
		InsecureSandbox: a.cfg.InsecureSandbox, Logger: a.log,
	})
	return err
}

// child is the command line of a hidden command.
func (c Config) child(name string) []string { return append(append([]string{}, c.Command...), name) }

// assemble hands each noun what it asks for.
func (a *App) assemble(ctx context.Context, key ed25519.PublicKey) error {
	files, err := blobs.OpenFolder(filepath.Join(a.cfg.Data, "files"))
	if err != nil {
		return err
	}
	spaces := &workspaces.Service{Store: a.store, Now: a.cfg.Now}
	a.people = &people.Service{
		Store: a.store, Now: a.cfg.Now, Log: a.log, Hasher: people.NewHasher(), Limiter: a.limiter, MissingWorkspaces: spaces.Missing,
	}
	bearer := &tokens.Service{Store: a.tokenStore(), Now: a.cfg.Now, Log: a.log, ActsFor: a.people.ActsFor, MissingWorkspaces: spaces.Missing}
	tables := &datasets.Service{Store: a.store, Engine: a.sql, Now: a.cfg.Now, MaxBytes: int64(a.cfg.MaxUploadMB) << 20, AgentRows: a.cfg.AgentMaxRows}
	planned := &plans.Service{Store: a.store, Datasets: a.store, Resolver: training.Resolver{Tables: a.sql, Engine: a.trainer}, Now: a.cfg.Now}
	hub := runs.NewHub()
	if err := a.openQueue(ctx, hub, files); err != nil {
		return err
	}
	launched := &runs.Service{Store: a.store, Plans: planned, Queue: a.queue, Hub: hub, Now: a.cfg.Now}
	registry := &models.Service{Store: a.store, Runs: a.store, Plans: a.store, Blobs: files, Open: openModel, Now: a.cfg.Now}
	a.api, err = api.New(api.Config{
		Routes: scopes.Routes, Tokens: bearer, People: a.people, Workspaces: spaces, Datasets: tables, Plans: planned,
		Runs: launched, Models: registry, Audit: a.store, AuditKey: key, Replays: a.replays(), Directory: a.store, Limiter: a.limiter,
		Brief:  &brief.Service{Workspaces: spaces, Datasets: tables, Plans: planned, Runs: launched, Models: registry},
		Health: a.health, Degraded: a.limiter.Degraded, ToolContract: ToolContract(),
		MCP:     http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.hosted.ServeHTTP(w, r) }),
		Version: api.Version{Version: a.cfg.Version, Commit: a.cfg.Commit, Go: runtime.Version()},
		Secure:  a.cfg.secure(), Now: a.cfg.Now, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.hosted, err = a.mountMCP()
	return err
}

// replays is what keeps requests to one effect.
func (a *App) replays() idempotency.Store {
	if a.cfg.Replays != nil {
		return a.cfg.Replays(a.store)
	}
	return a.store
}

// beatsPerLease is how often a lease is extended, and lost ones are looked for,
// while one lasts.
const beatsPerLease = 6

// openQueue makes the queue and the worker that it hands runs to.
func (a *App) openQueue(ctx context.Context, hub *runs.Hub, files blobs.Store) (err error) {
	a.worker = &runs.Worker{
		Store: a.store, Plans: a.store, Blobs: files, Hub: hub, Tx: a.store.Tx, Owner: ids.New("worker"), Now: a.cfg.Now, Log: a.log,
		TTL: a.cfg.Lease, Beat: a.cfg.Lease / beatsPerLease, Reap: a.cfg.Lease / beatsPerLease,
		Trainer: &training.Trainer{
			Engine: a.trainer, Tables: a.sql, Evaluator: evaluator{}, Scratch: filepath.Join(a.cfg.Data, "scratch"),
			NewID: func() string { return ids.New("tr") },
		},
	}
	pool, err := a.store.Pool()
	if err != nil {
		return err
	}
	work := jobs.Config{
		Pool: pool, SQLite: a.cfg.DatabaseURL == "", ListenURL: a.cfg.DatabaseURL, Tx: a.store.SQLTx, AfterCommit: a.store.AfterCommit,
		Grace: workGrace, Log: slog.New(onlyErrors{a.log.Handler()}),
	}
	if a.cfg.TrainWorkers > 0 {
		work.Workers = map[jobs.Kind]jobs.Worker{jobs.Train: a.worker}
		work.Slots = map[jobs.Kind]int{jobs.Train: a.cfg.TrainWorkers}
	}
	a.queue, err = jobs.New(ctx, work)
	a.worker.Queue = a.queue
	return err
}

// tokenStore remembers tokens where this process is the only one that changes
// them. PostgreSQL may have other replicas: there every request reads the row.
func (a *App) tokenStore() tokens.Store {
	if a.cfg.DatabaseURL != "" {
		return a.store
	}
	return &tokens.Cache{Store: a.store, AfterCommit: a.store.AfterCommit}
}

// API is the server's handler.
func (a *App) API() *api.Server { return a.api }

// Operator is the handler of the host's operator.
func (a *App) Operator() http.Handler { return a.api.Operator() }

// SetupSecret returns the one-time secret that makes the first admin, or "" when
// there are people already.
func (a *App) SetupSecret(ctx context.Context) (string, error) {
	n, err := a.store.CountPeople(ctx)
	if err != nil || n > 0 {
		return "", err
	}
	return a.people.SetupLink(ctx)
}

// Close lets go of everything, in the reverse order of New.
func (a *App) Close() (err error) {
	a.closing.Do(func() {
		if a.api != nil {
			a.api.Close()
		}
		if a.sql != nil {
			err = errors.Join(err, a.sql.Close())
		}
		if a.limiter != nil {
			err = errors.Join(err, a.limiter.Close())
		}
		if a.store != nil {
			err = errors.Join(err, a.store.Close())
		}
	})
	return err
}
