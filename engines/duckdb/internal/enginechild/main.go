// Command enginechild is an engine child as a program of its own. Tests that
// measure memory use it: the race detector's own memory would break the limits.
package main

import (
	"os"

	"ambit/engines/duckdb"
)

func main() { os.Exit(duckdb.ChildMain(os.Args[1:], os.Stdin, os.Stdout)) }
