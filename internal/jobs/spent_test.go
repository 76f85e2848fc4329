package jobs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"ambit/internal/jobs"
)

// What was taken and came to nothing is told from what waits for its turn.
func TestSpent(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		began, release := make(chan string, 1), make(chan bool)
		q := s.start(t, func(_ context.Context, id string, _ int64) error {
			began <- id
			<-release
			return nil
		})
		done := s.add(t, q, jobs.Score, "done", 0)
		next(t, "the first", began)
		release <- true
		taken := s.add(t, q, jobs.Train, "taken", 0)
		next(t, "the second", began)
		waits := s.add(t, q, jobs.Train, "waits", 0) // there is one slot
		withdrawn := s.add(t, q, jobs.Train, "withdrawn", 0)
		s.cancel(t, q, withdrawn)
		asked := []int64{waits, taken, withdrawn, 9999}
		for _, tt := range []struct {
			before time.Time
			want   []int64
		}{
			{time.Now().Add(-time.Hour), []int64{withdrawn, 9999}},
			{time.Now().Add(time.Hour), []int64{taken, withdrawn, 9999}},
		} {
			if got := spent(t, q, asked, tt.before); !slices.Equal(got, tt.want) {
				t.Errorf("spent = %v, want %v", got, tt.want)
			}
		}
		release <- true
		next(t, "the one that waited", began)
		release <- true
		stop(t, q) // writes what is over
		if got := spent(t, q, []int64{done, taken, waits}, time.Time{}); !slices.Equal(got, []int64{done, taken, waits}) {
			t.Errorf("spent = %v, want all", got)
		}
		if got := spent(t, q, nil, time.Now()); got != nil {
			t.Errorf("spent of none = %v, want none", got)
		}
	})
}

// More jobs than are asked for at a time.
func TestSpentOfMany(t *testing.T) {
	each(t, func(t *testing.T, s setup) {
		q := s.queue(t, s.config)
		waits := s.add(t, q, jobs.Train, "waits", 0)
		asked := []int64{}
		for id := waits + 1; len(asked) < 1000; id++ {
			asked = append(asked, id)
		}
		if got := spent(t, q, append(slices.Clone(asked), waits), time.Now().Add(time.Hour)); !slices.Equal(got, asked) {
			t.Errorf("%d are spent, want the 1,000 that are not there", len(got))
		}
	})
}

func spent(t *testing.T, q *jobs.Client, ids []int64, before time.Time) []int64 {
	t.Helper()
	got, err := q.Spent(t.Context(), ids, before)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
