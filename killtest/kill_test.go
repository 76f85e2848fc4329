package killtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
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
	agents = 3
	// A server is killed between this many launches of its life and the next
	// one's answer.
	mostLaunches = 6
	mostDelay    = 12 * time.Millisecond // after the launch went on the wire
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
				moment := time.NewTimer(time.Duration(killer.Int64N(int64(mostDelay))))
				<-moment.C // not to wait for anything: this is what is random
				w.server.kill()
				w.restart(t, "")
			}
			crew.finish(t)
			s := w.end(t)
			upheld(t, check(w.history, s))
			cut := w.history.cut(launchKey)
			t.Logf("%d kills: %d plans, %d runs; %d launches and %d plans lost the server while under way",
				kills(), len(s.plans), len(s.runs), cut, w.history.cut(planKey))
			if cut == 0 {
				t.Error("no launch lost the server: the kills have proven nothing")
			}
		})
	}
}

// crew is agents at work.
type crew struct {
	launches chan struct{} // one is sent for each launch that goes on the wire
	enough   chan struct{} // closed: no new plans
	failed   chan error
	working  sync.WaitGroup
	stop     context.CancelFunc
}

func newCrew(t *testing.T, w *world) *crew {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	c := &crew{launches: make(chan struct{}), enough: make(chan struct{}), failed: make(chan error, agents), stop: stop}
	for i := range agents {
		a := w.newAgent()
		a.begun = func() {
			select {
			case c.launches <- struct{}{}:
			default: // nobody is waiting for one
			}
		}
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

// await returns when a launch has gone on the wire.
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
