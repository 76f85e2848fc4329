package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"ambit/internal/testservices"
)

const runSeconds = 600 // more than any test waits: a run that a stop cuts off

// SIGTERM does not wait for a run: it goes back to the queue and loses no attempt.
func TestTermRequeuesRun(t *testing.T) {
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		t.Run(database, func(t *testing.T) {
			data, flags := dataFolder(t), []string(nil)
			if database == "PostgreSQL" {
				flags = []string{"--database-url", testservices.Postgres(t)}
			}
			s := serve(t, data, append(flags, "--train-workers", "1")...)
			h := host{append(flags, "--data", data)}
			run, token := longRun(t, s, h)
			s.stop(t)
			s = serve(t, data, append(flags, "--train-workers", "0")...)
			var after runView
			if status := s.call(t, http.DefaultClient, "GET", "/api/runs/"+run, token, "", &after); status != 200 || after.State != "queued" || after.Attempt != 0 {
				t.Errorf("after SIGTERM: %d %+v, want queued and no attempt lost", status, after)
			}
		})
	}
}

type runView struct {
	State   string
	Attempt int
	LastSeq int64 `json:"last_seq"`
}

// longRun launches a run that takes minutes, and waits until it is under way.
func longRun(t *testing.T, s *server, h host) (run, token string) {
	t.Helper()
	run, token = startRun(t, s, h, 20_000, runSeconds)
	for v := (runView{LastSeq: 1}); v.State != "running"; { // the first event says that it is queued
		path := fmt.Sprintf("/api/runs/%s?wait_s=20&after_seq=%d", run, v.LastSeq)
		if status := s.call(t, http.DefaultClient, "GET", path, token, "", &v); status != 200 || v.State == "succeeded" || v.State == "failed" {
			t.Fatalf("run: %d %+v, want it to run", status, v)
		}
	}
	return run, token
}

// startRun launches a run on a table of so many rows.
func startRun(t *testing.T, s *server, h host, rows, seconds int) (run, token string) {
	t.Helper()
	space, dataset, token := ready(t, h, manyRows(rows))
	var plan struct{ ID string }
	body := fmt.Sprintf(`{"dataset_id":%q,"target":"kind","split":{"k":10,"seed":1,"holdout":0},"budget":{"time_s":%d,"threads":1}}`, dataset, seconds)
	if status := s.call(t, http.DefaultClient, "POST", "/api/workspaces/"+space+"/plans", token, body, &plan); status != 201 {
		t.Fatalf("plan: got %d, want 201", status)
	}
	var launched struct {
		Run string `json:"run_id"`
	}
	if status := s.call(t, http.DefaultClient, "POST", "/api/plans/"+plan.ID+"/launch", token, "", &launched); status != 201 {
		t.Fatalf("launch: got %d, want 201", status)
	}
	return launched.Run, token
}

// ready makes a workspace with a table, an admin, and a builder's token.
func ready(t *testing.T, h host, table string) (space, dataset, token string) {
	t.Helper()
	space = h.add(t, "", "workspace", "add", "--name", "w")["id"].(string)
	h.add(t, "", "person", "add", "--email", "first@ambit.test", "--role", "admin")
	dataset = h.add(t, "", "dataset", "add", "--workspace", space, "--name", "table", write(t, "table.csv", table))["id"].(string)
	token = h.add(t, "", "token", "mint", "--scope", "builder", "--workspace", space)["token"].(string)
	return space, dataset, token
}

// manyRows is a table whose column kind depends on the others, somewhat.
func manyRows(n int) string {
	var b strings.Builder
	b.WriteString("kind,a,b,c,d,e,f\n")
	for i := range n {
		x := uint32(i)*2654435761 + 12345
		kind := "no"
		if x%7 < 3 != (x>>9%11 < 4) {
			kind = "yes"
		}
		fmt.Fprintf(&b, "%s,%d,%d,%d,%d,%d,%d\n", kind, x%7, x>>9%11, x>>13%1009, x>>5%997, x>>3%499, x>>17%251)
	}
	return b.String()
}

// A worker of its own does what a server without workers leaves to it, and stops
// like one.
func TestWorker(t *testing.T) {
	data := dataFolder(t)
	flags := []string{"--data", data, "--database-url", testservices.Postgres(t)}
	s, h := serve(t, data, append(flags[2:], "--train-workers", "0")...), host{flags}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	worked := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		worked <- run(ctx, append([]string{"worker"}, flags...), streams{strings.NewReader(""), io.Discard, &errs})
	}()
	id, token := startRun(t, s, h, 100, 60)
	var v runView
	for v.State != "succeeded" {
		if status := s.call(t, http.DefaultClient, "GET", "/api/runs/"+id+"?wait_s=20", token, "", &v); status != 200 || v.State == "failed" {
			t.Fatalf("run: %d %+v, want it to succeed", status, v)
		}
	}
	stop()
	if code := <-worked; code != 0 {
		t.Errorf("worker: exit %d, want 0: %s", code, errs.String())
	}
}
