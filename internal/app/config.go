// Package app puts Ambit together: it opens the stores and engines that a
// configuration names and hands each noun what it asked for. It decides nothing.
package app

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ambit/internal/clock"
	"ambit/internal/idempotency"
)

// Config is everything that an operator sets. Flags come before AMBIT_…
// variables, which come before ambit.yaml.
type Config struct {
	Data            string   `yaml:"data" flag:"data" doc:"folder of the database, tables, models and keys"`
	Addr            string   `yaml:"addr" flag:"addr" doc:"address to listen on; port 0 picks a free one"`
	DatabaseURL     string   `yaml:"database_url" flag:"database-url" secret:"true" doc:"PostgreSQL; empty: SQLite in the data folder"`
	RedisURL        string   `yaml:"redis_url" flag:"redis-url" secret:"true" doc:"Redis for shared rate limits; empty: limits in the process"`
	PublicURL       string   `yaml:"public_url" flag:"public-url" doc:"address that people and agents use, when it is not the one listened on"`
	AllowedHosts    []string `yaml:"allowed_hosts" flag:"allowed-hosts" doc:"further Host names that /mcp answers to"`
	AllowedOrigins  []string `yaml:"allowed_origins" flag:"allowed-origins" doc:"further web origins that may call /mcp"`
	TLSCert         string   `yaml:"tls_cert" flag:"tls-cert" doc:"certificate file; with tls-key serves TLS"`
	TLSKey          string   `yaml:"tls_key" flag:"tls-key" doc:"key file of the certificate"`
	MaxUploadMB     int      `yaml:"max_upload_mb" flag:"max-upload-mb" doc:"largest uploaded file"`
	AgentMaxRows    int      `yaml:"agent_max_rows" flag:"agent-max-rows" doc:"rows that a query answers with when it does not say"`
	TrainWorkers    int      `yaml:"train_workers" flag:"train-workers" doc:"runs at the same time in this process; 0: none"`
	InsecureSandbox bool     `yaml:"insecure_sandbox" flag:"insecure-sandbox" doc:"run SQL even where the kernel cannot confine it; for development only"`
	LogFormat       string   `yaml:"log_format" flag:"log-format" doc:"text or json"`
	LogLevel        string   `yaml:"log_level" flag:"log-level" doc:"debug, info, warn or error"`

	// What only a program can set. Lease is how long a run stays its worker's
	// without a sign of life; 0 is the worker's own time. Replays wraps what keeps
	// requests to one effect, for tests that stop the server between its steps.
	Lease   time.Duration                             `yaml:"-"`
	Replays func(idempotency.Store) idempotency.Store `yaml:"-"`

	// Command starts this program's hidden commands: the engine's and the trainer's children.
	Command []string     `yaml:"-"`
	Version string       `yaml:"-"`
	Commit  string       `yaml:"-"`
	Now     clock.Clock  `yaml:"-"`
	Log     *slog.Logger `yaml:"-"` // nil makes one of LogFormat and LogLevel that writes to LogTo
	LogTo   io.Writer    `yaml:"-"` // nil is standard error: standard output belongs to commands
}

// Default is the configuration of one machine that needs nothing else.
func Default() Config {
	return Config{
		Data: defaultData(), Addr: "127.0.0.1:8080", MaxUploadMB: 2048, AgentMaxRows: 1000,
		TrainWorkers: max(1, runtime.GOMAXPROCS(0)/2), LogFormat: "text", LogLevel: "info", Now: clock.Now,
	}
}

func defaultData() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "ambit")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "ambit-data"
	}
	return filepath.Join(home, ".local", "share", "ambit")
}

// Check returns every setting that cannot be used.
func (c Config) Check() error {
	var errs []error
	bad := func(name, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	if c.Data == "" {
		bad("data", "must name a folder")
	}
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		bad("addr", "must be host:port")
	}
	if c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://") {
		bad("database-url", "must begin with postgres://")
	}
	if u, err := url.Parse(c.PublicURL); c.PublicURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		bad("public-url", "must be an http or https address")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		bad("tls-cert", "and tls-key go together")
	}
	if c.TLSCert != "" {
		if _, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey); err != nil {
			bad("tls-cert", "%v", err)
		}
	}
	if c.MaxUploadMB < 1 || c.MaxUploadMB > 1<<20 {
		bad("max-upload-mb", "must be from 1 to 1,048,576")
	}
	if c.AgentMaxRows < 1 || c.AgentMaxRows > 10_000 {
		bad("agent-max-rows", "must be from 1 to 10,000")
	}
	if c.TrainWorkers < 0 || c.TrainWorkers > 256 {
		bad("train-workers", "must be from 0 to 256")
	}
	if !slices.Contains([]string{"text", "json"}, c.LogFormat) {
		bad("log-format", "must be text or json")
	}
	if (new(slog.LevelVar)).UnmarshalText([]byte(c.LogLevel)) != nil {
		bad("log-level", "must be debug, info, warn or error")
	}
	return errors.Join(errs...)
}

// secure reports whether people reach the server over TLS.
func (c Config) secure() bool { return c.TLSCert != "" || strings.HasPrefix(c.PublicURL, "https://") }
