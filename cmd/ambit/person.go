package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
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
	cmd := &cobra.Command{Use: "person", Short: "Add people, list them, let them in"}
	cmd.AddCommand(personAdd(), personList(), personLink())
	return cmd
}

// newPerson is what the API is asked to add.
type newPerson struct {
	Email      string   `json:"email"`
	Name       string   `json:"name,omitempty"`
	Role       string   `json:"role"`
	Workspaces []string `json:"workspace_ids,omitempty"`
	Password   string   `json:"password,omitempty"`
}

func personAdd() *cobra.Command {
	var p newPerson
	var passwordStdin bool
	cmd := &cobra.Command{
		Use: "add --email EMAIL --role ROLE", Short: "Add a person", Args: cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if passwordStdin {
				p.Password, err = firstLine(cmd.InOrStdin())
			}
			return err
		},
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			return do(ctx, op, scopes.PersonCreate, nil, p, func(p person) string {
				return fmt.Sprintf("person %s (%s, %s)", p.ID, p.Email, p.Role)
			})
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&p.Email, "email", "", "email address, the name to sign in with")
	cmd.Flags().StringVar(&p.Name, "name", "", "name to show")
	cmd.Flags().StringVar(&p.Role, "role", "viewer", "viewer, operator or admin")
	cmd.Flags().StringSliceVar(&p.Workspaces, "workspace", nil, "workspace to belong to; may be repeated")
	cmd.Flags().BoolVar(&passwordStdin, "password-stdin", false, "read the password from standard input")
	return need(cmd, "email")
}

// firstLine reads a password, which must not be on the command line for others to see.
func firstLine(from io.Reader) (string, error) {
	line, _ := bufio.NewReader(from).ReadString('\n')
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", &usageError{fmt.Errorf("--password-stdin: no password on standard input")}
	}
	return line, nil
}

func personList() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List people", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			all, err := items(ctx, op, scopes.People, nil)
			if err != nil {
				return err
			}
			return showAll(op, all, func(p person) string { return fmt.Sprintf("%s  %-9s %s", p.ID, p.Role, p.Email) })
		}),
	}
	operatorFlags(cmd)
	return cmd
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
			return do(ctx, op, scopes.PersonLink, map[string]string{"id": id}, nil, func(link struct{ Secret string }) string {
				return fmt.Sprintf(`POST /api/auth/link {"secret":%q}`, link.Secret)
			})
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&email, "email", "", "whose secret")
	return need(cmd, "email")
}

func personID(ctx context.Context, op *operator, email string) (string, error) {
	all, err := items(ctx, op, scopes.People, nil)
	if err != nil {
		return "", err
	}
	for _, item := range all {
		p, err := read[person](item)
		if err != nil || strings.EqualFold(p.Email, email) {
			return p.ID, err
		}
	}
	return "", fault.New(fault.NotFound, "Nobody has that email.").WithFix("\"ambit person list\" shows who is there.")
}
