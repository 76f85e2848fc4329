package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"ambit/api/client"
	"ambit/internal/app"
	"ambit/internal/demo"
)

func demoCommand() *cobra.Command {
	var exit bool
	cmd := &cobra.Command{
		Use: "demo", Short: "Start with sample data and let an agent do the main job, a line a step", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("data") {
				if cfg.Data, err = os.MkdirTemp("", "ambit-demo-"); err != nil {
					return err
				}
				defer removeAll(cfg.Data)
			}
			if cfg.Addr, err = freeAddr(cfg.Addr); err != nil {
				return err
			}
			return runDemo(cmd, cfg, exit)
		},
	}
	configFlags(cmd)
	cmd.Flags().BoolVar(&exit, "exit", false, "end after the job instead of serving on")
	return cmd
}

// removeAll removes a data folder, the read-only folders of its tables included.
func removeAll(data string) {
	if err := app.RemoveData(data); err != nil {
		fmt.Fprintln(os.Stderr, "ambit:", err)
	}
}

// freeAddr returns addr, or the next one whose port is free.
func freeAddr(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	first, err := net.LookupPort("tcp", port)
	if err != nil {
		return "", err
	}
	for p := first; p < first+100; p++ {
		try := net.JoinHostPort(host, fmt.Sprint(p))
		l, err := net.Listen("tcp", try)
		if err == nil {
			l.Close()
			return try, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return "", err
		}
	}
	return "", fmt.Errorf("no port from %d on is free", first)
}

// runDemo serves, walks, and then goes on serving unless it is told to end.
func runDemo(cmd *cobra.Command, cfg app.Config, exit bool) error {
	wire := &demo.Wire{Next: slog.NewTextHandler(cmd.ErrOrStderr(), nil)}
	cfg.Log = slog.New(wire)
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	a, err := app.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer a.Close()
	ready, served := make(chan string, 1), make(chan error, 1)
	go func() { served <- a.Serve(ctx, func(url string) error { ready <- url; return nil }) }()
	select {
	case err := <-served:
		return err
	case url := <-ready:
		w, err := walk(cmd, a, url, wire)
		if err == nil && !exit {
			err = sayGoodbye(cmd, w, url)
		}
		if err != nil || exit {
			stop()
			return errors.Join(err, <-served)
		}
	}
	return <-served
}

func walk(cmd *cobra.Command, a *app.App, url string, wire *demo.Wire) (*demo.Walk, error) {
	operator, err := client.New("http://operator.invalid", client.InProcess(a.Operator()))
	if err != nil {
		return nil, err
	}
	w := &demo.Walk{Operator: operator, URL: url, Wire: wire, Out: cmd.OutOrStdout()}
	return w, w.Run(cmd.Context())
}

// sayGoodbye tells a person how to go on by themselves.
func sayGoodbye(cmd *cobra.Command, w *demo.Walk, url string) error {
	secret, err := w.SignIn(cmd.Context())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), farewell, url, secret, url, url, w.Token())
	return err
}

const farewell = `
Ambit answers at %s

A person signs in with this one-time secret, good for 15 minutes:
  curl -c cookies -H 'Content-Type: application/json' -d '{"secret":"%s"}' %s/api/auth/link

An MCP client connects with:
  {"mcpServers": {"ambit": {"type": "http", "url": "%s/mcp", "headers": {"Authorization": "Bearer %s"}}}}
`
