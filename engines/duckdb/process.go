package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"ambit/engines/duckdb/internal/wire"
	"ambit/internal/child"
	"ambit/internal/fault"
)

// grace is how long a child may go on after its deadline, in which it is
// interrupted, before it is killed.
const grace = 300 * time.Millisecond

// environment is the whole environment of a child. Without stack traces, the last
// words of one that aborts still say why.
var environment = []string{"GOTRACEBACK=none"}

// process is a child as the server sees it. One request is in flight at a time.
type process struct {
	child  *child.Process
	bulk   *os.File // comes from the child's descriptor 3
	booted *wire.Booted
	key    string
	uses   int
	spent  bool
	cpu    float64
	idle   *time.Timer

	writing sync.Mutex
	dead    sync.Once
}

// startProcess starts a blank child. Its working folder holds nothing.
func startProcess(command []string, scratch string) (*process, error) {
	bulk, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the bulk pipe: %w", err)
	}
	widen(bulk)
	c, err := child.Start(child.Spec{Command: command, Env: environment, Dir: scratch + "/" + emptyFolder, Files: []*os.File{theirs}})
	theirs.Close()
	if err != nil {
		return nil, errors.Join(err, bulk.Close())
	}
	return &process{child: c, bulk: bulk}, nil
}

// kill ends the child and waits until it is gone. It does so once: later the
// child's number may be another process's.
func (p *process) kill() {
	p.dead.Do(func() {
		p.child.Kill()
		p.bulk.Close()
	})
}

func (p *process) alive() bool {
	select {
	case <-p.child.Done():
		return false
	default:
		return true
	}
}

// reply is an answer with its body.
type reply struct {
	answer wire.Answer
	body   []byte
	err    error
}

// call sends a request and waits for its answer: until the deadline and the
// grace after it, or, if the context ends, for the grace from then.
// A child that did not answer is spent. Faults: those of the answer, timeout,
// memory, engine_unavailable; the context's error if the caller gave up.
func (p *process) call(ctx context.Context, r wire.Request, deadline time.Time) (wire.Answer, []byte, error) {
	p.uses++
	answered := make(chan reply, 1)
	go func() { answered <- p.exchange(r) }()
	hard := time.NewTimer(time.Until(deadline) + grace)
	defer hard.Stop()
	select {
	case got := <-answered:
		return p.settle(got)
	case <-hard.C:
		p.spent = true
		return wire.Answer{}, nil, overran()
	case <-ctx.Done():
	}
	p.spent = true
	p.cancel(answered)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return wire.Answer{}, nil, overran().Because(ctx.Err())
	}
	return wire.Answer{}, nil, fmt.Errorf("the caller gave up: %w", ctx.Err())
}

// callWith is call while bulk takes what the child sends beside its answer. A
// child whose answer or bulk is not whole is spent.
func (p *process) callWith(ctx context.Context, r wire.Request, deadline time.Time, bulk func(io.Reader) error) (wire.Answer, []byte, error) {
	if bulk == nil {
		return p.call(ctx, r, deadline)
	}
	taken := make(chan error, 1)
	go func() { taken <- bulk(p.bulk) }()
	answer, body, err := p.call(ctx, r, deadline)
	if err != nil { // the rest of the bulk will not come, and nobody would read it
		p.spent = true
		p.kill()
		<-taken
		return answer, body, err
	}
	if err := <-taken; err != nil {
		p.spent = true
		return answer, body, unavailable(err)
	}
	return answer, body, nil
}

func (p *process) exchange(r wire.Request) reply {
	if err := p.send(r); err != nil {
		return reply{err: err}
	}
	var got reply
	got.body, got.err = wire.Read(p.child.Stdout, &got.answer)
	return got
}

func (p *process) send(r wire.Request) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return wire.Write(p.child.Stdin, r, nil)
}

// cancel asks the child to end its work and gives it the grace to do so.
func (p *process) cancel(answered <-chan reply) {
	sent := make(chan struct{})
	go func() { defer close(sent); _ = p.send(wire.Request{Op: wire.OpCancel}) }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	}
}

func (p *process) settle(got reply) (wire.Answer, []byte, error) {
	if got.err != nil {
		p.spent = true
		return wire.Answer{}, nil, p.died(got.err)
	}
	p.spent = p.spent || got.answer.Spent
	p.cpu = got.answer.CPU
	if f := got.answer.Fault; f != nil {
		return wire.Answer{}, nil, known(f)
	}
	return got.answer, got.body, nil
}

// childCodes are the faults that a child may raise: it runs what strangers
// wrote, and could be made to say anything.
var childCodes = map[fault.Code]bool{
	fault.NotSelect: true, fault.MultipleStatements: true, fault.FunctionNotAllowed: true, fault.UnknownTable: true,
	fault.TooComplex: true, fault.TooLong: true, fault.Invalid: true, fault.TooLarge: true, fault.Timeout: true,
	fault.Memory: true, fault.EngineUnavailable: true,
}

func known(f *wire.Fault) error {
	if !childCodes[f.Code] {
		return unavailable(fmt.Errorf("a child's fault %s: %s: %s", f.Code, f.Detail, f.Cause))
	}
	return f.Error()
}

// died says why a child is gone. Memory that the kernel refuses ends the child,
// one way or another; what it says then is for the log.
func (p *process) died(err error) error {
	p.kill()
	words := p.child.LastWords()
	cause := fmt.Errorf("%w: %v", err, p.child.Wait())
	for _, sign := range []string{"out of memory", "cannot allocate memory", "bad_alloc", "Out of Memory"} {
		if strings.Contains(words, sign) {
			return fault.New(fault.Memory, "The work needed more memory than it may have.").
				WithFix("Read fewer rows or columns, aggregate earlier, or sort less.").Because(cause)
		}
	}
	return fault.New(fault.EngineUnavailable, "The engine stopped during this work.").
		WithFix("Write it in another way; other work is not affected.").Because(cause)
}

func overran() *fault.Fault {
	return fault.New(fault.Timeout, "The work took longer than it may.").
		WithFix("Read fewer rows, filter earlier, or aggregate before joining.")
}
