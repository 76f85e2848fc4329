package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"ambit/audit"
	"ambit/internal/app"
)

// configFile is read from the working folder unless --config names another.
const configFile = "ambit.yaml"

// configFlags adds a flag for each setting.
func configFlags(cmd *cobra.Command) {
	cmd.Flags().String("config", "", "settings file; default "+configFile+" where it exists")
	defaults := reflect.ValueOf(app.Default())
	eachSetting(func(f reflect.StructField) {
		name, doc := f.Tag.Get("flag"), f.Tag.Get("doc")
		switch v := defaults.FieldByIndex(f.Index).Interface().(type) {
		case string:
			cmd.Flags().String(name, v, doc)
		case int:
			cmd.Flags().Int(name, v, doc)
		case bool:
			cmd.Flags().Bool(name, v, doc)
		case []string:
			cmd.Flags().StringSlice(name, v, doc)
		}
	})
}

func eachSetting(do func(f reflect.StructField)) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Config]()) {
		if f.Tag.Get("flag") != "" {
			do(f)
		}
	}
}

// loadConfig reads the settings: flags over variables over the file.
func loadConfig(cmd *cobra.Command) (app.Config, error) {
	cfg := app.Default()
	cfg.Version, cfg.Commit, cfg.LogTo = version, revision(), cmd.ErrOrStderr()
	exe, err := os.Executable()
	if err != nil {
		return cfg, fmt.Errorf("finding this program: %w", err)
	}
	cfg.Command = []string{exe}
	if err := readFile(cmd, &cfg); err != nil {
		return cfg, &usageError{err}
	}
	if err := readVariables(&cfg); err != nil {
		return cfg, &usageError{err}
	}
	if err := readFlags(cmd.Flags(), &cfg); err != nil {
		return cfg, &usageError{err}
	}
	if err := cfg.Check(); err != nil {
		return cfg, &usageError{err}
	}
	return cfg, nil
}

// readFile reads the settings file. A key that is no setting stops the start.
func readFile(cmd *cobra.Command, cfg *app.Config) error {
	name, err := cmd.Flags().GetString("config")
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(cmpOr(name, configFile))
	if errors.Is(err, fs.ErrNotExist) && name == "" {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings file: %w", err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(cfg); err != nil && !errors.Is(err, io.EOF) { // an empty file sets nothing
		return fmt.Errorf("settings file %s: %w", cmpOr(name, configFile), err)
	}
	return nil
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// otherVariables are known, and are no settings of the server: "ambit mcp" reads
// the address and the token, the audit log its key, our own tests how long to go on.
var otherVariables = map[string]bool{"AMBIT_URL": true, "AMBIT_TOKEN": true, audit.KeyEnv: true, "AMBIT_SOAK": true}

// variable is the name under which the environment has a setting.
func variable(f reflect.StructField) string {
	return "AMBIT_" + strings.ToUpper(strings.ReplaceAll(f.Tag.Get("flag"), "-", "_"))
}

// readVariables reads AMBIT_… . One that is no setting stops the start: it is a
// typing error that would otherwise go unseen.
func readVariables(cfg *app.Config) error {
	known := map[string]reflect.StructField{}
	eachSetting(func(f reflect.StructField) { known[variable(f)] = f })
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "AMBIT_") || otherVariables[name] {
			continue
		}
		f, ok := known[name]
		if !ok {
			return fmt.Errorf("variable %s is no setting; \"ambit config --help\" lists them", name)
		}
		if err := set(reflect.ValueOf(cfg).Elem().FieldByIndex(f.Index), value); err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	return nil
}

func readFlags(flags *pflag.FlagSet, cfg *app.Config) (err error) {
	eachSetting(func(f reflect.StructField) {
		name := f.Tag.Get("flag")
		if err != nil || !flags.Changed(name) {
			return
		}
		if list, lerr := flags.GetStringSlice(name); lerr == nil {
			reflect.ValueOf(cfg).Elem().FieldByIndex(f.Index).Set(reflect.ValueOf(list))
			return
		}
		err = set(reflect.ValueOf(cfg).Elem().FieldByIndex(f.Index), flags.Lookup(name).Value.String())
	})
	return err
}

func set(field reflect.Value, value string) error {
	switch field.Kind() {
	case reflect.String:
		field.SetString(value)
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("must be a whole number")
		}
		field.SetInt(int64(n))
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("must be true or false")
		}
		field.SetBool(b)
	case reflect.Slice:
		field.Set(reflect.ValueOf(list(value)))
	}
	return nil
}

// list reads names between commas; an empty value has none.
func list(value string) (names []string) {
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func configCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "config", Short: "Show the settings in force, without secrets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			return printConfig(cmd, cfg, asJSON)
		},
	}
	configFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func printConfig(cmd *cobra.Command, cfg app.Config, asJSON bool) error {
	shown := map[string]any{}
	eachSetting(func(f reflect.StructField) {
		v := reflect.ValueOf(cfg).FieldByIndex(f.Index).Interface()
		if f.Tag.Get("secret") != "" && v != "" {
			v = "(set)"
		}
		shown[f.Tag.Get("yaml")] = v
	})
	if asJSON {
		return printJSON(cmd.OutOrStdout(), shown)
	}
	enc := yaml.NewEncoder(cmd.OutOrStdout())
	defer enc.Close()
	return enc.Encode(shown)
}
