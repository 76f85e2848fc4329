package main

import (
	"github.com/spf13/cobra"

	"ambit/internal/app"
)

// The children are started by the server; nobody types their names.

func engineCommand() *cobra.Command {
	return child("engine", "Run SQL for the server", app.EngineChild)
}
func trainerCommand() *cobra.Command {
	return child("trainer", "Fit models for the server", app.TrainerChild)
}

func child(name, short string, run func(args []string) int) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if code := run(args); code != 0 {
				return &exitError{code}
			}
			return nil
		},
	}
}
