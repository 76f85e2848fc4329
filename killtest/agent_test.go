package killtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"time"
)

// address is where the server is now: it moves with each restart.
type address struct {
	mu    sync.Mutex
	url   string
	moved chan struct{} // closed when url changes
}

func newAddress(url string) *address { return &address{url: url, moved: make(chan struct{})} }

func (a *address) get() (url string, moved <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.url, a.moved
}

func (a *address) set(url string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.moved)
	a.url, a.moved = url, make(chan struct{})
}

// agent is a client that is patient: it repeats a request, with its key, until
// it has an answer that says what became of it.
type agent struct {
	at     *address
	token  string
	http   *http.Client
	record *history
	begun  func()              // called when a launch is on the wire
	took   func(time.Duration) // told how long a launch took that was answered
}

// answer is what a server said.
type answer struct {
	status int
	body   []byte
}

func (a answer) code() string {
	var doc struct{ Code string }
	json.Unmarshal(a.body, &doc) // what is no problem document has no code
	return doc.Code
}

// again are the refusals after which the same request is sent again.
var again = []string{"idempotency_key_in_use", "unavailable", "budget_exceeded", "timeout"}

const (
	pause = 30 * time.Millisecond // before a request that was refused for now is sent again
	lost  = time.Second           // before a server that is gone is tried again where it was
)

// insist sends a request until it is answered for good. cut is how many times
// the server went away over it.
func (c *agent) insist(ctx context.Context, key, path, body string) (a answer, cut int, err error) {
	for {
		url, moved := c.at.get()
		a, err = c.try(ctx, url+path, key, body)
		if err == nil && !slices.Contains(again, a.code()) {
			return a, cut, nil
		}
		patience := pause
		if err != nil {
			patience = lost
		}
		if err != nil && !refusedToConnect(err) {
			cut++
		}
		select {
		case <-moved:
		case <-time.After(patience):
		case <-ctx.Done():
			return a, cut, errors.Join(err, ctx.Err())
		}
	}
}

// try sends a request once. Who watches launches is told of one.
func (c *agent) try(ctx context.Context, url, key, body string) (answer, error) {
	if !strings.HasPrefix(key, launchKey) {
		return c.send(ctx, "POST", url, key, body)
	}
	began := time.Now()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { c.begun() }})
	a, err := c.send(ctx, "POST", url, key, body)
	if err == nil && a.status == http.StatusCreated {
		c.took(time.Since(began))
	}
	return a, err
}

// refusedToConnect reports whether a request did not reach any server.
func refusedToConnect(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func (c *agent) send(ctx context.Context, method, url, key, body string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, raw}, err
}

// Keys begin with what they are for.
const (
	planKey   = "plan-"
	launchKey = "launch-"
)

// work makes one plan and launches it, under keys that end with the name, and
// records what it was told.
func (c *agent) work(ctx context.Context, space, dataset, name string) error {
	body := fmt.Sprintf(`{"dataset_id":%q,"target":"class","split":{"k":2,"holdout":0},"families":["linear"],"budget":{"time_s":60,"threads":1},"note":%q}`, dataset, name)
	plan, cut, err := c.insist(ctx, planKey+name, "/api/workspaces/"+space+"/plans", body)
	if err != nil {
		return err
	}
	var made struct{ ID string }
	json.Unmarshal(plan.body, &made) // what has no id was refused
	c.record.add(told{key: planKey + name, status: plan.status, code: plan.code(), id: made.ID, cut: cut})
	if made.ID == "" {
		return nil
	}
	launch, cut, err := c.insist(ctx, launchKey+name, "/api/plans/"+made.ID+"/launch", `{}`)
	if err != nil {
		return err
	}
	var launched struct {
		Run string `json:"run_id"`
	}
	json.Unmarshal(launch.body, &launched)
	c.record.add(told{key: launchKey + name, status: launch.status, code: launch.code(), id: launched.Run, plan: made.ID, cut: cut})
	return nil
}
