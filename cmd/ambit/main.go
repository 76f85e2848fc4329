// Command ambit is a server on which agents and people build models from tables
// together, and the tools of its host's operator.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
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
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run executes one command. It returns 0, 1 for a refusal or failure, 2 for a
// command that cannot be understood.
func run(ctx context.Context, args []string) int {
	root := rootCommand()
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
		fmt.Fprintln(os.Stderr, "ambit:", err)
		return 2
	case errors.As(err, new(*fault.Fault)):
		_, problem := fault.Problem(err, "")
		fmt.Fprintln(os.Stderr, string(problem))
		return 1
	}
	fmt.Fprintln(os.Stderr, "ambit:", err)
	return 1
}

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

// exitError ends the program with a code of a child's own.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "ambit",
		Short:         "Agents and people build models from tables together; an agent never does more than it was given.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(
		serveCommand(), workerCommand(), mcpCommand(), demoCommand(),
		workspaceCommand(), datasetCommand(), personCommand(), tokenCommand(), auditCommand(),
		routesCommand(), contractCommand(), doctorCommand(), configCommand(), migrateCommand(), versionCommand(),
		engineCommand(), trainerCommand(),
	)
	for _, c := range root.Commands() {
		asUsage(c)
	}
	return root
}

// asUsage makes wrong arguments of a command, and of those below it, usage errors.
func asUsage(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &usageError{fmt.Errorf("%w\nTry: %s --help", err, cmd.CommandPath())}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		asUsage(sub)
	}
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
