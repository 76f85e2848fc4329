package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"ambit/api/client"
	"ambit/internal/app"
	"ambit/scopes"
)

// operatorTimeout bounds one call of the operator; an upload takes as long as it takes.
const operatorTimeout = 10 * time.Minute

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
		return nil, err
	}
	return &operator{Client: c.As(client.Caller{Tool: "ambit " + cmd.Name()}), cmd: cmd, json: asJSON, close: closeAll}, nil
}

// reach returns the way to the server's code.
func reach(ctx context.Context, cfg app.Config) (http.RoundTripper, func(), error) {
	socket := app.OperatorSocket(cfg.Data)
	if conn, err := net.Dial("unix", socket); err == nil {
		conn.Close()
		transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}
		return transport, transport.CloseIdleConnections, nil
	}
	cfg.TrainWorkers = 0 // a command trains nothing
	cfg.LogLevel = "warn"
	a, err := app.New(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	return client.InProcess(a.Operator()), func() { a.Close() }, nil
}

// call calls a route and decodes its answer.
func (op *operator) call(ctx context.Context, id scopes.RouteID, params map[string]string, query url.Values, body, out any) error {
	answer, err := op.Call(ctx, id, params, query, body)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return nil
}

// show prints v as JSON, or the line for a person.
func (op *operator) show(v any, format string, args ...any) error {
	if op.json {
		return printJSON(op.cmd.OutOrStdout(), v)
	}
	_, err := fmt.Fprintf(op.cmd.OutOrStdout(), format+"\n", args...)
	return err
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
