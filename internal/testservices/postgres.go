package testservices

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"ambit/migrations"
)

// cluster is the one PostgreSQL of this test binary: making one takes seconds,
// making a database in it a tenth of one. It is why there is a global.
var cluster = sync.OnceValues(startPostgres)

// template is the name of the migrated database that others are copied from.
const template = "ambit_template"

// errNotInstalled says that a server's program was not found.
var errNotInstalled = errors.New("not installed")

// Postgres returns the URL of a new database with the present schema. It is
// dropped when the test ends.
func Postgres(t testing.TB) string {
	t.Helper()
	return database(t, "TEMPLATE "+template)
}

// EmptyPostgres returns the URL of a new database with nothing in it. It is
// dropped when the test ends.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	return database(t, "")
}

func database(t testing.TB, from string) string {
	t.Helper()
	p, err := cluster()
	if errors.Is(err, errNotInstalled) {
		missing(t, "PostgreSQL", "postgresql")
	}
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("t%d", p.made.Add(1))
	p.mustExec(t, "CREATE DATABASE "+name+" "+from)
	t.Cleanup(func() { p.mustExec(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return p.url(name)
}

// postgres is a running cluster.
type postgres struct {
	dir   string // holds the data and the socket
	admin *sql.DB
	made  atomic.Int64
}

func (p *postgres) mustExec(t testing.TB, query string) {
	t.Helper()
	if _, err := p.admin.ExecContext(context.Background(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func (p *postgres) url(name string) string {
	query := url.Values{"host": {p.dir}, "user": {"ambit"}, "sslmode": {"disable"}}
	return "postgres:///" + name + "?" + query.Encode()
}

func startPostgres() (*postgres, error) {
	bin, err := postgresPrograms()
	if err != nil {
		return nil, err
	}
	// Not a test's folder: those are closed to the user postgres, and too
	// long for a socket's name.
	dir, err := os.MkdirTemp("", "ambit-pg")
	if err != nil {
		return nil, err
	}
	if err := removeAtExit(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	p := &postgres{dir: dir}
	if err := p.initialise(bin); err != nil {
		return nil, err
	}
	if err := p.start(bin); err != nil {
		return nil, err
	}
	return p, p.makeTemplate()
}

// postgresPrograms returns the folder of the newest server that is installed.
func postgresPrograms() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		return "", errNotInstalled
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return major(a) - major(b) })), nil
}

// major returns the version in /usr/lib/postgresql/<version>/bin/postgres, or 0.
func major(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
	return n
}

func (p *postgres) data() string { return filepath.Join(p.dir, "data") }

func (p *postgres) initialise(bin string) error {
	cmd := exec.Command(filepath.Join(bin, "initdb"), "-D", p.data(), "-U", "ambit", "-A", "trust",
		"-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	if err := p.asServer(cmd); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

func (p *postgres) start(bin string) error {
	args := []string{"-D", p.data(), "-k", p.dir}
	for _, setting := range []string{
		"listen_addresses=", "max_connections=300", "shared_buffers=32MB", "timezone=UTC", "log_min_messages=warning",
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", // the data is thrown away
	} {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(filepath.Join(bin, "postgres"), args...)
	if err := p.asServer(cmd); err != nil {
		return err
	}
	server, err := start(cmd, syscall.SIGQUIT)
	if err != nil {
		return err
	}
	if p.admin, err = sql.Open("pgx", p.url("postgres")); err != nil {
		return err
	}
	p.admin.SetMaxOpenConns(4)
	return server.ready(p.admin.Ping)
}

// asServer makes the command run as a user that PostgreSQL accepts: not root.
func (p *postgres) asServer(cmd *exec.Cmd) error {
	cmd.Dir = "/"
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return err
	}
	as(cmd, uint32(uid), uint32(gid))
	return os.Chown(p.dir, int(uid), int(gid))
}

func (p *postgres) makeTemplate() error {
	ctx := context.Background()
	if _, err := p.admin.ExecContext(ctx, "CREATE DATABASE "+template); err != nil {
		return err
	}
	db, err := sql.Open("pgx", p.url(template))
	if err != nil {
		return err
	}
	_, err = migrations.Up(ctx, db, migrations.Postgres)
	return errors.Join(err, db.Close()) // a template must have no connections
}
