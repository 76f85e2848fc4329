package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"ambit/scopes"
)

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Read and verify the audit log"}
	cmd.AddCommand(auditList(), auditVerify())
	return cmd
}

// auditEntry is a record as it is shown.
type auditEntry struct {
	Seq       int64  `json:"seq"`
	At        string `json:"at"`
	Principal string `json:"principal"`
	Tool      string `json:"tool"`
	Route     string `json:"route"`
	Outcome   string `json:"outcome"`
	Replay    bool   `json:"replay"`
}

func (e auditEntry) line() string {
	outcome := e.Outcome
	if e.Replay {
		outcome += " (replay)"
	}
	return fmt.Sprintf("%6d  %s  %-22s %-22s %-18s %s", e.Seq, e.At, e.Principal, e.Route, outcome, e.Tool)
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
			answer, err := op.Call(ctx, scopes.Audit, nil, query, nil)
			if err != nil {
				return err
			}
			list, err := read[struct {
				Items []json.RawMessage `json:"items"`
			}](answer.Body)
			if err != nil {
				return err
			}
			return showAll(op, list.Items, auditEntry.line)
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 100, "records, at most 1,000")
	for _, name := range []string{"principal", "route", "tool", "outcome", "entity"} {
		filters[name] = cmd.Flags().String(name, "", "only records with this "+name)
	}
	return cmd
}

// verification is what became of a walk along the chain.
type verification struct {
	Intact  bool   `json:"intact"`
	Records int64  `json:"records"`
	Head    string `json:"head_hash"`
	Problem string `json:"problem"`
}

func auditVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify", Short: "Walk the chain and name the first bad record", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			answer, err := op.Call(ctx, scopes.AuditVerify, nil, nil, nil)
			if err != nil {
				return err
			}
			v, err := read[verification](answer.Body)
			if err != nil {
				return err
			}
			if err := show(op, answer.Body, verification.line); err != nil || v.Intact {
				return err
			}
			return fmt.Errorf("the audit log is not intact: %s", v.Problem)
		}),
	}
	operatorFlags(cmd)
	return cmd
}

func (v verification) line() string { return fmt.Sprintf("%d records, head %s", v.Records, v.Head) }
