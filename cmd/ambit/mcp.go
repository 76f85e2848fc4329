package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ambit/internal/app"
)

func mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP on standard input and output, for one analyst",
		Long:  "Serve MCP on standard input and output, for one analyst.\n\nAMBIT_URL is the address of the server, AMBIT_TOKEN the analyst's token.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			url, token := os.Getenv("AMBIT_URL"), os.Getenv("AMBIT_TOKEN")
			if url == "" || token == "" {
				return &usageError{fmt.Errorf("AMBIT_URL and AMBIT_TOKEN must be set")}
			}
			return app.ServeStdio(cmd.Context(), url, token, version, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
