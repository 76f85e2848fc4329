package killtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// kills is how often the server is killed at random, on each database. With
// AMBIT_SOAK=1 it is more.
func kills() int {
	if os.Getenv("AMBIT_SOAK") == "1" {
		return 30
	}
	return 10
}

const (
	agents       = 3
	mostLaunches = 6                     // of the life of a server, one of which is its last
	firstGuess   = 10 * time.Millisecond // of how long a launch takes
)

// Agents make plans and launch them while their server is killed at random.
func TestKilledAtRandom(t *testing.T) {
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed) // the moments of the kills; the rest is up to the machine
			w := newWorld(t, database, "")
			crew := newCrew(t, w)
			killer := rand.New(rand.NewPCG(seed, 1))
			for range kills() {
				for range 1 + killer.IntN(mostLaunches) {
					crew.await(t)
				}
				<-time.After(crew.moment(killer)) // not to wait for anything: this is what is random
				w.server.kill()
				w.restart(t, "")
			}
			crew.finish(t)
			s := w.end(t)
			upheld(t, check(w.history, s))
			launches, plans := w.history.cut(launchKey), w.history.cut(planKey)
			t.Logf("%d kills: %d plans, %d runs; %d launches and %d plans lost the server while under way",
				kills(), len(s.plans), len(s.runs), launches, plans)
			if launches+plans == 0 {
				t.Error("no request lost the server: the kills have proven nothing")
			}
		})
	}
}

// crew is agents at work.
type crew struct {
	launches chan struct{} // one is sent for each launch that is on the wire
	lately   atomic.Int64  // how long a launch took, nanoseconds
	enough   chan struct{} // closed: no new plans
	failed   chan error
	working  sync.WaitGroup
	stop     context.CancelFunc
}

func newCrew(t *testing.T, w *world) *crew {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	c := &crew{launches: make(chan struct{}), enough: make(chan struct{}), failed: make(chan error, agents), stop: stop}
	c.lately.Store(int64(firstGuess))
	for i := range agents {
		a := w.newAgent()
		a.begun = func() {
			select {
			case c.launches <- struct{}{}:
			default: // nobody is waiting for one
			}
		}
		a.took = func(d time.Duration) { c.lately.Store(int64(d)) }
		c.working.Go(func() { c.work(ctx, a, w, i) })
	}
	t.Cleanup(func() { stop(); c.working.Wait() })
	return c
}

// work makes and launches plan after plan until it is enough.
func (c *crew) work(ctx context.Context, a *agent, w *world, number int) {
	for n := 0; ; n++ {
		select {
		case <-c.enough:
			return
		default:
		}
		if err := a.work(ctx, w.space, w.dataset, fmt.Sprintf("%d-%d", number, n)); err != nil {
			c.failed <- err
			return
		}
	}
}

// moment is how long after a launch went on the wire the server is killed: at
// any time until it is answered, or somewhat later.
func (c *crew) moment(killer *rand.Rand) time.Duration {
	return time.Duration(killer.Float64() * 1.5 * float64(c.lately.Load()))
}

// await returns when a launch is on the wire.
func (c *crew) await(t *testing.T) {
	t.Helper()
	select {
	case <-c.launches:
	case err := <-c.failed:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("no launch goes on the wire")
	}
}

// finish lets every agent finish what it has begun.
func (c *crew) finish(t *testing.T) {
	t.Helper()
	close(c.enough)
	c.working.Wait()
	select {
	case err := <-c.failed:
		t.Fatal(err)
	default:
	}
}

// The server dies between each two steps of making a plan and of launching one.
func TestKilledAtEachStep(t *testing.T) {
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			var fails []string
			for _, word := range []string{planKey, launchKey} {
				for _, step := range steps {
					fails = append(fails, word+":"+step)
				}
			}
			upheld(t, dieAt(t, database, fails))
		})
	}
}

// The negative control: a server that keeps its replies in a transaction of
// their own is caught. A plan whose reply was lost is made twice; a launch whose
// reply was lost is refused to the one who made it.
func TestReplyApartIsCaught(t *testing.T) {
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			laws := map[string]bool{}
			for _, f := range dieAt(t, database, []string{planKey + ":" + unrecorded, launchKey + ":" + unrecorded}) {
				laws[f.law] = true
				t.Log(f)
			}
			if !laws[lawOnePlan] || !laws[lawAnswered] {
				t.Errorf("found %v, want at least %q and %q", laws, lawOnePlan, lawAnswered)
			}
		})
	}
}

// dieAt has an agent work while its servers die, one after the other, where they
// are told, and returns the laws that were broken.
func dieAt(t *testing.T, database string, fails []string) []finding {
	t.Helper()
	w := newWorld(t, database, fails[0])
	crew := newCrew(t, w)
	for i := range fails {
		select {
		case <-w.server.ended:
		case err := <-crew.failed:
			t.Fatal(err)
		case <-time.After(patience):
			t.Fatalf("the server does not come to %s", w.Fail)
		}
		next := ""
		if i+1 < len(fails) {
			next = fails[i+1]
		}
		w.restart(t, next)
	}
	crew.finish(t)
	return check(w.history, w.end(t))
}
