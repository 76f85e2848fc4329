package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"ambit/api"
	"ambit/api/client"
	"ambit/mcp"
	"ambit/scopes"
)

// mountMCP makes the hosted MCP endpoint. Its tools reach the API through the
// API's own handler: they are callers like any other.
func (a *App) mountMCP() (*mcp.Hosted, error) {
	c, err := client.New("http://api.invalid", client.InProcess(a.api))
	if err != nil {
		return nil, err
	}
	return mcp.NewHosted(mcp.Config{
		Version: a.cfg.Version, API: c, Schema: answerSchema, Hosts: a.cfg.hosts(), Origins: a.cfg.origins(), Log: a.log, Now: a.cfg.Now,
	})
}

// hosts are the values of Host that /mcp answers to: another one is a page that
// had its name point here.
func (c Config) hosts() []string {
	hosts := slices.Concat([]string{"127.0.0.1", "localhost", "::1"}, c.AllowedHosts)
	if host, _, err := net.SplitHostPort(c.Addr); err == nil && host != "" {
		hosts = append(hosts, host)
	}
	if u, err := url.Parse(c.PublicURL); err == nil && u.Hostname() != "" {
		hosts = append(hosts, u.Hostname())
	}
	return hosts
}

func (c Config) origins() []string {
	if c.PublicURL == "" {
		return c.AllowedOrigins
	}
	return append([]string{strings.TrimRight(c.PublicURL, "/")}, c.AllowedOrigins...)
}

func answerSchema(id scopes.RouteID) json.RawMessage {
	raw, err := api.AnswerSchema(id)
	if err != nil {
		return nil // the tools' own check at start names the route
	}
	return raw
}

// ServeStdio serves MCP on a pair of streams, for the one analyst whose token it is.
func ServeStdio(ctx context.Context, server, token, version string, in io.Reader, out io.Writer) error {
	c, err := client.New(server, nil)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return mcp.Stdio(ctx, mcp.Config{Version: version, API: c, Schema: answerSchema, Token: token, Log: log}, in, out)
}

// ToolContract is what each tool may call.
func ToolContract() []mcp.ContractRow { return mcp.Contract(mcp.Tools) }
