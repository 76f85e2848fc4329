package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"

	"ambit/audit"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
)

// kills is how often the server is killed at a random moment.
func kills() int {
	if os.Getenv("AMBIT_SOAK") == "1" {
		return 60
	}
	return 10
}

// TestExactlyOnce sends requests with keys, some of them twice at the same time
// and each until it is answered, to a server that is killed again and again:
// at each failpoint, and at random. Every key must have had its effect once.
func TestExactlyOnce(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		h := newHammer(t, c, false, kills())
		h.run(t)
		equal(t, "violations", h.violations(t), []string(nil))
		t.Log(h)
	})
}

// TestExactlyOnceWouldBeSeenToFail runs the same against a server that keeps
// its replies in a second transaction.
func TestExactlyOnceWouldBeSeenToFail(t *testing.T) {
	storetest.EachConfig(t, func(t *testing.T, c store.Config) {
		h := newHammer(t, c, true, 0)
		h.run(t)
		if len(h.violations(t)) == 0 {
			t.Error("no violation was found in a server that is wrong")
		}
		t.Log(h)
	})
}

// violations lists what is not there exactly once, of every key that was answered.
func (h *hammer) violations(t *testing.T) (out []string) {
	t.Helper()
	db := storetest.Open(t, h.config)
	const firsts = "audit_log WHERE CAST(replay AS text) IN ('0', 'false')" // records that are not of a replay
	for what, from := range map[string]string{
		"jobs": "river_job", "events": "run_events", "records": "idempotency_records WHERE status = 201", "claims": "idempotency_records", "audits": firsts,
	} {
		if got := count(t, db, "SELECT count(*) FROM "+from); got != int(h.keys.Load()) {
			out = append(out, fmt.Sprintf("%d %s of %d keys", got, what, h.keys.Load()))
		}
	}
	for column, from := range map[string]string{"data": "run_events", "idempotency_key": firsts} {
		query(t, db, fmt.Sprintf("SELECT %[1]s, count(*) FROM %[2]s GROUP BY %[1]s HAVING count(*) <> 1", column, from), func(rows *sql.Rows) error {
			var what string
			var n int
			err := rows.Scan(&what, &n)
			out = append(out, fmt.Sprintf("%s %s is there %d times", column, what, n))
			return err
		})
	}
	if _, err := audit.Check(t.Context(), db, db.AuditKey()); err != nil {
		out = append(out, err.Error())
	}
	if db.Dialect() == store.SQLite {
		query(t, db, "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'", func(rows *sql.Rows) error {
			var verdict string
			err := rows.Scan(&verdict)
			out = append(out, verdict)
			return err
		})
	}
	return out
}
