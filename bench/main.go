// Command bench measures Ambit beside named peers, in one run on one machine, and
// prints a table of ratios. Machines are noisy: read the ratios, not the times.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

// row is one line of the table.
type row struct {
	what, goal, measured string
	met                  bool
}

// measure is one benchmark.
type measure struct {
	name string
	run  func(ctx context.Context, e *env) ([]row, error)
}

var measures = []measure{
	{"start", start},
	{"get", authorisedGet},
	{"mcp", mcpCalls},
	{"query", query},
	{"read", read},
	{"train", train},
	{"what-if", whatIf},
	{"keys", keys},
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "peer" {
		servePeer()
		return
	}
	only := flag.String("only", "", "names of measures, with commas; default all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string) error {
	e, err := newEnv(ctx)
	if err != nil {
		return err
	}
	defer e.close()
	fmt.Printf("%s, %d cores, %s\n\n| what | goal | measured | |\n| --- | --- | --- | --- |\n", time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version())
	for _, m := range measures {
		if only != "" && !slices.Contains(strings.Split(only, ","), m.name) {
			continue
		}
		rows, err := m.run(ctx, e)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, r := range rows {
			fmt.Printf("| %s | %s | %s | %s |\n", r.what, r.goal, r.measured, verdict(r.met))
		}
	}
	return nil
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "short"
}
