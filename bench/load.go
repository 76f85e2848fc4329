package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request is what a load is made of.
type request struct {
	url, method string
	header      map[string]string
	body        []byte
}

// cost is what a load cost the server, and how fast it went.
type cost struct {
	cpu  time.Duration // of the server process, a request
	rate float64       // requests a second
	p95  time.Duration
}

// crowd is how many callers a load has where it is to fill the server.
const crowd = 8

// load sends n requests from a number of callers, each over a connection that it
// keeps, and measures the process that serves them.
func (e *env) load(ctx context.Context, pid, n, callers int, r request) (cost, error) {
	before, err := cpuOf(pid)
	if err != nil {
		return cost{}, err
	}
	started := time.Now()
	took := make([]time.Duration, n)
	var next atomic.Int64
	var failed atomic.Value
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && failed.Load() == nil; i = next.Add(1) - 1 {
				at := time.Now()
				if err := e.once(ctx, r); err != nil {
					failed.Store(err)
				}
				took[i] = time.Since(at)
			}
		})
	}
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return cost{}, err
	}
	wall := time.Since(started)
	after, err := cpuOf(pid)
	slices.Sort(took)
	return cost{cpu: (after - before) / time.Duration(n), rate: float64(n) / wall.Seconds(), p95: took[n*95/100]}, err
}

func (e *env) once(ctx context.Context, r request) error {
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode > 299 || bytes.Contains(raw, []byte(`"isError":true`)) || bytes.Contains(raw, []byte(`"error":{`))) {
		err = fmt.Errorf("%s %s: %d %.300s", r.method, r.url, resp.StatusCode, raw)
	}
	return err
}

// tick is the kernel's unit of CPU time in /proc.
const tick = 10 * time.Millisecond

// cpuOf returns the user and system time that a process has used.
func cpuOf(pid int) (time.Duration, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick, err
}

// rounds is how often the two sides of a comparison take turns; the best of each counts.
const rounds = 3

// sides measures two loads in turns, and returns the best of each.
func (e *env) sides(ctx context.Context, n int, pidA int, a request, pidB int, b request) (bestA, bestB cost, err error) {
	for i := range rounds {
		ca, err := e.load(ctx, pidA, n, crowd, a)
		if err != nil {
			return cost{}, cost{}, err
		}
		cb, err := e.load(ctx, pidB, n, crowd, b)
		if err != nil {
			return cost{}, cost{}, err
		}
		if i == 0 || ca.cpu < bestA.cpu {
			bestA = ca
		}
		if i == 0 || cb.cpu < bestB.cpu {
			bestB = cb
		}
	}
	return bestA, bestB, nil
}
