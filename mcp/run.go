package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"ambit/api/client"
	"ambit/scopes"
)

type statusArgs struct {
	Run  string `json:"run_id" doc:"From launch_plan or brief." rule:"required,id"`
	Part string `json:"part,omitempty" doc:"Default status." enum:"status,leaderboard"`
	Wait int    `json:"wait_s,omitempty" doc:"Most seconds to wait for the run to end; default 0." rule:"min=0,max=20"`
}

// seen is what is read of a run while it is watched.
type seen struct {
	State    string  `json:"state"`
	Phase    string  `json:"phase"`
	Progress float64 `json:"progress"`
	LastSeq  int64   `json:"last_seq"`
}

func (s seen) ended() bool {
	return slices.Contains([]string{"succeeded", "failed", "aborted"}, s.State)
}

func (s seen) says() string {
	switch {
	case s.State == "succeeded":
		return "The run succeeded; see part \"leaderboard\"."
	case s.ended():
		return "The run " + claim(s.State) + "; see failure, and part \"leaderboard\" for what it finished."
	}
	return fmt.Sprintf("The run is %s, %.0f%% done (%s). Ask again with wait_s.", claim(s.State), s.Progress*100, claim(s.Phase))
}

func runStatus(ctx context.Context, c *call, in statusArgs) (reply, error) {
	a, s, err := runNow(ctx, c, in.Run, nil)
	until := c.now().Add(time.Duration(in.Wait) * time.Second)
	for err == nil && !s.ended() && c.now() < until {
		c.progress(ctx, s.Progress, s.Phase)
		began := c.now()
		if a, s, err = runNow(ctx, c, in.Run, waiting(s.LastSeq, until.Sub(began))); err == nil && !s.ended() {
			err = pause(ctx, c.every-c.now().Sub(began))
		}
	}
	if err == nil && in.Part == "leaderboard" {
		return leaderboard(ctx, c, in.Run)
	}
	return reply{a, s.says()}, err
}

// waiting asks for an answer when something happened after seq, or time is up.
func waiting(seq int64, left time.Duration) url.Values {
	seconds := max(1, int(left/time.Second))
	return url.Values{"wait_s": {strconv.Itoa(seconds)}, "after_seq": {strconv.FormatInt(seq, 10)}}
}

func runNow(ctx context.Context, c *call, run string, query url.Values) (client.Answer, seen, error) {
	var s seen
	a, err := c.send(ctx, scopes.RunGet, path("id", run), query, nil)
	if err == nil {
		err = json.Unmarshal(a.Body, &s)
	}
	return a, s, err
}

// pause keeps polls of one call apart.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func leaderboard(ctx context.Context, c *call, run string) (reply, error) {
	a, err := c.send(ctx, scopes.RunLeaderboard, path("id", run), nil, nil)
	var b struct {
		State string
		Rows  []json.RawMessage
	}
	text := "The leaderboard."
	if json.Unmarshal(a.Body, &b) == nil {
		text = fmt.Sprintf("The leaderboard of a run that is %s: %s. Take a trial_id from it to register a model.", claim(b.State), count(len(b.Rows), "trial"))
	}
	return reply{a, text}, err
}

type runArgs struct {
	Action string `json:"action" doc:"What to do."`
	Run    string `json:"run_id" doc:"A run that has not ended." rule:"required,id"`
	keyed
}

func run(ctx context.Context, c *call, in runArgs) (reply, error) {
	a, err := c.send(ctx, scopes.RunAbort, path("id", in.Run), nil, struct{}{})
	return reply{a, "The run " + in.Run + " was asked to stop; finished trials stay."}, err
}
