package xgboost

import (
	"fmt"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ambit/internal/child"
	"ambit/training"
)

// fit trains a booster, keeps its best rounds and predicts with them.
func (t *trainer) fit(id int, r fitRequest) (event, error) {
	files := []matrixFile{r.Train}
	if r.Valid != nil {
		files = append(files, *r.Valid)
	}
	tables, err := t.shelf.take(t.lib, r.Bins, r.Threads, r.Need, files...)
	if err != nil {
		return event{}, err
	}
	j := &job{t: t, id: id, r: r, tables: tables, best: best{maximize: r.Maximize, round: -1}}
	defer j.free()
	if err := j.rounds(); err != nil {
		return event{}, err
	}
	if j.stopped == stoppedAborted {
		return event{Kind: eventAborted}, nil
	}
	if err := j.keep(); err != nil {
		return event{}, err
	}
	return event{Kind: eventDone, Done: &outcome{Rounds: j.best.round + 1, Score: j.best.score(), Stopped: j.stopped}}, nil
}

// Why a fit stopped.
const (
	stoppedRounds   = "rounds"   // all rounds were done
	stoppedEarly    = "early"    // no better round for as many as the patience
	stoppedDiverged = "diverged" // the metric is not a finite number
	stoppedAborted  = "aborted"  // as asked; never told to callers
)

// job is a fit under way.
type job struct {
	t       *trainer
	id      int
	r       fitRequest
	tables  []*dmatrix // train, and valid if there is one
	booster *booster
	best    best
	kept    []byte // the best round's model, for boosters that cannot be cut
	stopped string
}

func (j *job) free() {
	if j.booster != nil {
		j.booster.free()
	}
}

// rounds trains until a reason to stop.
func (j *job) rounds() (err error) {
	if j.booster, err = newBooster(j.t.lib, j.r.Settings, j.tables...); err != nil {
		return err
	}
	for i := 0; j.stopped == ""; i++ {
		switch {
		case j.t.isAborted(j.id):
			j.stopped = stoppedAborted
		case i == j.r.Rounds:
			j.stopped = stoppedRounds
			err = j.finish()
		default:
			err = j.round(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// round trains and tells one round, and decides whether it was the last.
func (j *job) round(i int) error {
	begin := time.Now()
	if err := j.booster.update(i, j.tables[0]); err != nil {
		return err
	}
	told := training.Round{Round: i}
	if j.r.Valid != nil {
		value, err := j.booster.eval(i, j.tables[1])
		if err != nil {
			return err
		}
		if err := j.judge(i, value, &told); err != nil {
			return err
		}
	} else {
		told.Reason = "no rows to watch"
	}
	told.MS = float64(time.Since(begin).Microseconds()) / 1000
	told.RSS = child.RSS(os.Getpid())
	return j.t.out.Encode(event{Kind: eventRound, ID: j.id, Round: &told})
}

// judge takes the metric of a round into account.
func (j *job) judge(i int, value float64, told *training.Round) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		told.Reason = fmt.Sprintf("the metric is %v", value)
		j.stopped = stoppedDiverged
		return nil
	}
	told.Metric = &value
	if !j.best.better(value) {
		if j.r.Patience > 0 && i-j.best.round >= j.r.Patience {
			j.stopped = stoppedEarly
		}
		return nil
	}
	j.best.round, j.best.value = i, value
	if j.r.Booster == "gbtree" {
		return nil
	}
	// Weights change with each round (gblinear), and so do those of earlier
	// trees (dart): the best round has to be kept when it is there.
	var err error
	j.kept, err = j.booster.snapshot()
	return err
}

// finish sees, when no rows were watched, whether what was fitted is any good:
// the metric on the train rows, whose predictions the library has at hand.
func (j *job) finish() error {
	if j.r.Valid != nil {
		return nil
	}
	value, err := j.booster.eval(j.r.Rounds-1, j.tables[0])
	if err != nil {
		return err
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		j.stopped = stoppedDiverged
		return nil
	}
	j.best.round = j.r.Rounds - 1
	j.best.unwatched = true
	return nil
}

// keep writes the model of the best rounds and its predictions. A fresh booster
// makes them: the trained one would answer from what it noted on the way.
func (j *job) keep() error {
	if j.best.round < 0 {
		return nil
	}
	kept, err := j.cut()
	if err != nil {
		return err
	}
	defer kept.free()
	for i, f := range j.r.Predict {
		if j.t.isAborted(j.id) {
			return nil // nobody waits for the rest
		}
		m, err := loadMatrix(j.t.lib, f, j.r.Threads)
		if err != nil {
			return err
		}
		err = kept.predict(m, predictMargin, marginFile(j.r.Out, i))
		m.free()
		if err != nil {
			return err
		}
	}
	return nil
}

// cut returns a booster of the best rounds and writes its model.
func (j *job) cut() (*booster, error) {
	if j.r.Booster == "gbtree" {
		kept, err := j.booster.first(j.best.round+1, j.r.Threads)
		if err != nil {
			return nil, err
		}
		model, err := kept.model()
		if err == nil {
			err = os.WriteFile(j.r.Out, model, 0o600)
		}
		if err != nil {
			kept.free()
			return nil, err
		}
		return kept, nil
	}
	if j.kept == nil {
		var err error
		if j.kept, err = j.booster.snapshot(); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(j.r.Out, j.kept, 0o600); err != nil {
		return nil, err
	}
	return loadBooster(j.t.lib, j.kept, j.r.Threads)
}

// best is the best round so far.
type best struct {
	maximize  bool
	unwatched bool
	round     int // -1: none
	value     float64
}

func (b best) better(value float64) bool {
	if b.round < 0 {
		return true
	}
	if b.maximize {
		return value > b.value
	}
	return value < b.value
}

// score returns the metric of the best round, or nil when there is none.
func (b best) score() *float64 {
	if b.round < 0 || b.unwatched {
		return nil
	}
	return &b.value
}

// marginFile names the i-th prediction of a fit.
func marginFile(out string, i int) string { return fmt.Sprintf("%s.%d", out, i) }

func unmap(raw []byte) { _ = unix.Munmap(raw) }
