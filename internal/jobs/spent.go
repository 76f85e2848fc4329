package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// spentBatch is how many jobs are asked for at a time.
const spentBatch = 1000

// Spent returns those of the jobs that will not be delivered any more: a process
// took them before the time, or they are over or gone. A process that is killed
// between taking a job and acting on it leaves one behind.
func (q *Client) Spent(ctx context.Context, jobIDs []int64, before time.Time) ([]int64, error) {
	var spent []int64
	for batch := range slices.Chunk(jobIDs, spentBatch) {
		found, err := q.river.JobList(ctx, river.NewJobListParams().IDs(batch...).First(len(batch)))
		if err != nil {
			return nil, fmt.Errorf("looking for jobs: %w", err)
		}
		for _, id := range batch {
			i := slices.IndexFunc(found.Jobs, func(j *rivertype.JobRow) bool { return j.ID == id })
			if i < 0 || isSpent(found.Jobs[i], before) {
				spent = append(spent, id)
			}
		}
	}
	return spent, nil
}

func isSpent(j *rivertype.JobRow, before time.Time) bool {
	switch j.State {
	case rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateScheduled:
		return false
	case rivertype.JobStateRunning:
		return j.AttemptedAt != nil && j.AttemptedAt.Before(before)
	}
	return true
}
