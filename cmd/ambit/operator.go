package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"ambit/api/client"
	"ambit/internal/app"
	"ambit/internal/fault"
	"ambit/internal/store"
	"ambit/scopes"
)

const (
	// operatorTimeout bounds one call of the operator; an upload takes as long as it takes.
	operatorTimeout = 10 * time.Minute
	// holdTimeout is how long whoever holds the data folder may take to answer:
	// a server that is starting, or another command that is about to end.
	holdTimeout = 10 * time.Second
	holdPoll    = 50 * time.Millisecond
)

// operator is the host's operator: it talks to the running server over its
// socket, or, when no server holds the data folder, to the same code in this process.
type operator struct {
	*client.Client
	cmd   *cobra.Command
	json  bool
	close func()
}

// operatorFlags adds what every command of the operator takes.
func operatorFlags(cmd *cobra.Command) {
	configFlags(cmd)
	cmd.Flags().Bool("json", false, "as JSON")
}

// asOperator runs f with a connection.
func asOperator(f func(ctx context.Context, op *operator, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		op, err := connect(cmd)
		if err != nil {
			return err
		}
		defer op.close()
		ctx, cancel := context.WithTimeout(cmd.Context(), operatorTimeout)
		defer cancel()
		return f(ctx, op, args)
	}
}

func connect(cmd *cobra.Command) (*operator, error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return nil, err
	}
	transport, closeAll, err := reach(cmd.Context(), cfg)
	if err != nil {
		return nil, err
	}
	c, err := client.New("http://operator.invalid", transport)
	if err != nil {
		closeAll()
		return nil, err
	}
	return &operator{Client: c.As(client.Caller{Tool: cmd.CommandPath()}), cmd: cmd, json: asJSON, close: closeAll}, nil
}

// reach returns the way to the server's code.
func reach(ctx context.Context, cfg app.Config) (http.RoundTripper, func(), error) {
	cfg.TrainWorkers = 0 // a command trains nothing
	cfg.LogLevel = "warn"
	late := time.NewTimer(holdTimeout)
	defer late.Stop()
	for {
		if transport := overSocket(app.OperatorSocket(cfg.Data)); transport != nil {
			return transport, transport.CloseIdleConnections, nil
		}
		a, err := app.New(ctx, cfg)
		if err == nil {
			return client.InProcess(a.Operator()), func() { a.Close() }, nil
		}
		if !errors.Is(err, store.ErrHeld) {
			return nil, nil, err
		}
		select {
		case <-time.After(holdPoll):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-late.C:
			return nil, nil, fault.New(fault.Unavailable, "Another Ambit holds the data folder and does not answer the operator.").
				WithFix("Stop it, or name another folder with --data.").Because(err)
		}
	}
}

// overSocket returns the way to a running server, or nil if none answers.
func overSocket(socket string) *http.Transport {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil
	}
	conn.Close()
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
}

// do calls a route, decodes what a line for a person needs, and shows the answer:
// as it came, or as the line.
func do[T any](ctx context.Context, op *operator, id scopes.RouteID, params map[string]string, body any, line func(T) string) error {
	answer, err := op.Call(ctx, id, params, nil, body)
	if err != nil {
		return err
	}
	return show(op, answer.Body, line)
}

// show prints an answer as it came, or a person's line of it.
func show[T any](op *operator, answer json.RawMessage, line func(T) string) error {
	if op.json {
		return printJSON(op.out(), answer)
	}
	v, err := read[T](answer)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(op.out(), line(v))
	return err
}

// showAll prints a list as it came, or a line for each item.
func showAll[T any](op *operator, items []json.RawMessage, line func(T) string) error {
	if op.json {
		return printJSON(op.out(), items)
	}
	for _, item := range items {
		if err := show(op, item, line); err != nil {
			return err
		}
	}
	return nil
}

// items reads every page of a list.
func items(ctx context.Context, op *operator, id scopes.RouteID, params map[string]string) ([]json.RawMessage, error) {
	all := []json.RawMessage{}
	for query := (url.Values{}); ; {
		answer, err := op.Call(ctx, id, params, query, nil)
		if err != nil {
			return nil, err
		}
		page, err := read[struct {
			Items []json.RawMessage `json:"items"`
			Next  string            `json:"next_cursor"`
		}](answer.Body)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all, nil
		}
		query.Set("cursor", page.Next)
	}
}

func read[T any](answer json.RawMessage) (v T, err error) {
	if err := json.Unmarshal(answer, &v); err != nil {
		return v, fmt.Errorf("reading the answer: %w", err)
	}
	return v, nil
}

func (op *operator) out() io.Writer { return op.cmd.OutOrStdout() }

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
