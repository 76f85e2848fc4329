package duckdb

import (
	"context"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/gate"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// Query runs one SELECT over the tables of one workspace. It answers at the
// latest 300 ms after the query's time is up, counted from when its turn has come.
func (e *Engine) Query(ctx context.Context, q datasets.Query) (datasets.Result, error) {
	if err := gate.Precheck(q.SQL); err != nil {
		return datasets.Result{}, err
	}
	boot, err := e.catalogue(q.Workspace, q.Tables)
	if err != nil {
		return datasets.Result{}, err
	}
	e.cfg.limit(boot, e.cfg.Query)
	r := wire.Request{Op: wire.OpQuery, Query: &wire.Query{
		SQL: q.SQL, MaxRows: atMost(q.MaxRows, e.cfg.MaxRows), MaxBytes: e.cfg.MaxBytes, Timeout: atMost(q.Timeout, e.cfg.Query.Timeout),
	}}
	answer, body, err := e.run(ctx, job{workspace: q.Workspace, profile: "query", boot: boot, request: r, timeout: r.Query.Timeout})
	if err != nil {
		return datasets.Result{}, err
	}
	return result(answer.Rows, body)
}

func atMost[T int | time.Duration](asked, limit T) T {
	if asked <= 0 || asked > limit {
		return limit
	}
	return asked
}

func result(set *wire.RowSet, body []byte) (datasets.Result, error) {
	if set == nil {
		return datasets.Result{}, unavailable(fmt.Errorf("a child answered without rows"))
	}
	rows, err := wire.Rows(body)
	if err != nil {
		return datasets.Result{}, unavailable(err)
	}
	return datasets.Result{
		Columns: set.Columns, Rows: rows, HasMore: set.HasMore, Nonfinite: set.Nonfinite, ElapsedMS: set.ElapsedMS, QueryHash: set.QueryHash,
	}, nil
}

// catalogue returns a boot with the tables, whose files must exist.
func (e *Engine) catalogue(workspace string, list []datasets.Table) (*wire.Boot, error) {
	boot := &wire.Boot{}
	for _, t := range list {
		path, err := e.tables.path(workspace, t.Version)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, unavailable(fmt.Errorf("the table of version %s: %w", t.Version, err))
		}
		boot.Tables = append(boot.Tables, wire.Table{Name: t.Name, Path: path, Masked: t.Masked})
	}
	return boot, nil
}

// job is work for a child that stays booted for more of its kind.
type job struct {
	workspace string
	profile   string
	boot      *wire.Boot
	request   wire.Request
	timeout   time.Duration
	bulk      func(io.Reader) error // takes what comes through the bulk pipe while the child works
}

// key names the children that can do a job: same profile, workspace and tables.
func (j job) key() string {
	parts := make([]string, 0, len(j.boot.Tables))
	for _, t := range j.boot.Tables {
		parts = append(parts, fmt.Sprintf("%q=%q%q", t.Name, t.Path, t.Masked))
	}
	sort.Strings(parts)
	return j.profile + " " + j.workspace + " " + strings.Join(parts, " ")
}

// run waits for a turn and has a child do the job.
func (e *Engine) run(ctx context.Context, j job) (wire.Answer, []byte, error) {
	ctx, done, err := e.begin(ctx)
	if err != nil {
		return wire.Answer{}, nil, err
	}
	defer done()
	if err := e.running.acquire(ctx, j.workspace, e.cfg.MaxWait); err != nil {
		return wire.Answer{}, nil, err
	}
	defer e.running.release()
	deadline := time.Now().Add(j.timeout)
	p, err := e.pool.take(ctx, j.key(), j.boot, deadline)
	if err != nil {
		return wire.Answer{}, nil, e.logged(err)
	}
	defer e.pool.put(p)
	if j.request.Query != nil {
		j.request.Query.Timeout = time.Until(deadline)
	}
	answer, body, err := p.callWith(ctx, j.request, deadline, j.bulk)
	return answer, body, e.logged(err)
}

// logged logs the cause of a fault of ours; refusals of a caller's work are not news.
func (e *Engine) logged(err error) error {
	if code := fault.CodeOf(err); code == fault.EngineUnavailable || code == fault.Memory {
		e.log.Warn("engine child", "code", code, "cause", fault.From(err).Err)
	}
	return err
}
