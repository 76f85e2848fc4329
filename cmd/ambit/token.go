package main

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/spf13/cobra"

	"ambit/scopes"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "Mint, list and revoke tokens", Args: cobra.NoArgs}
	cmd.AddCommand(tokenMint(), tokenList(), tokenRevoke())
	return cmd
}

func tokenMint() *cobra.Command {
	var name, scope, actsFor, expires string
	var workspaces []string
	var concurrent, daily int
	cmd := &cobra.Command{
		Use: "mint --scope SCOPE --workspace W", Short: "Mint a token; its secret is shown this once", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			body := map[string]any{
				"name": name, "scope": scope, "workspace_ids": workspaces, "acts_for": actsFor,
				"max_concurrent": concurrent, "max_daily": daily, "expires": expires,
			}
			answer, err := op.Call(ctx, scopes.TokenMint, nil, nil, body)
			if err != nil {
				return err
			}
			var minted struct {
				ID    string `json:"id"`
				Token string `json:"token"`
			}
			if err := json.Unmarshal(answer.Body, &minted); err != nil {
				return err
			}
			return op.show(answer.Body, "%s", minted.Token)
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&name, "name", "minted on the host", "what the token is for")
	cmd.Flags().StringVar(&scope, "scope", "read", "read, compute or builder")
	cmd.Flags().StringSliceVar(&workspaces, "workspace", nil, "workspace to bind it to; may be repeated")
	cmd.Flags().StringVar(&actsFor, "acts-for", "", "email or id of the person; default the oldest admin")
	cmd.Flags().IntVar(&concurrent, "max-concurrent", 3, "runs at the same time")
	cmd.Flags().IntVar(&daily, "max-daily", 50, "runs a day, UTC")
	cmd.Flags().StringVar(&expires, "expires", "30d", "from now, such as 12h or 30d")
	return cmd
}

func tokenList() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List tokens, without secrets", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			all, cursor := []json.RawMessage{}, ""
			for {
				var list struct {
					Items []json.RawMessage `json:"items"`
					Next  string            `json:"next_cursor"`
				}
				query := url.Values{"limit": {"100"}}
				if cursor != "" {
					query.Set("cursor", cursor)
				}
				if err := op.call(ctx, scopes.Tokens, nil, query, nil, &list); err != nil {
					return err
				}
				all = append(all, list.Items...)
				if cursor = list.Next; cursor == "" {
					return showTokens(op, all)
				}
			}
		}),
	}
	operatorFlags(cmd)
	return cmd
}

func showTokens(op *operator, all []json.RawMessage) error {
	if op.json {
		return printJSON(op.cmd.OutOrStdout(), all)
	}
	for _, raw := range all {
		var t struct {
			ID, Name, Scope string
			ExpiresAt       string  `json:"expires_at"`
			RevokedAt       *string `json:"revoked_at"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return err
		}
		state := "expires " + t.ExpiresAt
		if t.RevokedAt != nil {
			state = "revoked " + *t.RevokedAt
		}
		if err := op.show(t, "%s  %-8s %s  %s", t.ID, t.Scope, state, t.Name); err != nil {
			return err
		}
	}
	return nil
}

func tokenRevoke() *cobra.Command {
	cmd := &cobra.Command{
		Use: "revoke ID", Short: "Revoke a token, at once and for good", Args: cobra.ExactArgs(1),
		RunE: asOperator(func(ctx context.Context, op *operator, args []string) error {
			answer, err := op.Call(ctx, scopes.TokenRevoke, map[string]string{"id": args[0]}, nil, nil)
			if err != nil {
				return err
			}
			return op.show(answer.Body, "revoked %s", args[0])
		}),
	}
	operatorFlags(cmd)
	return cmd
}
