package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// env is a built Ambit with a workspace, tokens and data.
type env struct {
	dir       string // of everything that is made here
	binary    string
	server    *process
	workspace string
	token     string
	http      *http.Client
}

// process is a server that is measured from outside.
type process struct {
	cmd *exec.Cmd
	url string
}

func newEnv(ctx context.Context) (e *env, err error) {
	e = &env{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	if e.dir, err = os.MkdirTemp("", "ambit-bench-"); err != nil {
		return nil, err
	}
	e.binary = filepath.Join(e.dir, "ambit")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", e.binary, "./cmd/ambit")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	if e.server, err = e.serve(ctx, "data", "--train-workers", "1"); err != nil {
		return nil, err
	}
	return e, e.populate(ctx)
}

// serve starts a server on a data folder and waits until it answers.
func (e *env) serve(ctx context.Context, data string, args ...string) (*process, error) {
	ready := filepath.Join(e.dir, data+".ready")
	os.Remove(ready)
	cmd := exec.CommandContext(ctx, e.binary, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(e.dir, data),
		"--ready-file", ready, "--log-level", "warn"}, args...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for range 2000 {
		var at struct{ URL string }
		if raw, err := os.ReadFile(ready); err == nil && json.Unmarshal(raw, &at) == nil {
			return &process{cmd: cmd, url: at.URL}, nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, errors.New("the server did not come up")
}

func (p *process) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	p.cmd.Wait()
}

func (e *env) close() {
	if e.server != nil {
		e.server.stop()
	}
	filepath.WalkDir(e.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(e.dir)
}

// operator runs a command of the host's operator.
func (e *env) operator(ctx context.Context, out any, args ...string) error {
	cmd := exec.CommandContext(ctx, e.binary, append(args, "--data", filepath.Join(e.dir, "data"), "--json")...)
	cmd.Stderr = os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("ambit %v: %w", args, err)
	}
	return json.Unmarshal(raw, out)
}

func (e *env) populate(ctx context.Context) error {
	var made struct{ ID, Token string }
	if err := e.operator(ctx, &made, "workspace", "add", "--name", "bench"); err != nil {
		return err
	}
	e.workspace = made.ID
	if err := e.operator(ctx, &made, "person", "add", "--email", "bench@example.com", "--role", "admin"); err != nil {
		return err
	}
	err := e.operator(ctx, &made, "token", "mint", "--scope", "builder", "--workspace", e.workspace, "--max-concurrent", "100", "--max-daily", "10000")
	e.token = made.Token
	return err
}

// upload adds a CSV as a dataset and returns its id.
func (e *env) upload(ctx context.Context, name, file string) (string, error) {
	var made struct{ ID string }
	err := e.operator(ctx, &made, "dataset", "add", "--workspace", e.workspace, "--name", name, file)
	return made.ID, err
}

// call makes one request with the token and decodes its answer.
func (e *env) call(ctx context.Context, method, path string, header map[string]string, body, out any) error {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, e.server.url+path, content)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+e.token)
	req.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode > 299 {
		return fmt.Errorf("%s %s: %d %.300s", method, path, resp.StatusCode, raw)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(raw, out)
}
