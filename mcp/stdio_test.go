package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/mcp"
	"ambit/scopes"
)

// stdio is a server on a pair of pipes.
type stdio struct {
	*backend
	in   io.WriteCloser
	out  *bufio.Scanner
	done chan error
}

func startStdio(t *testing.T, change ...func(*mcp.Config)) *stdio {
	t.Helper()
	return startStdioIn(t.Context(), t, change...)
}

func startStdioIn(ctx context.Context, t *testing.T, change ...func(*mcp.Config)) *stdio {
	t.Helper()
	b := newBackend(t)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &stdio{backend: b, in: inW, out: bufio.NewScanner(outR), done: make(chan error, 1)}
	s.out.Buffer(nil, 4<<20)
	cfg := b.config(change...)
	go func() {
		s.done <- mcp.Stdio(ctx, cfg, inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return s
}

func (s *stdio) send(message string) { io.WriteString(s.in, message+"\n") }

// next reads a message. Whatever is no message fails the test.
func (s *stdio) next() message {
	s.t.Helper()
	var m message
	if !s.out.Scan() {
		s.t.Fatal("the output ended")
	}
	if err := json.Unmarshal(s.out.Bytes(), &m); err != nil {
		s.t.Fatalf("a line that is no message: %q", s.out.Text())
	}
	return m
}

// end closes the input, and returns how the server ended.
func (s *stdio) end() error {
	s.in.Close()
	return <-s.done
}

func (s *stdio) rest() (lines []string) {
	for s.out.Scan() {
		lines = append(lines, s.out.Text())
	}
	return lines
}

func TestStdio(t *testing.T) {
	s := startStdio(t)
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"desk","version":"3"}}}`)
	if m := s.next(); m.Error != nil || !strings.Contains(string(m.Result), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize: %s", m.Result)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct{ Tools []listed }
	if err := json.Unmarshal(s.next().Result, &list); err != nil || len(list.Tools) != len(mcp.Tools) {
		t.Errorf("%d tools, %v; want %d", len(list.Tools), err, len(mcp.Tools))
	}
	s.send(toolCall(2, "launch_plan", `{"plan_id":"p"}`, ""))
	if r := resultOf(t, s.next()); r.IsError || !strings.HasPrefix(r.Meta.Key, "mcp-") {
		t.Errorf("launch_plan: %s", r.text())
	}
	got := s.of(scopes.PlanLaunch)
	if len(got) != 1 || got[0].header.Get("X-Ambit-Host") != "desk/3" || got[0].header.Get("Authorization") != "Bearer "+builderToken {
		t.Errorf("reached the API: %+v, want the analyst's call from desk/3", got)
	}
	if err := s.end(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestStdioModern(t *testing.T) {
	s := startStdio(t)
	s.send(toolCall(1, "evaluation", evaluate, `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`))
	m := s.next()
	if r := resultOf(t, m); r.IsError || !strings.Contains(string(m.Result), `"resultType":"complete"`) {
		t.Errorf("evaluation: %s", m.Result)
	}
	if got := s.of(scopes.ModelEvaluation); len(got) != 1 || got[0].header.Get("X-Ambit-Host") != "new/1" {
		t.Errorf("reached the API: %+v", got)
	}
}

func TestStdioLines(t *testing.T) {
	tests := []struct {
		name, line string
		code       int
		id         string
	}{
		{"no JSON", `{`, -32700, "null"},
		{"a batch", `[` + ping + `]`, -32600, "null"},
		{"a key twice", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"x"}`, -32700, "null"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, -32601, "1"},
		{"unknown tool", toolCall(5, "nope", `{}`, ""), -32602, "5"},
		{"too long", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 1<<20) + `"}}`, -32700, "null"},
		{"as long as may be", ping + strings.Repeat(" ", 1<<20-len(ping)), 0, "1"},
		{"with a carriage return", ping + "\r", 0, "1"},
		{"after an empty line", "\n" + ping, 0, "1"},
	}
	s := startStdio(t)
	for _, tt := range tests {
		s.send(tt.line)
		m := s.next()
		code := 0
		if m.Error != nil {
			code = m.Error.Code
		}
		if code != tt.code || string(m.ID) != tt.id {
			t.Errorf("%s: code %d, id %s; want %d, %s", tt.name, code, m.ID, tt.code, tt.id)
		}
	}
}

func TestStdioCancel(t *testing.T) {
	s := startStdio(t)
	w := wait(s.backend, scopes.ModelEvaluation)
	s.send(toolCall(1, "evaluation", evaluate, ""))
	s.send(toolCall(2, "evaluation", evaluate, ""))
	<-w.started
	<-w.started
	s.send(cancelOf("1"))
	<-w.ended
	close(w.release)
	if m := s.next(); string(m.ID) != "2" {
		t.Errorf("answered %s, want 2", m.ID)
	}
	if err := s.end(); err != nil || len(s.rest()) != 0 {
		t.Errorf("ended with %v, or answered what was cancelled", err)
	}
}

// What was asked before the input ended is answered; what hangs is ended.
func TestStdioEndsWithItsInput(t *testing.T) {
	b := newBackend(t)
	w := wait(b, scopes.ModelEvaluation)
	var out bytes.Buffer
	in := strings.NewReader(toolCall(1, "evaluation", evaluate, "") + "\n" + ping) // no line's end after the last
	if err := mcp.Stdio(t.Context(), b.config(), in, &out); err != nil {
		t.Errorf("Stdio = %v", err)
	}
	<-w.ended
	if got := strings.TrimSpace(out.String()); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("output = %s, want the ping's answer alone", got)
	}
}

func TestStdioEndsWhenTold(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := startStdioIn(ctx, t)
	w := wait(s.backend, scopes.ModelEvaluation)
	s.send(toolCall(1, "evaluation", evaluate, ""))
	<-w.started
	stop()
	<-w.ended
	if err := <-s.done; !errors.Is(err, context.Canceled) {
		t.Errorf("Stdio = %v, want context.Canceled", err)
	}
}

func TestStdioToken(t *testing.T) {
	for name, tt := range map[string]struct {
		token string
		want  fault.Code
	}{
		"none": {"", fault.Unauthenticated}, "no token's shape": {"hello", fault.Unauthenticated}, "unknown": {deadToken, fault.Unauthenticated}, "good": {readToken, ""},
	} {
		cfg := newBackend(t).config(func(c *mcp.Config) { c.Token = tt.token })
		if err := mcp.Stdio(t.Context(), cfg, strings.NewReader(""), io.Discard); fault.CodeOf(err) != tt.want {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// A token that is revoked while the server runs sees no tools and calls none.
func TestStdioRevoked(t *testing.T) {
	s := startStdio(t)
	s.send(toolCall(1, "evaluation", evaluate, ""))
	resultOf(t, s.next())
	gone := problem(fault.New(fault.Unauthenticated, "Revoked."))
	s.answer(scopes.ModelEvaluation, gone)
	s.answer(scopes.AuthMe, gone)
	s.send(toolCall(2, "evaluation", evaluate, ""))
	resultOf(t, s.next()).problem(t)
	s.forget()
	s.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if got := string(s.next().Result); got != `{"tools":[]}` {
		t.Errorf("list = %s, want none", got)
	}
	s.send(toolCall(4, "launch_plan", `{"plan_id":"p"}`, ""))
	if p := resultOf(t, s.next()).problem(t); p.Code != "unauthenticated" {
		t.Errorf("code = %q, want unauthenticated", p.Code)
	}
	if got := s.of(); len(got) != 0 {
		t.Errorf("reached the API: %+v", got)
	}
}
