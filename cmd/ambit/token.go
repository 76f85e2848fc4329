package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ambit/scopes"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Mint, list and revoke tokens"}
	cmd.AddCommand(tokenMint(), tokenList(), tokenRevoke())
	return cmd
}

// newToken is what the API is asked to mint.
type newToken struct {
	Name       string   `json:"name"`
	Scope      string   `json:"scope"`
	Workspaces []string `json:"workspace_ids"`
	ActsFor    string   `json:"acts_for,omitempty"`
	Concurrent int      `json:"max_concurrent"`
	Daily      int      `json:"max_daily"`
	Expires    string   `json:"expires"`
}

func tokenMint() *cobra.Command {
	var t newToken
	cmd := &cobra.Command{
		Use: "mint --scope SCOPE --workspace W", Short: "Mint a token; its secret is shown this once", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			return do(ctx, op, scopes.TokenMint, nil, t, func(minted struct{ Token string }) string { return minted.Token })
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&t.Name, "name", "minted on the host", "what the token is for")
	cmd.Flags().StringVar(&t.Scope, "scope", "", "read, compute or builder")
	cmd.Flags().StringSliceVar(&t.Workspaces, "workspace", nil, "workspace to bind it to; may be repeated")
	cmd.Flags().StringVar(&t.ActsFor, "acts-for", "", "email or id of the person; default the oldest admin")
	cmd.Flags().IntVar(&t.Concurrent, "max-concurrent", 3, "runs at the same time")
	cmd.Flags().IntVar(&t.Daily, "max-daily", 50, "runs a day, UTC")
	cmd.Flags().StringVar(&t.Expires, "expires", "30d", "from now, such as 12h or 30d")
	return need(cmd, "scope", "workspace")
}

type token struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Scope     string `json:"scope"`
	ExpiresAt string `json:"expires_at"`
	RevokedAt string `json:"revoked_at"` // null: not revoked
}

func (t token) line() string {
	state := "expires " + t.ExpiresAt
	if t.RevokedAt != "" {
		state = "revoked " + t.RevokedAt
	}
	return fmt.Sprintf("%s  %-8s %s  %s", t.ID, t.Scope, state, t.Name)
}

func tokenList() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List tokens, without secrets", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			all, err := items(ctx, op, scopes.Tokens, nil)
			if err != nil {
				return err
			}
			return showAll(op, all, token.line)
		}),
	}
	operatorFlags(cmd)
	return cmd
}

func tokenRevoke() *cobra.Command {
	cmd := &cobra.Command{
		Use: "revoke ID", Short: "Revoke a token, at once and for good", Args: cobra.ExactArgs(1),
		RunE: asOperator(func(ctx context.Context, op *operator, args []string) error {
			return do(ctx, op, scopes.TokenRevoke, map[string]string{"id": args[0]}, nil, func(t token) string { return "revoked " + t.ID })
		}),
	}
	operatorFlags(cmd)
	return cmd
}
