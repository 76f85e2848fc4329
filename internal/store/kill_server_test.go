package store_test

import (
	"context"
	"crypto"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	"ambit/internal/fault"
	"ambit/internal/idempotency"
	"ambit/internal/ids"
	"ambit/internal/jobs"
	"ambit/internal/store"
	"ambit/internal/store/storetest"
	"ambit/migrations"
	"ambit/runs"
)

// failpoints are the moments of a request at which the server can be told to
// die, in their order.
var failpoints = []string{
	"before the hold", "before the claim", "after the claim", "after the effect", "after the job", "before the commit",
	"after the commit", "in the answer",
}

// killEnv holds the settings of a server that is meant to be killed.
const killEnv = "STORE_TEST_KILL"

// killSettings are handed to the server's process.
type killSettings struct {
	Dir, URL, Socket string
	Naive            bool // keep the reply in a transaction of its own, after the effect's
}

// TestKillServer is the server that TestExactlyOnce kills.
func TestKillServer(t *testing.T) {
	var settings killSettings
	if raw := os.Getenv(killEnv); raw == "" {
		return
	} else if err := json.Unmarshal([]byte(raw), &settings); err != nil {
		t.Fatal(err)
	}
	go func() { // dies with the test
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	s := &killServer{settings: settings}
	var err error
	s.db, err = store.Open(t.Context(), store.Config{
		Dir: settings.Dir, URL: settings.URL, AuditKey: s, Migrate: migrations.Up,
	})
	must(t, err)
	pool, err := s.db.Pool()
	must(t, err)
	s.queue, err = jobs.New(t.Context(), jobs.Config{Pool: pool, SQLite: settings.URL == "", Tx: s.db.SQLTx, AfterCommit: s.db.AfterCommit})
	must(t, err)
	os.Remove(settings.Socket)
	listener, err := net.Listen("unix", settings.Socket)
	must(t, err)
	fmt.Println("READY")
	server := &http.Server{Handler: s, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)}
	must(t, server.Serve(listener))
}

// killServer answers "add" as the API answers a builder's request, and dies
// where the request says. The dying is in its handler, its key and a word
// after the commit: nothing in the store knows of it.
type killServer struct {
	settings killSettings
	db       *store.DB
	queue    *jobs.Client
	armed    atomic.Bool // the next signature, which is what precedes a commit, is the last
}

// Public and Sign make the server a key of the audit log.
func (s *killServer) Public() crypto.PublicKey { return storetest.Key.Public() }

func (s *killServer) Sign(r io.Reader, message []byte, o crypto.SignerOpts) ([]byte, error) {
	if s.armed.Load() {
		die("before the commit")
	}
	return storetest.Key.Sign(r, message, o)
}

// die says where, and ends the process as SIGKILL from outside would.
func die(point string) {
	fmt.Println(point)
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		p.Kill()
	}
	select {}
}

func (s *killServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := func(point string) {
		if r.Header.Get("X-Failpoint") == point {
			die(point)
		}
	}
	if r.Header.Get("X-Failpoint") == "before the commit" {
		s.armed.Store(true)
	}
	reply, replayed, err := s.answer(r, at)
	if err != nil {
		status, body := fault.Problem(err, "")
		w.WriteHeader(status)
		w.Write(body)
		return
	}
	w.Header().Set("Idempotency-Replayed", fmt.Sprint(replayed))
	w.WriteHeader(reply.Status)
	half := len(reply.Body) / 2
	w.Write(reply.Body[:half])
	http.NewResponseController(w).Flush()
	at("in the answer")
	w.Write(reply.Body[half:])
}

// answer takes a request through hold, look-up and effect.
func (s *killServer) answer(r *http.Request, at func(string)) (reply idempotency.Reply, replayed bool, err error) {
	ctx := r.Context()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return reply, false, err
	}
	value, err := idempotency.ParseKey(r.Header.Values(idempotency.Header))
	if err != nil {
		return reply, false, err
	}
	k := idempotency.Key{Principal: "token:tk_1", Value: value,
		Fingerprint: idempotency.Request{Method: r.Method, Route: "add", Body: body}.Fingerprint()}
	at("before the hold")
	release, err := s.db.Hold(ctx, k)
	if err != nil {
		return reply, false, err
	}
	defer release()
	if reply, replayed, err = s.db.Find(ctx, k); err != nil || replayed {
		if err == nil {
			e := entry("ok")
			e.Key, e.Replay = k.Value, true
			err = s.db.Append(ctx, e)
		}
		return reply, replayed, err
	}
	at("before the claim")
	if s.settings.Naive {
		reply, err = s.naive(ctx, k, at)
	} else {
		reply, err = s.db.Once(ctx, k, func(ctx context.Context) (idempotency.Reply, error) { return s.effect(ctx, k, at) })
	}
	return reply, false, err
}

// naive is what idempotency must not be: the effect first, the record of it after.
func (s *killServer) naive(ctx context.Context, k idempotency.Key, at func(string)) (reply idempotency.Reply, err error) {
	err = s.db.Tx(ctx, func(ctx context.Context) (err error) {
		reply, err = s.effect(ctx, k, at)
		return err
	})
	if err != nil {
		return reply, err
	}
	return s.db.Once(ctx, k, func(context.Context) (idempotency.Reply, error) { return reply, nil })
}

// effect adds an event, a job and an audit record. None of them is unique to
// the key, so that a second effect would show.
func (s *killServer) effect(ctx context.Context, k idempotency.Key, at func(string)) (reply idempotency.Reply, err error) {
	at("after the claim")
	data, err := json.Marshal(map[string]string{"key": k.Value})
	if err != nil {
		return reply, err
	}
	seq, err := s.db.AppendEvent(ctx, runs.Event{Run: "rn_1", Kind: "log", Data: data})
	if err != nil {
		return reply, err
	}
	at("after the effect")
	if rand.IntN(20) == 0 { // a refusal that may pass later
		return reply, fault.New(fault.BudgetExceeded, "Not now.")
	}
	job, err := s.queue.Enqueue(ctx, jobs.Train, ids.New("job"), 0)
	if err != nil {
		return reply, err
	}
	at("after the job")
	e := entry("ok")
	e.Key = k.Value
	if err := s.db.Append(ctx, e); err != nil {
		return reply, err
	}
	s.db.AfterCommit(ctx, func() { at("after the commit") })
	body := fmt.Sprintf(`{"seq":%d,"job":%d,"nonce":%q}`, seq, job, ids.Random(16))
	return idempotency.Reply{Status: http.StatusCreated, Body: []byte(body)}, nil
}
