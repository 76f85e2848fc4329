package main

import (
	"context"

	"github.com/spf13/cobra"

	"ambit/scopes"
)

type workspace struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Goal  string `json:"goal,omitempty"`
	Stage string `json:"stage"`
}

func workspaceCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "workspace", Short: "Add and list workspaces", Args: cobra.NoArgs}
	cmd.AddCommand(workspaceAdd(), workspaceList())
	return cmd
}

func workspaceAdd() *cobra.Command {
	var name, goal string
	cmd := &cobra.Command{
		Use: "add --name NAME", Short: "Add a workspace", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			var w workspace
			body := map[string]any{"name": name, "goal": goal}
			if err := op.call(ctx, scopes.WorkspaceCreate, nil, nil, body, &w); err != nil {
				return err
			}
			return op.show(w, "workspace %s (%s)", w.ID, w.Name)
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&name, "name", "", "name, new to the server")
	cmd.Flags().StringVar(&goal, "goal", "", "what the work is for")
	return cmd
}

func workspaceList() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List workspaces", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			var list struct {
				Items []workspace `json:"items"`
			}
			if err := op.call(ctx, scopes.Workspaces, nil, nil, nil, &list); err != nil {
				return err
			}
			if op.json {
				return printJSON(op.cmd.OutOrStdout(), list.Items)
			}
			for _, w := range list.Items {
				if err := op.show(w, "%s  %-10s %s", w.ID, w.Stage, w.Name); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	operatorFlags(cmd)
	return cmd
}
