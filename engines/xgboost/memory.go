package xgboost

import (
	"fmt"

	"ambit/internal/fault"
	"ambit/training"
)

// denseFactor is the library's peak for a dense matrix, in times of its raw
// float32 size, as measured on 400,000 × 50: the copy with an index a value,
// and the bins.
const denseFactor = 4

// ownSlack is private memory that a child takes besides what the library
// allocates: the stacks of its threads and the growth of the Go heap, as mapped.
const ownSlack = 256 << 20

// estimate returns the private memory that a checked fit takes at its peak, in
// bytes, trees and their histograms aside: matrices, and gradient and prediction
// a row and class.
func estimate(fit training.Fit) uint64 {
	largest := uint64(0)
	for _, m := range fit.Predict {
		largest = max(largest, matrixCost(m.Rows, m.Cols))
	}
	rows := uint64(fit.Train.Rows)
	total := matrixCost(fit.Train.Rows, fit.Train.Cols) + largest
	if fit.Valid != nil {
		rows += uint64(fit.Valid.Rows)
		total += matrixCost(fit.Valid.Rows, fit.Valid.Cols)
	}
	const rowCost = 8 + 4 + 4 + 4 + 4 // gradient and hessian, margin, its copy, label, weight
	return total + rows*uint64(max(1, fit.Params.Classes))*rowCost
}

func matrixCost(rows, cols int) uint64 { return denseFactor * 4 * uint64(rows) * uint64(cols) }

// checkMemory refuses a fit whose estimate is over the limit.
func checkMemory(fit training.Fit, limit uint64) error {
	if need := estimate(fit); need > limit {
		return memoryFault(limit, need)
	}
	return nil
}

// memoryFault names the limit and the estimate that it was compared with.
func memoryFault(limit, need uint64) *fault.Fault {
	f := fault.New(fault.Memory, "This needs about %s of memory, as estimated; the limit is %s.", size(need), size(limit))
	if need <= limit {
		f.Detail = fmt.Sprintf("This went over its memory limit of %s; the estimate, trees aside, was %s.", size(limit), size(need))
	}
	return f.With("limit_bytes", limit).With("estimate_bytes", need).
		WithFix("Use fewer rows or columns, shallower or fewer trees, or ask an administrator for a higher limit.")
}

// size writes a number of bytes for people.
func size(bytes uint64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
