package jobs

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// sqliteDriver is River's driver for SQLite, but for how news travel: River
// writes them into a table and reads that twenty times a second. The process
// that adds jobs to SQLite is the one that works on them, so ours go by a
// channel. Looking for jobs once a second stays as the second line.
type sqliteDriver struct {
	*riversqlite.Driver
	bell *bell
}

func newSQLiteDriver(pool *sql.DB, b *bell) *sqliteDriver {
	return &sqliteDriver{Driver: riversqlite.New(pool), bell: b}
}

// SupportsListenNotify says that news need not be written into the table.
func (*sqliteDriver) SupportsListenNotify() bool { return false }

// GetListener returns the bell.
func (d *sqliteDriver) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return d.bell
}

// River's names for its news.
const (
	topicAdded   = "river_insert"
	topicControl = "river_control"
)

// bell is a listener of River's that hears what this process says.
type bell struct {
	news chan *riverdriver.Notification
}

// bellBuffer is how much news may wait; what is over is found by looking.
const bellBuffer = 256

func newBell() *bell { return &bell{news: make(chan *riverdriver.Notification, bellBuffer)} }

// added says that a queue has a new job.
func (b *bell) added(queue string) {
	b.ring(topicAdded, map[string]any{"queue": queue})
}

// cancelled says that a job, which may be worked on, is withdrawn.
func (b *bell) cancelled(queue string, job int64) {
	b.ring(topicControl, map[string]any{"action": "cancel", "job_id": job, "queue": queue})
}

func (b *bell) ring(topic string, payload map[string]any) {
	text, err := json.Marshal(payload)
	if err != nil {
		return // texts and numbers are always JSON
	}
	select {
	case b.news <- &riverdriver.Notification{Topic: topic, Payload: string(text)}:
	default:
	}
}

// WaitForNotification returns the next news.
func (b *bell) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	select {
	case n := <-b.news:
		return n, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// There is no connection that could be opened, checked or lost, and who is told
// of a topic is decided behind the bell.

func (*bell) Close(context.Context) error            { return nil }
func (*bell) Connect(context.Context) error          { return nil }
func (*bell) Listen(context.Context, string) error   { return nil }
func (*bell) Unlisten(context.Context, string) error { return nil }
func (*bell) Ping(context.Context) error             { return nil }
func (*bell) Schema() string                         { return "" }
func (*bell) SetAfterConnectExec(string)             {}
