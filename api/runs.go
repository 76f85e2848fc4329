package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/runs"
	"ambit/scopes"
)

const (
	maxWait   = 20 * time.Second // of a long poll
	recheck   = time.Second      // how often a waiting call's credential is checked again
	heartbeat = 15 * time.Second // of a stream with nothing to say
	maxEvents = 500              // of one page of a log
)

func (s *Server) listRuns(ctx context.Context, call *Call, in listing) (page.List[runs.Run], error) {
	p, err := page.Parse(in.Limit, in.Cursor)
	if err != nil {
		return page.List[runs.Run]{}, err
	}
	return s.Runs.List(ctx, call.Workspace, p)
}

type runRequest struct {
	WaitS    int   `query:"wait_s" doc:"Wait up to this many seconds, at most 20, for the run to end or for news after after_seq."`
	AfterSeq int64 `query:"after_seq" doc:"With wait_s: answer as soon as there is an event after this one. Default: answer when the run is over."`
}

func (s *Server) getRun(ctx context.Context, call *Call, in runRequest) (runs.View, error) {
	id := call.Param("id")
	if in.WaitS == 0 {
		return s.Runs.Get(ctx, call.Workspace, id)
	}
	wait := time.Duration(in.WaitS) * time.Second
	if wait < 0 || wait > maxWait {
		return runs.View{}, fault.InvalidFields([]fault.Field{{Path: "query.wait_s", Rule: "must be from 0 to 20"}})
	}
	after := in.AfterSeq
	if after == 0 {
		after = noEvent
	}
	leave, err := s.waiting.enter(call.Caller.Principal())
	if err != nil {
		return runs.View{}, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return s.watch(ctx, call, id, after)
}

// noEvent is after every event: the wait is for the end of the run.
const noEvent = int64(1) << 62

// watch waits for news of a run, as long as the caller's credential holds.
func (s *Server) watch(ctx context.Context, call *Call, id string, after int64) (runs.View, error) {
	for {
		step, cancel := context.WithTimeout(ctx, recheck)
		v, err := s.Runs.Wait(step, call.Workspace, id, after)
		cancel()
		if err == nil {
			err = call.still(ctx)
		}
		if err != nil || v.State.Ended() || v.LastSeq > after || ctx.Err() != nil || s.done.Err() != nil {
			return v, err
		}
	}
}

// still returns a fault if the call would not be admitted any more: a token that
// was revoked or narrowed ends its streams, and has no effect that it was slow to
// prepare. It looks once a second, however often it is asked.
func (c *Call) still(ctx context.Context) error {
	if time.Since(c.checked) < recheck {
		return nil
	}
	now, err := c.again(context.WithoutCancel(ctx))
	if err == nil && c.Workspace != "" && !now.In(c.Workspace) {
		err = unauthenticated()
	}
	if err == nil {
		err = scopes.Decide(c.Route, now)
	}
	c.checked = time.Now()
	return err
}

func (s *Server) leaderboard(ctx context.Context, call *Call, _ none) (runs.Board, error) {
	return s.Runs.Leaderboard(ctx, call.Workspace, call.Param("id"))
}

type logRequest struct {
	After int64 `query:"after" doc:"Events after this seq; default from the start."`
	Limit int   `query:"limit" doc:"Events, 1 to 500; default 100."`
}

type runLog struct {
	Items     []runs.Event `json:"items"`
	NextAfter int64        `json:"next_after"` // to go on from
}

func (s *Server) runLog(ctx context.Context, call *Call, in logRequest) (runLog, error) {
	if in.Limit == 0 {
		in.Limit = 100
	}
	if in.Limit < 1 || in.Limit > maxEvents {
		return runLog{}, fault.InvalidFields([]fault.Field{{Path: "query.limit", Rule: "must be from 1 to 500"}})
	}
	items, err := s.Runs.Events(ctx, call.Workspace, call.Param("id"), in.After, in.Limit)
	out := runLog{Items: items, NextAfter: in.After}
	if len(items) > 0 {
		out.NextAfter = items[len(items)-1].Seq
	}
	return out, err
}

// runEvents streams the history of a run as server-sent events, from the start
// or from Last-Event-ID, until the run is over.
func (s *Server) runEvents(ctx context.Context, call *Call, _ none, w http.ResponseWriter) error {
	after, err := call.resumeAfter()
	if err != nil {
		return err
	}
	if _, err := s.Runs.Get(ctx, call.Workspace, call.Param("id")); err != nil {
		return err
	}
	out := newEventWriter(w)
	for {
		last, over, err := s.sendEvents(ctx, call, out, after)
		if err != nil || over {
			return err
		}
		after = last
		step, cancel := context.WithTimeout(ctx, heartbeat)
		_, err = s.watch(step, call, call.Param("id"), after)
		cancel()
		if err != nil || ctx.Err() != nil || s.done.Err() != nil {
			return err
		}
		out.comment("still here")
	}
}

// sendEvents sends what is new, and reports whether the run is over and all was sent.
func (s *Server) sendEvents(ctx context.Context, call *Call, out *eventWriter, after int64) (last int64, over bool, err error) {
	v, err := s.Runs.Get(ctx, call.Workspace, call.Param("id"))
	if err != nil {
		return after, false, err
	}
	for {
		events, err := s.Runs.Events(ctx, call.Workspace, v.ID, after, maxEvents)
		if err != nil {
			return after, false, err
		}
		for _, e := range events {
			if err := out.event(strconv.FormatInt(e.Seq, 10), e.Kind, e); err != nil {
				return after, false, err
			}
			after = e.Seq
		}
		if len(events) < maxEvents {
			return after, v.State.Ended(), nil
		}
	}
}

// resumeAfter is the seq that a client saw last.
func (c *Call) resumeAfter() (int64, error) {
	if c.lastEvent == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(c.lastEvent, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.Malformed, "Last-Event-ID must be the id of an event of this run.")
	}
	return n, nil
}

// eventWriter writes server-sent events.
type eventWriter struct {
	w     http.ResponseWriter
	flush http.Flusher
}

func newEventWriter(w http.ResponseWriter) *eventWriter {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	f, _ := w.(http.Flusher)
	out := &eventWriter{w: w, flush: f}
	out.comment("open")
	return out
}

func (e *eventWriter) event(id, kind string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.w, "id: %s\nevent: %s\ndata: %s\n\n", id, kind, raw)
	e.flush.Flush()
	return err
}

func (e *eventWriter) comment(text string) {
	fmt.Fprintf(e.w, ": %s\n\n", text) // a client that is gone is seen at the next event
	e.flush.Flush()
}

func (s *Server) abortRun(ctx context.Context, call *Call, _ none) (runs.View, error) {
	return s.Runs.Abort(ctx, call.Workspace, call.Param("id"))
}

func (s *Server) deleteRun(ctx context.Context, call *Call, in deleteRequest) (none, error) {
	if err := in.check(call.Param("id")); err != nil {
		return none{}, err
	}
	models := func(ctx context.Context, run string) ([]string, error) {
		return s.Models.Store.ModelsOfRun(ctx, call.Workspace, run)
	}
	return none{}, s.Runs.Delete(ctx, call.Workspace, call.Param("id"), models)
}
