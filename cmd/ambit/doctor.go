package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ambit/internal/app"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check what this machine offers: engines, sandbox, data folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			checks := app.Doctor(cmd.Context(), cfg)
			bad := 0
			for _, c := range checks {
				if !c.OK {
					bad++
				}
				if !asJSON {
					fmt.Fprintf(cmd.OutOrStdout(), "%-16s %-4s %s\n", c.Name, c.Word(), c.Detail)
				}
			}
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), checks); err != nil {
					return err
				}
			}
			if bad > 0 {
				return &exitError{1}
			}
			return nil
		},
	}
	configFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}
