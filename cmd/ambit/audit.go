package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"ambit/audit"
	"ambit/scopes"
)

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Read and verify the audit log", Args: cobra.NoArgs}
	cmd.AddCommand(auditList(), auditVerify())
	return cmd
}

func auditList() *cobra.Command {
	var limit int
	filters := map[string]*string{}
	cmd := &cobra.Command{
		Use: "list", Short: "Show records, the newest first", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			for name, value := range filters {
				if *value != "" {
					query.Set(name, *value)
				}
			}
			var list struct {
				Items []audit.Entry `json:"items"`
			}
			if err := op.call(ctx, scopes.Audit, nil, query, nil, &list); err != nil {
				return err
			}
			if op.json {
				return printJSON(op.cmd.OutOrStdout(), list.Items)
			}
			for _, e := range list.Items {
				if err := op.show(e, "%6d  %s  %-22s %-20s %-18s %s", e.Seq, e.At, e.Principal, e.Route, e.Outcome, e.Tool); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 100, "records, at most 1,000")
	for _, name := range []string{"principal", "route", "tool", "outcome", "entity"} {
		filters[name] = cmd.Flags().String(name, "", "only records with this "+name)
	}
	return cmd
}

func auditVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify", Short: "Walk the chain and name the first bad record", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			var v struct {
				Intact  bool   `json:"intact"`
				Records int64  `json:"records"`
				Head    string `json:"head_hash"`
				Problem string `json:"problem,omitempty"`
			}
			if err := op.call(ctx, scopes.AuditVerify, nil, nil, nil, &v); err != nil {
				return err
			}
			if err := op.show(v, "%d records, head %s", v.Records, v.Head); err != nil {
				return err
			}
			if !v.Intact {
				return fmt.Errorf("the audit log is not intact: %s", v.Problem)
			}
			return nil
		}),
	}
	operatorFlags(cmd)
	return cmd
}
