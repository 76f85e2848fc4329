// Command ambit is a server on which agents and people build models from tables
// together, and the tools of its host's operator.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ambit/internal/fault"
)

// Set by the linker.
var (
	version = "dev"
	commit  = ""
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run executes one command. It returns 0, 1 for a refusal or failure, 2 for a
// command that cannot be understood.
func run(ctx context.Context, args []string, std streams) int {
	root := rootCommand(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var usage *usageError
	var exit *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage):
		fmt.Fprintln(std.err, "ambit:", err)
		return 2
	case errors.As(err, new(*fault.Fault)):
		_, problem := fault.Problem(err, "")
		fmt.Fprintln(std.err, string(problem))
		return 1
	}
	fmt.Fprintln(std.err, "ambit:", err)
	return 1
}

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

// exitError ends the program with a code of a child's own.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

func rootCommand(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "ambit",
		Short:         "Agents and people build models from tables together; an agent never does more than it was given.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(misused)
	root.AddCommand(
		serveCommand(), workerCommand(), mcpCommand(), demoCommand(),
		workspaceCommand(), datasetCommand(), personCommand(), tokenCommand(), auditCommand(),
		routesCommand(), contractCommand(), doctorCommand(), configCommand(), migrateCommand(), versionCommand(),
		engineCommand(), trainerCommand(),
	)
	root.InitDefaultCompletionCmd()
	asUsage(root)
	return root
}

// misused is the usage error of a command.
func misused(cmd *cobra.Command, err error) error {
	return &usageError{fmt.Errorf("%w\nTry: %s --help", err, cmd.CommandPath())}
}

// asUsage makes wrong arguments of a command, and of those below it, usage
// errors: a flag that is missing, and a name that a group of commands does not have.
func asUsage(c *cobra.Command) {
	if !c.Runnable() {
		c.Args, c.RunE, c.SuggestionsMinimumDistance = knownCommand, help, 2
	}
	check := c.Args
	c.Args = func(cmd *cobra.Command, args []string) error {
		err := cmd.ValidateRequiredFlags()
		if check != nil && err == nil {
			err = check(cmd, args)
		}
		if err != nil {
			return misused(cmd, err)
		}
		return nil
	}
	for _, sub := range c.Commands() {
		asUsage(sub)
	}
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// knownCommand refuses a name that no command of a group has.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w: did you mean %s?", err, strings.Join(near, ", "))
	}
	return err
}

// need makes flags of a command required.
func need(cmd *cobra.Command, names ...string) *cobra.Command {
	for _, name := range names {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a command that names a flag it does not have
		}
	}
	return cmd
}

// revision is the commit that the program was built from.
func revision() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
