package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ambit/internal/app"
)

func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "migrate", Short: "Bring the database to this version's schema; serve does so by itself", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			cfg.TrainWorkers = 0
			a, err := app.New(cmd.Context(), cfg) // opens the store, which migrates
			if err != nil {
				return err
			}
			defer a.Close()
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "the schema is this version's")
			return err
		},
	}
	configFlags(cmd)
	return cmd
}
