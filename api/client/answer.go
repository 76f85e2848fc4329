package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"ambit/internal/fault"
)

// read turns a response into an Answer, or into the fault that it carries.
func read(ctx context.Context, resp *http.Response) (Answer, error) {
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return a, refusal(resp)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	switch {
	case err != nil:
		return a, lost(ctx, err)
	case len(raw) > MaxAnswer:
		return a, fault.New(fault.TooLarge, "The answer has more than %d MiB.", MaxAnswer>>20).WithFix("Ask for less at a time.")
	case len(raw) > 0 && !json.Valid(raw):
		return a, fault.New(fault.Unavailable, "The answer is no JSON: this is not Ambit's API, or something is in between.")
	}
	a.Body = raw
	return a, nil
}

// refusal returns the fault of an answer that is no success.
func refusal(resp *http.Response) error {
	err := fault.Read(resp.StatusCode, resp.Body)
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	if resp.StatusCode == http.StatusUnauthorized {
		return fault.New(fault.Unauthenticated, "The server does not know this credential.").Because(err)
	}
	return fault.New(fault.Unavailable, "The server answered with status %d and did not say why.", resp.StatusCode).Because(err)
}

// lost is the fault of a call that got no answer. Whether it had an effect is not known.
func lost(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.New(fault.Timeout, "The server did not answer in time.").WithFix("Try again.").Because(err)
	}
	return fault.New(fault.Unavailable, "The server cannot be reached.").WithFix("Try again in a moment.").Because(err)
}
