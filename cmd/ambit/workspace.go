package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ambit/scopes"
)

type workspace struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Stage string `json:"stage"`
}

func workspaceCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "workspace", Short: "Add and list workspaces"}
	cmd.AddCommand(workspaceAdd(), workspaceList())
	return cmd
}

func workspaceAdd() *cobra.Command {
	var name, goal string
	cmd := &cobra.Command{
		Use: "add --name NAME", Short: "Add a workspace", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			body := map[string]any{"name": name, "goal": goal}
			return do(ctx, op, scopes.WorkspaceCreate, nil, body, func(w workspace) string {
				return fmt.Sprintf("workspace %s (%s)", w.ID, w.Name)
			})
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&name, "name", "", "name, new to the server")
	cmd.Flags().StringVar(&goal, "goal", "", "what the work is for")
	return need(cmd, "name")
}

func workspaceList() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List workspaces", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			all, err := items(ctx, op, scopes.Workspaces, nil)
			if err != nil {
				return err
			}
			return showAll(op, all, func(w workspace) string { return fmt.Sprintf("%s  %-10s %s", w.ID, w.Stage, w.Name) })
		}),
	}
	operatorFlags(cmd)
	return cmd
}
