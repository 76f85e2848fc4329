package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
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
	cmd := &cobra.Command{Use: "dataset", Short: "Add and list datasets"}
	cmd.AddCommand(datasetAdd(), datasetList())
	return cmd
}

// datasetFile is a file on its way to the server.
type datasetFile struct {
	workspace, name, path string
	replace               bool // a new version of the dataset of that name
}

func datasetAdd() *cobra.Command {
	var file datasetFile
	cmd := &cobra.Command{
		Use: "add --workspace W --name NAME FILE", Short: "Add a CSV or Parquet file as a dataset", Args: cobra.ExactArgs(1),
		PreRunE: func(_ *cobra.Command, args []string) error { return file.check(args[0]) },
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			answer, err := file.send(ctx, op)
			if err != nil {
				return err
			}
			return show(op, answer, func(d dataset) string {
				return fmt.Sprintf("dataset %s (%s) version %d: %d rows, %s", d.ID, d.Name, d.Version, d.Rows, d.Fingerprint)
			})
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&file.workspace, "workspace", "", "workspace to add it to")
	cmd.Flags().StringVar(&file.name, "name", "", "name of the dataset; default the file's")
	cmd.Flags().BoolVar(&file.replace, "replace", false, "make it a new version of the dataset of that name")
	return need(cmd, "workspace")
}

// check makes sure that there is a file, before anybody is asked to take it.
func (f *datasetFile) check(path string) error {
	f.path = path
	if f.name == "" {
		f.name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder", path)
	}
	if err != nil {
		return &usageError{err}
	}
	return nil
}

// send uploads the file while it is read.
func (f *datasetFile) send(ctx context.Context, op *operator) (json.RawMessage, error) {
	id, params := scopes.DatasetCreate, map[string]string{"ws": f.workspace}
	if f.replace {
		found, err := datasetID(ctx, op, f.workspace, f.name)
		if err != nil {
			return nil, err
		}
		id, params = scopes.DatasetVersionCreate, map[string]string{"id": found}
	}
	from, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	pipe, into := io.Pipe()
	form := multipart.NewWriter(into)
	written := make(chan struct{})
	go func() {
		defer close(written)
		into.CloseWithError(writeForm(form, f.name, filepath.Base(f.path), from))
	}()
	defer func() { pipe.Close(); <-written }() // ends the writer when the server refused early
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
	all, err := items(ctx, op, scopes.Datasets, map[string]string{"ws": workspace})
	if err != nil {
		return "", err
	}
	for _, item := range all {
		d, err := read[dataset](item)
		if err != nil || strings.EqualFold(d.Name, name) {
			return d.ID, err
		}
	}
	return "", fault.New(fault.NotFound, "The workspace has no dataset of that name.").WithFix("Leave out --replace to add it.")
}

func datasetList() *cobra.Command {
	var workspace string
	cmd := &cobra.Command{
		Use: "list --workspace W", Short: "List the datasets of a workspace", Args: cobra.NoArgs,
		RunE: asOperator(func(ctx context.Context, op *operator, _ []string) error {
			all, err := items(ctx, op, scopes.Datasets, map[string]string{"ws": workspace})
			if err != nil {
				return err
			}
			return showAll(op, all, func(d dataset) string { return d.ID + "  " + d.Name })
		}),
	}
	operatorFlags(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "workspace to list")
	return need(cmd, "workspace")
}
