package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
	"gorm.io/gorm"

	"ambit/internal/fault"
)

// retryAfter is when a caller should try again what the database did not do.
const retryAfter = time.Second

// lockNotAvailable is PostgreSQL's code for having waited too long for a lock.
const lockNotAvailable = "55P03"

// translate makes an unavailable fault of an error that says that the database
// could not do what it was asked, and leaves every other one alone.
func translate(err error) error {
	if err == nil || isFault(err) || !isOutage(err) {
		return err
	}
	return unanswered(err)
}

func isFault(err error) bool {
	var f *fault.Fault
	return errors.As(err, &f)
}

// isOutage reports whether err is the database's state and not our mistake.
func isOutage(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pgOutage(pg.Code)
	}
	var lite sqlite3.Error
	if errors.As(err, &lite) {
		return slices.Contains([]sqlite3.ErrNo{
			sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrInterrupt,
		}, lite.Code)
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn) ||
		errors.As(err, &network) || errors.As(err, &connect)
}

// pgOutage knows PostgreSQL's codes for locks that were not got, deadlocks,
// connections, resources and shutdown.
func pgOutage(code string) bool {
	switch code {
	case lockNotAvailable, "40P01", "40001", "57014":
		return true
	}
	return slices.Contains([]string{"08", "53", "57"}, code[:min(2, len(code))])
}

// unanswered says that nothing has happened.
func unanswered(err error) error {
	f := fault.New(fault.Unavailable, "The database did not do this in time.").
		WithFix("Try again; with the same Idempotency-Key if the request has one.").Because(err)
	f.RetryAfter = retryAfter
	return f
}

// unknownOutcome says that we do not know whether it has happened.
func unknownOutcome(err error) error {
	f := fault.New(fault.Unavailable, "The database did not say whether this was done.").
		WithFix("Send the request again with the same Idempotency-Key: it is done once.").Because(err)
	f.RetryAfter = retryAfter
	return f
}

// noSuch makes a not_found fault of gorm's error for no row.
func noSuch(what string, err error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fault.New(fault.NotFound, "No such %s.", what)
	}
	return err
}

// affected makes a not_found fault of an update that met no row.
func affected(what string, r *gorm.DB) error {
	if r.Error == nil && r.RowsAffected == 0 {
		return noSuch(what, gorm.ErrRecordNotFound)
	}
	return r.Error
}
