package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ambit/scopes"
)

// routeRow is a row of the route table as it is shown.
type routeRow struct {
	ID      scopes.RouteID `json:"id"`
	Method  string         `json:"method"`
	Path    string         `json:"path"`
	Class   string         `json:"class"`
	Role    string         `json:"role,omitempty"`
	Bound   string         `json:"bound"`
	Key     bool           `json:"key_required"`
	Budget  bool           `json:"takes_a_run"`
	CLI     bool           `json:"cli"`
	StepUp  bool           `json:"step_up"`
	Planned bool           `json:"planned"`
}

func routesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "routes", Short: "Show the route table: what there is, and what it asks of a caller", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows := routeRows()
			if asJSON {
				return printJSON(cmd.OutOrStdout(), rows)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "CLASS\tROLE\tMETHOD\tPATH\tBOUND\t")
			for _, r := range rows {
				note := ""
				if r.Planned {
					note = "planned"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Class, r.Role, r.Method, r.Path, r.Bound, note)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func routeRows() []routeRow {
	var rows []routeRow
	for _, r := range scopes.Routes {
		rows = append(rows, routeRow{
			ID: r.ID, Method: r.Method, Path: r.Path, Class: r.Class.String(), Role: r.Role.String(), Bound: r.Bound.String(),
			Key: r.NeedsKey(), Budget: r.Budgeted, CLI: r.CLI || r.Method == "GET", StepUp: r.StepUp, Planned: r.Planned,
		})
	}
	return rows
}
