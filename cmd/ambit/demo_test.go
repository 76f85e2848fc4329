package main

import (
	"bytes"
	"context"
	"net"
	"regexp"
	"strings"
	"testing"
)

// watched is an output in which a test waits for a word.
type watched struct {
	bytes.Buffer
	word string
	seen func() // called when the word is there
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if w.word != "" && strings.Contains(w.String(), w.word) {
		w.seen()
	}
	return n, err
}

// The demo does the whole job and is refused what it must be. With --exit it
// ends by itself and says no more; without, it serves on until it is stopped.
func TestDemo(t *testing.T) {
	tests := []struct {
		name     string
		args     []string
		stopAt   string // in its output
		farewell bool
	}{
		{"ends after the job", []string{"demo", "--exit"}, "", false},
		{"serves on", []string{"demo"}, "Authorization", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TMPDIR", dataFolder(t)) // where the demo's data goes
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			out, errs := watched{word: tt.stopAt, seen: stop}, bytes.Buffer{}
			code := run(ctx, append(tt.args, "--addr", freePort(t)), streams{strings.NewReader(""), &out, &errs})
			if code != 0 || errs.Len() > 0 {
				t.Errorf("exit %d, stderr %q; want 0 and nothing: %s", code, errs.String(), out.String())
			}
			if got := strings.Contains(out.String(), "one-time secret"); got != tt.farewell {
				t.Errorf("farewell = %v, want %v", got, tt.farewell)
			}
			for _, want := range demoShows {
				if !regexp.MustCompile(want).MatchString(out.String()) {
					t.Errorf("no %q in %s", want, out.String())
				}
			}
		})
	}
}

// demoShows is what the walk must have come to.
var demoShows = []string{
	`launch_plan +run_\w+`, `succeeded, \w+, 100%`, `model +mo_\w+ registered`, `what_if +class (good|bad), probability of bad 0\.`,
	`promote its own model +403 human_only`, `read another workspace +404 not_found`, `SQL that reads a file +422 function_not_allowed`,
	`start a fourth run of three +429 budget_exceeded`, `launch a stale plan +409 plan_stale`, `use a key for something else 422 idempotency_key_reused`,
	`(?m)^\d+ +ambit-0 +gbtree +0\.7\d+`, `plan_create +ok \(replay\)`, `The chain of \d+ records is intact\.`,
}

// freePort is an address that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The demo takes the next port if one is taken.
func TestFreeAddr(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got, err := freeAddr(l.Addr().String())
	if err != nil || got == l.Addr().String() || !strings.HasPrefix(got, "127.0.0.1:") {
		t.Errorf("freeAddr(%s) = %s, %v; want another port", l.Addr(), got, err)
	}
	for _, addr := range []string{"8080", "127.0.0.1:x", "192.0.2.1:80"} {
		if got, err := freeAddr(addr); err == nil {
			t.Errorf("freeAddr(%s) = %s, want an error", addr, got)
		}
	}
}
