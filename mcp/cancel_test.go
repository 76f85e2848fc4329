package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/scopes"
)

// waiting has a route wait until it is released or its caller has gone.
type waiting struct {
	started chan string   // the token of each call that waits
	ended   chan string   // the token of each call whose context ended
	release chan struct{} // closed to let all go on
}

func wait(b *backend, id scopes.RouteID) waiting {
	w := waiting{make(chan string, 100), make(chan string, 100), make(chan struct{})}
	b.answer(id, func(rw http.ResponseWriter, r *http.Request) {
		who := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.started <- who
		select {
		case <-w.release:
			say(200, usual[id])(rw, r)
		case <-r.Context().Done():
			w.ended <- who
		}
	})
	return w
}

// start sends a request in the background; its answer comes on the channel.
func (h host) start(r *http.Request) <-chan *httptest.ResponseRecorder {
	done := make(chan *httptest.ResponseRecorder, 1)
	go func() { done <- h.do(r) }()
	return done
}

func cancelOf(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

const evaluate = `{"model_id":"m"}`

// All clients count from 1: cancelling 1 ends one's own request 1 only.
func TestCancelEndsOnesOwn(t *testing.T) {
	h := newHost(t)
	w := wait(h.backend, scopes.ModelEvaluation)
	a := h.start(post(builderToken, toolCall(1, "evaluation", evaluate, "")))
	b := h.start(post(otherToken, toolCall(1, "evaluation", evaluate, "")))
	<-w.started
	<-w.started
	for _, id := range []string{`2`, `"1"`} { // not under way
		h.do(post(otherToken, cancelOf(id)))
	}
	if got := h.do(post(otherToken, cancelOf(`1`))); got.Code != 202 {
		t.Errorf("cancelling: %d, want 202", got.Code)
	}
	if got := <-w.ended; got != otherToken {
		t.Errorf("the call of another caller ended")
	}
	if got := <-b; strings.Contains(got.Body.String(), "result") {
		t.Errorf("the cancelled call was answered: %s", got.Body)
	}
	close(w.release)
	if r := resultOf(t, messages(t, "", (<-a).Body.String())[0]); r.IsError {
		t.Errorf("the other caller's call: %s", r.text())
	}
	if len(w.ended) != 0 {
		t.Errorf("the other caller's call was ended too")
	}
}

func TestCancelInAnotherSpelling(t *testing.T) {
	h := newHost(t)
	w := wait(h.backend, scopes.ModelEvaluation)
	body := strings.Replace(toolCall(1, "evaluation", evaluate, ""), `"id":1`, `"id":"é"`, 1)
	a := h.start(post(readToken, body))
	<-w.started
	h.do(post(readToken, cancelOf(`"\u00e9"`)))
	<-w.ended
	<-a
}

func TestHangingUpEndsTheCall(t *testing.T) {
	h := newHost(t)
	w := wait(h.backend, scopes.ModelEvaluation)
	ctx, hangUp := context.WithCancel(t.Context())
	a := h.start(post(readToken, toolCall(1, "evaluation", evaluate, "")).WithContext(ctx))
	<-w.started
	hangUp()
	<-w.ended
	<-a
}

// A refusal is recorded also if the caller has gone by then.
func TestRefusalIsReportedAfterHangingUp(t *testing.T) {
	h := newHost(t)
	h.list(t, readToken) // so that the scope is known
	h.answer(scopes.AuditRefusals, func(w http.ResponseWriter, r *http.Request) {
		if err := r.Context().Err(); err != nil {
			t.Errorf("the report ends with the caller: %v", err)
		}
	})
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	h.do(post(readToken, toolCall(1, "launch_plan", `{"plan_id":"p"}`, "")).WithContext(ctx))
	if got := h.of(scopes.AuditRefusals); len(got) != 1 {
		t.Errorf("%d reports, want 1", len(got))
	}
}

func TestShutdown(t *testing.T) {
	t.Run("calls under way finish", func(t *testing.T) {
		h := newHost(t)
		w := wait(h.backend, scopes.ModelEvaluation)
		a := h.start(post(readToken, toolCall(1, "evaluation", evaluate, "")))
		<-w.started
		down := make(chan error, 1)
		go func() { down <- h.Shutdown(t.Context()) }()
		refused := h.until503(t)
		close(w.release)
		if r := resultOf(t, messages(t, "", (<-a).Body.String())[0]); r.IsError {
			t.Errorf("the call under way: %s", r.text())
		}
		if err := <-down; err != nil || !refused {
			t.Errorf("Shutdown = %v, new calls refused: %v", err, refused)
		}
	})
	t.Run("after the grace they are ended", func(t *testing.T) {
		h := newHost(t)
		w := wait(h.backend, scopes.ModelEvaluation)
		a := h.start(post(readToken, toolCall(1, "evaluation", evaluate, "")))
		<-w.started
		grace, end := context.WithCancel(t.Context())
		end()
		if err := h.Shutdown(grace); err != nil {
			t.Errorf("Shutdown = %v", err)
		}
		<-w.ended
		<-a
	})
	t.Run("nothing under way", func(t *testing.T) {
		h := newHost(t)
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown = %v", err)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("a second Shutdown = %v", err)
		}
	})
}

// until503 pings until the host says that it ends.
func (h host) until503(t *testing.T) bool {
	t.Helper()
	patience := time.Now().Add(10 * time.Second)
	for time.Now().Before(patience) {
		w := h.do(post(readToken, ping))
		if w.Code == 503 && strings.Contains(w.Body.String(), string(fault.Unavailable)) {
			return true
		}
	}
	return false
}
