package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ambit/api/client"
	"ambit/internal/fault"
	"ambit/scopes"
)

type dataset struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Version     int    `json:"version"`
	Rows        int64  `json:"rows"`
	Fingerprint string `json:"fingerprint"`
}

func datasetCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "dataset", Short: "Add and list datasets", Args: cobra.NoArgs}
	cmd.AddCommand(datasetAdd(), datasetList())
	return cmd
}

func datasetAdd() *cobra.Command {
	var workspace, name string
	var replace bool
	cmd := &cobra.Command{
		Use: "add --workspace W --name NAME FILE", Short: "Add a CSV or Parquet file as a dataset", Args: cobra.ExactArgs(1),
		RunE: asOperator(func(ctx context.Context, op *operator, args []string) error {
			if name == "" {
				name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
			}
			id, params := scopes.DatasetCreate, map[string]string{"ws": workspace}
			if replace {
				found, err := datasetID(ctx, op, workspace, name)
				if err != nil {
					return err
				}
				id, params = scopes.DatasetVersionCreate, map[string]string{"id": found}
			}
			answer, err := upload(ctx, op, id, params, name, args[0])
			if err != nil {
				return err
			}
			var d dataset
			if err := json.Unmarshal(answer, &d); err != nil {
				return err
			}
			return op.show(answer, "dataset %s (%s) version %d: %d rows, %s", d.ID, d.Name, d.Version, d.Rows, d.Fingerprint)
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "workspace to add it to")
	cmd.Flags().StringVar(&name, "name", "", "name of the dataset; default the file's")
	cmd.Flags().BoolVar(&replace, "replace", false, "make it a new version of the dataset of that name")
	return cmd
}

// upload sends a file while it is read.
func upload(ctx context.Context, op *operator, id scopes.RouteID, params map[string]string, name, file string) (json.RawMessage, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &usageError{err}
	}
	defer f.Close()
	pipe, into := io.Pipe()
	form := multipart.NewWriter(into)
	go func() { into.CloseWithError(writeForm(form, name, filepath.Base(file), f)) }()
	defer pipe.Close() // ends the writer when the server refused early
	answer, err := op.Call(ctx, id, params, nil, client.Stream{ContentType: form.FormDataContentType(), Reader: pipe})
	return answer.Body, err
}

func writeForm(form *multipart.Writer, name, file string, from io.Reader) error {
	if err := form.WriteField("name", name); err != nil {
		return err
	}
	part, err := form.CreateFormFile("file", file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, from); err != nil {
		return err
	}
	return form.Close()
}

func datasetID(ctx context.Context, op *operator, workspace, name string) (string, error) {
	all, err := datasetsOf(ctx, op, workspace)
	if err != nil {
		return "", err
	}
	for _, d := range all {
		if strings.EqualFold(d.Name, name) {
			return d.ID, nil
		}
	}
	return "", fault.New(fault.NotFound, "The workspace has no dataset of that name.").WithFix("Leave out --replace to add it.")
}

func datasetsOf(ctx context.Context, op *operator, workspace string) ([]dataset, error) {
	all, cursor := []dataset{}, ""
	for {
		var list struct {
			Items []dataset `json:"items"`
			Next  string    `json:"next_cursor"`
		}
		query := url.Values{"limit": {"100"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := op.call(ctx, scopes.Datasets, map[string]string{"ws": workspace}, query, nil, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if cursor = list.Next; cursor == "" {
			return all, nil
		}
	}
}

func datasetList() *cobra.Command {
	var workspace string
	cmd := &cobra.Command{
		Use: "list --workspace W", Short: "List the datasets of a workspace", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			all, err := datasetsOf(ctx, op, workspace)
			if err != nil || op.json {
				return orPrint(op, all, err)
			}
			for _, d := range all {
				fmt.Fprintf(op.cmd.OutOrStdout(), "%s  %s\n", d.ID, d.Name)
			}
			return nil
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "workspace to list")
	return cmd
}
