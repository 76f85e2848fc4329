package xgboost

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"ambit/internal/child"
	"ambit/internal/fault"
	"ambit/training"
)

// Session is a child that fits, scores and explains, one request at a time.
type Session struct {
	limits  training.Limits
	grace   time.Duration
	log     *slog.Logger
	dir     string // the child's working folder
	process *child.Process
	events  chan event    // closed when the child says no more
	heard   chan struct{} // closed with events
	once    sync.Once     // closes closed
	closed  chan struct{} // closed by Close
	turn    chan struct{} // held by the request that runs

	matrices *shipment
	version  string // of the library, such as "xgboost 1.7.4"
	idle     uint64 // resident bytes of the child before its first request
	last     int    // id of the last request
}

var _ training.Session = (*Session)(nil)

// newSession starts a child in dir.
func newSession(config Config, limits training.Limits, dir string) (*Session, error) {
	process, err := child.Start(child.Spec{Command: config.Command, Env: environment(), Dir: dir})
	if err != nil {
		return nil, err
	}
	s := &Session{
		limits: limits, grace: config.Grace, log: config.Logger, dir: dir, process: process,
		events: make(chan event, 64), heard: make(chan struct{}), closed: make(chan struct{}), turn: make(chan struct{}, 1),
		matrices: newShipment(dir),
	}
	go s.listen()
	return s, nil
}

// listen passes on what the child says until it says no more. It ends when the
// child's standard output does, which Close sees to.
func (s *Session) listen() {
	defer close(s.heard)
	defer close(s.events)
	lines := bufio.NewScanner(s.process.Stdout)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return
		}
		select {
		case s.events <- e:
		case <-s.closed:
			return
		}
	}
}

// hello sends the limits and waits until the child has loaded the library.
func (s *Session) hello(ctx context.Context, config Config) error {
	e, err := s.exchange(ctx, request{Open: &openRequest{
		Library: config.Library, Memory: s.limits.MemoryBytes, Unlimited: config.Unlimited,
	}}, &watch{})
	if err != nil {
		return err
	}
	s.version = e.Version
	s.idle = child.RSS(s.process.Pid())
	return nil
}

// Fit trains one booster, as training.Session says. Matrices are not kept after
// it returns and may then be changed. Further faults: timeout (Limits.Wall).
func (s *Session) Fit(ctx context.Context, fit training.Fit, progress func(training.Round)) (training.Fitted, error) {
	if err := checkFit(fit); err != nil {
		return training.Fitted{}, err
	}
	if err := checkMemory(fit, s.limits.MemoryBytes); err != nil {
		return training.Fitted{}, err
	}
	if err := s.take(ctx); err != nil {
		return training.Fitted{}, err
	}
	defer s.release()
	begin := time.Now()
	r, mapped, err := s.fitRequest(fit)
	if err != nil {
		return training.Fitted{}, err
	}
	w := &watch{wall: s.limits.Wall, progress: progress, need: estimate(fit), mapped: mapped}
	defer s.sweep(r.Out)
	e, err := s.exchange(ctx, request{Fit: r}, w)
	if err != nil {
		return training.Fitted{}, err
	}
	fitted, err := s.collect(r, e)
	fitted.Seconds = time.Since(begin).Seconds()
	fitted.PeakBytes = w.peak
	return fitted, err
}

// sweep removes what a fit has left in the folder.
func (s *Session) sweep(out string) {
	names, _ := filepath.Glob(filepath.Join(s.dir, out+"*"))
	for _, name := range names {
		os.Remove(name)
	}
}

// fitRequest writes the matrices and describes the fit. mapped is the size of
// what the child maps at a time, at most.
func (s *Session) fitRequest(fit training.Fit) (r *fitRequest, mapped uint64, err error) {
	r = &fitRequest{
		Settings: settings(fit), Booster: fit.Params.Booster, Threads: threads(fit, runtime.GOMAXPROCS(0)),
		Rounds: fit.Rounds, Patience: fit.Patience, Maximize: metric(fit) == "auc",
		Bins: bins(fit), Groups: max(1, fit.Params.Classes), Need: estimate(fit), Out: fmt.Sprintf("model-%d", s.last+1),
	}
	if r.Train, err = s.matrices.add(fit.Train); err != nil {
		return nil, 0, err
	}
	mapped = uint64(r.Train.bytes())
	if fit.Valid != nil {
		valid, err := s.matrices.add(*fit.Valid)
		if err != nil {
			return nil, 0, err
		}
		r.Valid = &valid
		mapped = max(mapped, uint64(valid.bytes()))
	}
	for _, m := range fit.Predict {
		m.Label, m.Weight = nil, nil
		f, err := s.matrices.add(m)
		if err != nil {
			return nil, 0, err
		}
		r.Predict = append(r.Predict, f)
		mapped = max(mapped, uint64(f.bytes()))
	}
	return r, mapped, nil
}

// collect reads the model and the margins that the child has left.
func (s *Session) collect(r *fitRequest, e event) (training.Fitted, error) {
	if e.Done == nil {
		return training.Fitted{}, errors.New("the trainer's answer has no outcome")
	}
	fitted := training.Fitted{Rounds: e.Done.Rounds, Score: e.Done.Score, Stopped: e.Done.Stopped}
	if fitted.Rounds == 0 {
		return fitted, nil
	}
	var err error
	if fitted.Model, err = readModel(filepath.Join(s.dir, r.Out)); err != nil {
		return training.Fitted{}, err
	}
	if r.Booster == "gblinear" { // may leave the numbers while its AUC looks well
		if _, err := Parse(fitted.Model); err != nil {
			return training.Fitted{Stopped: stoppedDiverged}, nil
		}
	}
	for i, f := range r.Predict {
		margins, err := readFloats(filepath.Join(s.dir, marginFile(r.Out, i)), f.Rows*r.Groups)
		if err != nil {
			return training.Fitted{}, err
		}
		fitted.Margins = append(fitted.Margins, margins)
	}
	return fitted, nil
}

// readModel reads a model file. Fault: memory, when it is too big to keep.
func readModel(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the model: %w", err)
	}
	if info.Size() > MaxModelBytes {
		return nil, fault.New(fault.Memory, "The fitted model takes %s; the limit is %s.", size(uint64(info.Size())), size(MaxModelBytes)).
			WithFix("Fit fewer, shallower or smaller trees (num_parallel_tree, max_depth, min_child_weight).")
	}
	return os.ReadFile(path)
}

// take waits for the session's turn.
func (s *Session) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Session) release() {
	s.matrices.trim()
	<-s.turn
}

// Close ends the child, a running request with it, and removes its files.
func (s *Session) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.process.Kill()
	<-s.heard
	if words := s.process.LastWords(); words != "" {
		s.log.Info("a training process wrote", "stderr", words)
	}
	return os.RemoveAll(s.dir)
}

// death returns the fault of a child that ended by itself.
func (s *Session) death(w *watch) error {
	s.process.Kill()
	err := s.process.Wait()
	words := s.process.LastWords()
	for _, sign := range []string{"bad_alloc", "out of memory", "cannot allocate memory"} {
		if strings.Contains(words, sign) {
			return s.overMemory(w).Because(err)
		}
	}
	how := "exit status 0"
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		how = exit.ProcessState.String()
	}
	return unavailable("The training process ended before it was done (" + how + ").").Because(err)
}

// overMemory is the fault of a request that passed its estimate and took more.
func (s *Session) overMemory(w *watch) *fault.Fault {
	return memoryFault(s.limits.MemoryBytes, min(w.need, s.limits.MemoryBytes))
}
