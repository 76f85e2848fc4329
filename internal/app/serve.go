package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"ambit/audit"
)

const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = time.Minute // of a request to its last byte; uploads go on while they arrive
	idleTimeout   = 2 * time.Minute
	maxHeaders    = 32 << 10        // bytes
	drain         = 5 * time.Second // for requests under way when the server stops
	workGrace     = time.Second     // for runs that are about to end; the others go back to the queue
	workerDrain   = 20 * time.Second
)

// Serve listens until ctx ends, and works on runs meanwhile. ready is called
// with the address once it answers.
func (a *App) Serve(ctx context.Context, ready func(url string) error) error {
	if err := a.checkAuditKey(ctx); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", a.cfg.Addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", a.cfg.Addr, err)
	}
	operator, err := listenOperator(OperatorSocket(a.cfg.Data))
	if err != nil {
		listener.Close()
		return err
	}
	stopWork, err := a.startWork(ctx)
	if err != nil {
		listener.Close()
		operator.Close()
		return err
	}
	defer stopWork()
	public, local := a.server(a.api), a.server(a.Operator())
	failed := make(chan error, 2)
	go func() { failed <- a.listen(public, listener) }()
	go func() { failed <- local.Serve(operator) }()
	defer shutdown(a, public, local)
	if err := ready(a.cfg.url(listener.Addr())); err != nil {
		return err
	}
	debug.FreeOSMemory() // what only the start needed: half of the memory of a server at rest
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	}
}

// checkAuditKey fails if the audit log ends with another key's signature: every
// write would.
func (a *App) checkAuditKey(ctx context.Context) error {
	head, err := a.store.Head(ctx)
	if err != nil {
		return fmt.Errorf("reading the end of the audit log: %w", err)
	}
	if head == (audit.Head{}) || head.Signed(a.store.AuditKey()) {
		return nil
	}
	return fmt.Errorf("record %d, the end of the audit log, is not signed with this server's key: servers of one database share %s; \"ambit audit verify\" says whether the log was changed",
		head.Seq, audit.KeyEnv)
}

func (a *App) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaders,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
}

func (a *App) listen(s *http.Server, l net.Listener) error {
	if a.cfg.TLSCert == "" {
		return s.Serve(l)
	}
	s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	return s.ServeTLS(l, a.cfg.TLSCert, a.cfg.TLSKey)
}

// shutdown ends streams first: a server does not wait for them.
func shutdown(a *App, servers ...*http.Server) {
	a.api.Close()
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if err := a.hosted.Shutdown(ctx); err != nil {
		a.log.Warn("MCP calls were cut off", "error", err)
	}
	for _, s := range servers {
		if err := s.Shutdown(ctx); err != nil {
			s.Close()
		}
	}
}

// url is the address that people and agents use.
func (c Config) url(addr net.Addr) string {
	if c.PublicURL != "" {
		return c.PublicURL
	}
	if c.TLSCert != "" {
		return "https://" + addr.String()
	}
	return "http://" + addr.String()
}

// Work works on runs until ctx ends.
func (a *App) Work(ctx context.Context) error {
	stop, err := a.startWork(ctx)
	if err != nil {
		return err
	}
	defer stop()
	<-ctx.Done()
	return nil
}

// startWork begins to work on runs and to keep house, and returns how to stop:
// runs under way go back to the queue.
func (a *App) startWork(ctx context.Context) (stop func(), err error) {
	if a.cfg.DatabaseURL == "" { // whoever holds the folder is alone: what runs has no worker
		if err := a.worker.ReapAll(ctx); err != nil {
			return nil, fmt.Errorf("taking back runs that were cut off: %w", err)
		}
	}
	if err := a.sweep(ctx); err != nil {
		return nil, err
	}
	keep, cancel := context.WithCancel(context.WithoutCancel(ctx))
	kept := make(chan struct{}, 2)
	go func() { a.worker.Keep(keep); kept <- struct{}{} }()
	go func() { a.house(keep); kept <- struct{}{} }()
	if err := a.queue.Start(context.WithoutCancel(ctx)); err != nil {
		cancel()
		return nil, fmt.Errorf("starting the queue: %w", err)
	}
	return func() {
		ctx, done := context.WithTimeout(context.Background(), workerDrain)
		defer done()
		if err := a.queue.Stop(ctx); err != nil {
			a.log.Error("stopping the queue", "error", err)
		}
		cancel()
		<-kept
		<-kept
	}, nil
}

// sweep removes tables that belong to no version: uploads that were cut off.
func (a *App) sweep(ctx context.Context) error {
	return a.sql.Sweep(func(workspace, version string) bool {
		ok, err := a.store.VersionExists(ctx, workspace, version)
		return err != nil || ok // what is not known to be an orphan stays
	})
}

// houseEvery is how often expired idempotency records are removed.
const houseEvery = 10 * time.Minute

func (a *App) house(ctx context.Context) {
	tick := time.NewTicker(houseEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := a.store.SweepReplies(ctx); err != nil {
				a.log.Error("removing expired idempotency records", "error", err)
			}
		}
	}
}

// OperatorSocket is where the host's operator reaches a running server.
func OperatorSocket(data string) string { return filepath.Join(data, "operator.sock") }

// listenOperator listens on the operator's socket. One that nobody answers is
// left over.
func listenOperator(path string) (net.Listener, error) {
	if conn, err := net.Dial("unix", path); err == nil {
		conn.Close()
		return nil, fmt.Errorf("another server uses the data folder %s", filepath.Dir(path))
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("operator socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("operator socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("operator socket: %w", err)
	}
	return ownPeers{l, peerUID}, nil
}

// ownPeers accepts only processes of the server's own user, and of root.
type ownPeers struct {
	net.Listener
	uid func(net.Conn) (int, error) // of the process at the other end
}

func (l ownPeers) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := l.uid(conn)
		if err == nil && (uid == os.Getuid() || uid == 0) {
			return conn, nil
		}
		conn.Close()
	}
}
