package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"ambit/internal/fault"
	"ambit/internal/ids"
)

const (
	maxAtOnce    = 64                      // requests under way
	graceAtEOF   = 1500 * time.Millisecond // for requests under way when the input ends
	cancelWithin = 400 * time.Millisecond  // for those that were then told to end
)

// Stdio serves MCP to one analyst on a pair of streams, one message a line of at
// most 1 MiB, until the input ends or ctx does; it returns within 2 s of either.
// Only messages go to out. The goroutine that reads in ends with in.
//
// Fault: unauthenticated if the token is none, or does not hold at the start.
func Stdio(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	c, err := newServer(cfg)
	if err != nil {
		return err
	}
	who, err := callerOf(cfg.Token)
	if err != nil {
		return err
	}
	if _, err := c.callers.identify(ctx, who, ""); err != nil {
		return err
	}
	p := &pipe{core: c, who: who, out: out}
	return p.run(ctx, readLines(ctx, in))
}

// pipe is one analyst's pair of streams.
type pipe struct {
	*core
	who  caller
	host string // as initialize said; only the reading loop writes it

	mu  sync.Mutex // held while a line is written
	out io.Writer
}

// line is one line of input, or why there are no more.
type line struct {
	text []byte
	err  error
}

var errLongLine = errors.New("a line is too long")

// readLines reads lines until the input or ctx ends. A line that is too long is
// skipped, and said to be.
func readLines(ctx context.Context, in io.Reader) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			text, err := readLine(r)
			select {
			case lines <- line{text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errLongLine) {
				return
			}
		}
	}()
	return lines
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxMessage+1; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLongLine
		case errors.Is(err, io.EOF) && len(text) > 0 && !long:
			return text, nil // a last line without its end
		default:
			return text, err
		}
	}
}

// run takes lines until there are no more, then ends.
func (p *pipe) run(ctx context.Context, lines <-chan line) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var end error
	for open := true; open; {
		select {
		case l, ok := <-lines:
			open, end = p.take(work, l, ok)
		case <-ctx.Done():
			open, end = false, ctx.Err()
		}
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceAtEOF)
	defer cancel()
	if ctx.Err() != nil {
		cancel() // told to stop: nobody waits for answers
	}
	return errors.Join(end, p.flying.close(grace, cancelWithin))
}

// take handles a line, and reports whether there may be more.
func (p *pipe) take(ctx context.Context, l line, ok bool) (more bool, err error) {
	switch {
	case !ok, errors.Is(l.err, io.EOF):
		return false, nil
	case errors.Is(l.err, errLongLine):
		p.write(envelope{}.failure(refuse(mcpgo.PARSE_ERROR, "A line may have at most %d MiB.", maxMessage>>20)))
	case l.err != nil:
		return false, fmt.Errorf("reading messages: %w", l.err)
	default:
		p.message(ctx, l.text)
	}
	return true, nil
}

func (p *pipe) message(ctx context.Context, text []byte) {
	if len(text) == 0 || string(text) == "\n" || string(text) == "\r\n" {
		return
	}
	e, perr := openEnvelope(text)
	switch {
	case perr != nil:
		p.write(e.failure(perr))
	case e.method == string(mcpgo.MethodNotificationCancelled):
		p.flying.cancel(p.who.digest, e.params.RequestID)
	case e.id != nil:
		p.begin(ctx, e)
	}
}

// begin answers a request in a goroutine of its own, which run waits for.
func (p *pipe) begin(ctx context.Context, e envelope) {
	if c := hostOf(e, p.host); e.method == string(mcpgo.MethodInitialize) {
		p.host = c
	}
	rq := &request{envelope: e, host: hostOf(e, p.host), notify: p.progress}
	ctx, end, ok := p.flying.begin(ctx, p.who.digest, e.id, maxAtOnce)
	if !ok {
		p.write(e.failure(refuse(mcpgo.INVALID_REQUEST, "%d requests are under way: wait for answers.", maxAtOnce)))
		return
	}
	go func() {
		defer end()
		answer := p.serve(ctx, rq)
		if ctx.Err() == nil { // who cancelled a request does not wait for its answer
			p.write(answer)
		}
	}()
}

// serve answers a request. A token that no longer holds sees no tools.
func (p *pipe) serve(ctx context.Context, rq *request) (answer []byte) {
	defer func() {
		if v := recover(); v != nil {
			id := ids.New("err")
			p.log.ErrorContext(ctx, "a request panicked", "method", rq.method, "error_id", id, "panic", v, "stack", string(debug.Stack()))
			answer = rq.failure(refuse(mcpgo.INTERNAL_ERROR, "Ambit failed to do this; report the error id %s.", id))
		}
	}()
	var err error
	if rq.caller, err = p.callers.identify(ctx, p.who, rq.host); err != nil {
		rq.caller.err = fault.From(err)
	}
	if answer, perr, ok := p.early(ctx, rq); perr != nil {
		return rq.failure(perr)
	} else if ok {
		return answer
	}
	if answer, err = p.handle(ctx, rq, rq.raw); err != nil {
		p.log.ErrorContext(ctx, "an answer does not marshal", "method", rq.method, "error", err)
		return rq.failure(refuse(mcpgo.INTERNAL_ERROR, "Ambit failed to do this."))
	}
	return answer
}

// progress writes a progress message. It has left when progress returns, so it
// is never after the result.
func (p *pipe) progress(ctx context.Context, progress map[string]any) {
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})
	if err == nil && ctx.Err() == nil {
		p.write(raw)
	}
}

// write writes a message on a line of its own.
func (p *pipe) write(message []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(append(message, '\n')); err != nil {
		p.log.Warn("a message could not be written", "error", err)
	}
}
