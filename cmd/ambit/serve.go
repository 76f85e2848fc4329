package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"ambit/internal/app"
)

func serveCommand() *cobra.Command {
	var ready string
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the API, MCP and workers", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			a, err := app.New(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			defer a.Close()
			if err := removeReady(ready); err != nil {
				return err
			}
			defer runtime.KeepAlive(garbageRoom())
			return a.Serve(cmd.Context(), func(url string) error { return announce(cmd, a, url, ready) })
		},
	}
	configFlags(cmd)
	cmd.Flags().StringVar(&ready, "ready-file", "", `write {"url","pid"} to this file once the server answers`)
	return cmd
}

// garbageRoom returns 32 MiB that count as living memory and are never touched,
// so that they take none by themselves. As long as they are held, that much more
// garbage comes together between two collections: a server lives in a few
// megabytes, and collecting whenever they had doubled was a fifth of the cost of
// a request. It comes in pieces, for the runtime clears a piece whole if any of
// it was in use before.
func garbageRoom() [][]byte {
	room := make([][]byte, 32)
	for i := range room {
		room[i] = make([]byte, 1<<20)
	}
	return room
}

const firstAdmin = `Nobody can sign in yet. This secret, good for 30 minutes and one use, makes the first admin:
  curl -c cookies -H 'Content-Type: application/json' -d '{"secret":"%s","email":"YOU@EXAMPLE.COM","password":"AT LEAST 12 CHARACTERS"}' %s/api/auth/setup
`

// announce says where the server is, and how the first admin gets in.
func announce(cmd *cobra.Command, a *app.App, url, ready string) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "ambit %s answers at %s\n", version, url)
	secret, err := a.SetupSecret(cmd.Context())
	if err != nil {
		return err
	}
	if secret != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), firstAdmin, secret, url)
	}
	if ready == "" {
		return nil
	}
	return writeReady(ready, url)
}

// removeReady removes the file of an earlier server, which would be taken for this one's.
func removeReady(path string) error {
	if path == "" {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ready file: %w", err)
	}
	return nil
}

// writeReady writes the file whole: who waits for it never reads half of it.
func writeReady(path, url string) error {
	raw, err := json.Marshal(map[string]any{"url": url, "pid": os.Getpid()})
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ready-*")
	if err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	if _, err := tmp.Write(raw); err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("ready file: %w", err)
	}
	return os.Rename(tmp.Name(), path)
}

func workerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "worker", Short: "Work on runs, without serving anything (PostgreSQL)", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			if cfg.DatabaseURL == "" {
				return &usageError{fmt.Errorf("a worker of its own needs --database-url: with SQLite one process does all")}
			}
			a, err := app.New(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			defer a.Close()
			return a.Work(cmd.Context())
		},
	}
	configFlags(cmd)
	return cmd
}
