package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ambit/engines/duckdb"
	"ambit/engines/xgboost"
	"ambit/internal/fault"
)

// Health is what people may know of the inside.
type Health struct {
	Database string `json:"database"` // sqlite or postgres
	Redis    string `json:"redis"`    // off, ok or degraded
	SQL      any    `json:"sql_engine"`
	Training Engine `json:"training_engine"`
}

// Engine says whether an engine can be used.
type Engine struct {
	Version string `json:"version,omitempty"`
	Problem string `json:"problem,omitempty"`
	Fix     string `json:"fix,omitempty"`
}

func (a *App) health(ctx context.Context) any {
	h := Health{Database: "sqlite", Redis: "off", SQL: sqlHealth(ctx, a.sql), Training: trainingHealth(a.trainer)}
	if a.cfg.DatabaseURL != "" {
		h.Database = "postgres"
	}
	if a.cfg.RedisURL != "" {
		h.Redis = "ok"
		if a.limiter.Degraded() {
			h.Redis = "degraded"
		}
	}
	return h
}

func sqlHealth(ctx context.Context, e *duckdb.Engine) any {
	h, err := e.Health(ctx)
	if err != nil {
		return engineProblem(err)
	}
	return h
}

func trainingHealth(e *xgboost.Engine) Engine {
	v, err := e.Version()
	if err != nil {
		return engineProblem(err)
	}
	return Engine{Version: v}
}

func engineProblem(err error) Engine {
	f := fault.From(err)
	return Engine{Problem: f.Detail, Fix: f.Fix}
}

// Check is one finding of the doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// Word says how the check went.
func (c Check) Word() string {
	if c.OK {
		return "ok"
	}
	return "bad"
}

// Doctor checks what this machine offers, without opening the data folder's database.
func Doctor(ctx context.Context, cfg Config) []Check {
	checks := []Check{folderCheck(cfg.Data)}
	scratch, err := os.MkdirTemp("", "ambit-doctor-")
	if err != nil {
		return append(checks, Check{Name: "scratch", Detail: err.Error()})
	}
	defer os.RemoveAll(scratch)
	sql, err := duckdb.New(duckdb.Config{
		Root: filepath.Join(scratch, "tables"), Scratch: scratch, Command: cfg.child("engine"), InsecureSandbox: cfg.InsecureSandbox, Logger: cfg.logger(),
	})
	if err != nil {
		checks = append(checks, Check{Name: "sql engine", Detail: err.Error()})
	} else {
		defer sql.Close()
		checks = append(checks, sqlCheck(ctx, sql))
	}
	trainer := xgboost.New(xgboost.Config{Command: cfg.child("trainer"), Library: os.Getenv("XGBOOST_LIB"), Unlimited: cfg.InsecureSandbox, Logger: cfg.logger()})
	h := trainingHealth(trainer)
	return append(checks, Check{Name: "training engine", OK: h.Problem == "", Detail: sentence(h.Version, h.Problem, h.Fix)})
}

func sqlCheck(ctx context.Context, e *duckdb.Engine) Check {
	h, err := e.Health(ctx)
	if err != nil {
		f := fault.From(err)
		return Check{Name: "sql engine", Detail: sentence(f.Detail, f.Fix)}
	}
	return Check{Name: "sql engine", OK: true, Detail: fmt.Sprintf("DuckDB %s, sandbox %s (Landlock ABI %d, limits %t)", h.Engine, h.Sandbox, h.Landlock, h.Limits)}
}

// sentence puts what there is of the parts after one another.
func sentence(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// folderCheck makes sure that the data folder is, or can become, the server's own.
func folderCheck(data string) Check {
	c := Check{Name: "data folder", Detail: data}
	info, err := os.Stat(data)
	switch {
	case os.IsNotExist(err):
		c.OK, c.Detail = true, data+" (made at the first start)"
	case err != nil:
		c.Detail = err.Error()
	case info.Mode().Perm()&0o077 != 0:
		c.Detail = fmt.Sprintf("%s may be read by others: mode %o, want 700", data, info.Mode().Perm())
	default:
		c.OK = true
	}
	return c
}

// RemoveData removes a data folder whole. The folders of tables are read-only,
// so they are opened first.
func RemoveData(data string) error {
	err := filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(data)
}
