package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"ambit/internal/fault"
	"ambit/scopes"
)

type person struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Role  string `json:"role"`
}

func personCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "person", Short: "Add people, list them, let them in", Args: cobra.NoArgs}
	cmd.AddCommand(personAdd(), personList(), personLink())
	return cmd
}

func personAdd() *cobra.Command {
	var email, name, role string
	var workspaces []string
	var passwordStdin bool
	cmd := &cobra.Command{
		Use: "add --email EMAIL --role ROLE", Short: "Add a person", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			body := map[string]any{"email": email, "name": name, "role": role, "workspace_ids": workspaces}
			if passwordStdin {
				line, err := bufio.NewReader(op.cmd.InOrStdin()).ReadString('\n')
				if line == "" && err != nil {
					return &usageError{fmt.Errorf("--password-stdin: no password on standard input")}
				}
				body["password"] = strings.TrimRight(line, "\r\n")
			}
			answer, err := op.Call(ctx, scopes.PersonCreate, nil, nil, body)
			if err != nil {
				return err
			}
			var p person
			if err := json.Unmarshal(answer.Body, &p); err != nil {
				return err
			}
			return op.show(answer.Body, "person %s (%s, %s)", p.ID, p.Email, p.Role)
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&email, "email", "", "email address, the name to sign in with")
	cmd.Flags().StringVar(&name, "name", "", "name to show")
	cmd.Flags().StringVar(&role, "role", "viewer", "viewer, operator or admin")
	cmd.Flags().StringSliceVar(&workspaces, "workspace", nil, "workspace to belong to; may be repeated")
	cmd.Flags().BoolVar(&passwordStdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

func personList() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List people", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			found, err := everyone(ctx, op)
			if err != nil || op.json {
				return orPrint(op, found, err)
			}
			for _, p := range found {
				if err := op.show(p, "%s  %-9s %s", p.ID, p.Role, p.Email); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	operatorFlags(cmd)
	return cmd
}

func orPrint(op *operator, v any, err error) error {
	if err != nil {
		return err
	}
	return printJSON(op.cmd.OutOrStdout(), v)
}

// everyone reads all pages of the list of people.
func everyone(ctx context.Context, op *operator) ([]person, error) {
	all, cursor := []person{}, ""
	for {
		var list struct {
			Items []person `json:"items"`
			Next  string   `json:"next_cursor"`
		}
		query := url.Values{"limit": {"100"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := op.call(ctx, scopes.People, nil, query, nil, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if cursor = list.Next; cursor == "" {
			return all, nil
		}
	}
}

func personLink() *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: "link --email EMAIL", Short: "Make a one-time secret that signs a person in, good for 15 minutes", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			id, err := personID(ctx, op, email)
			if err != nil {
				return err
			}
			var link struct {
				Secret string `json:"secret"`
			}
			if err := op.call(ctx, scopes.PersonLink, map[string]string{"id": id}, nil, nil, &link); err != nil {
				return err
			}
			out := map[string]string{"person_id": id, "secret": link.Secret}
			return op.show(out, "POST /api/auth/link {\"secret\":\"%s\"}", link.Secret)
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&email, "email", "", "whose secret")
	return cmd
}

func personID(ctx context.Context, op *operator, email string) (string, error) {
	all, err := everyone(ctx, op)
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if strings.EqualFold(p.Email, email) {
			return p.ID, nil
		}
	}
	return "", fault.New(fault.NotFound, "Nobody has that email.").WithFix("\"ambit person list\" shows who is there.")
}
