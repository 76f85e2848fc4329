package duckdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ambit/datasets"
	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/fault"
)

// Bounds on files beside those of the Config.
const (
	ingestColumns = 2_000
	ingestLine    = 2 << 20
)

// Ingest builds the table of a new version from a caller's file and profiles it.
// The bytes are only counted and hashed here; everything that reads the file as
// CSV or Parquet happens in a child that sees nothing else. On any error nothing
// of the version is left.
func (e *Engine) Ingest(ctx context.Context, in datasets.Ingest) (datasets.Ingested, error) {
	if _, err := e.tables.path(in.Workspace, in.Version); err != nil {
		return datasets.Ingested{}, err
	}
	ctx, done, err := e.begin(ctx)
	if err != nil {
		return datasets.Ingested{}, err
	}
	defer done()
	upload, err := e.stage(ctx, in)
	if err != nil {
		return datasets.Ingested{}, err
	}
	defer os.Remove(upload.path)
	if err := e.building.acquire(ctx, in.Workspace, 0); err != nil {
		return datasets.Ingested{}, err
	}
	defer e.building.release()
	site, err := e.tables.site()
	if err != nil {
		return datasets.Ingested{}, fmt.Errorf("making a place to build: %w", err)
	}
	defer os.RemoveAll(site)
	return e.build(ctx, in, upload, site)
}

// upload is a caller's file on our disk.
type upload struct {
	path   string
	bytes  int64
	sha256 string
}

// stage copies the caller's bytes to a file, up to the limit.
func (e *Engine) stage(ctx context.Context, in datasets.Ingest) (up upload, err error) {
	f, err := os.CreateTemp(e.scratch.path, "upload-")
	if err != nil {
		return up, fmt.Errorf("making a file for the upload: %w", err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, hash), &contextReader{ctx, io.LimitReader(in.Source, in.MaxBytes+1)})
	if err != nil {
		return up, fmt.Errorf("receiving the file: %w", err)
	}
	if n > in.MaxBytes {
		return up, fault.New(fault.TooLarge, "The file has more than %d bytes.", in.MaxBytes).
			WithFix("Send a smaller file, or Parquet, which is smaller for the same rows.")
	}
	return upload{path: f.Name(), bytes: n, sha256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// contextReader stops reading when the context ends.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r *contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(b)
}

// build has a child make the table, and publishes it.
func (e *Engine) build(ctx context.Context, in datasets.Ingest, up upload, site string) (datasets.Ingested, error) {
	deadline := time.Now().Add(e.cfg.Ingest.Timeout)
	boot := e.cfg.limit(&wire.Boot{Source: up.path, Output: site}, e.cfg.Ingest)
	boot.Limits.File = 1 << 40 // the disk is the limit
	p, err := e.pool.take(ctx, "", boot, deadline)
	if err != nil {
		return datasets.Ingested{}, e.logged(err)
	}
	defer e.pool.discard(p)
	request := wire.Request{Op: wire.OpIngest, Ingest: &wire.Ingest{
		Format: in.Format, MaxRows: e.cfg.IngestRows, MaxColumns: ingestColumns, MaxLine: ingestLine,
	}}
	answer, _, err := p.call(ctx, request, deadline)
	if err != nil {
		p.kill() // before its folder is removed
		return datasets.Ingested{}, e.logged(err)
	}
	built := answer.Ingested
	if built == nil || built.File != filepath.Base(built.File) {
		return datasets.Ingested{}, unavailable(fmt.Errorf("a child answered without a table"))
	}
	p.kill()
	if err := e.tables.publish(filepath.Join(site, built.File), in.Workspace, in.Version); err != nil {
		return datasets.Ingested{}, err
	}
	return datasets.Ingested{
		Rows: built.Profile.Rows, Columns: built.Columns, Fingerprint: built.Fingerprint, Bytes: up.bytes, SourceSHA256: up.sha256,
		EngineVersion: p.booted.Engine, Profile: built.Profile, Warnings: built.Warnings,
	}, nil
}

// Remove deletes the table of a version, and ends the children that hold it.
func (e *Engine) Remove(workspace, version string) error {
	path, err := e.tables.path(workspace, version)
	if err != nil {
		return err
	}
	e.pool.forget(path)
	return e.tables.remove(workspace, version)
}

// Sweep removes the tables of versions that keep does not know, unless they are
// younger than Config.SweepAge: such a one may be waiting for its record. It also
// removes what processes left behind that are gone.
func (e *Engine) Sweep(keep func(workspace, version string) bool) error {
	return errors.Join(e.tables.sweep(keep), sweepInstances(filepath.Dir(e.scratch.path)))
}
