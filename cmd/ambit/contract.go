package main

import (
	"github.com/spf13/cobra"

	"ambit/internal/app"
)

func contractCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "contract", Short: "Show what each MCP tool may call, as JSON", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printJSON(cmd.OutOrStdout(), app.ToolContract())
		},
	}
	cmd.Flags().Bool("json", true, "as JSON, which it always is")
	return cmd
}
