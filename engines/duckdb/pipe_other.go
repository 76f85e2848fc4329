//go:build !linux

package duckdb

import "os"

func widen(*os.File) {}
