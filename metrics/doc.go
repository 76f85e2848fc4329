// Package metrics holds every metric, test and interval that Ambit shows.
//
// All functions are total: no input makes them panic, and a number that is not
// defined for its input is a Value without OK, with the Reason. Columns of one
// call have one length; a weight column may be nil, which weighs every row 1.
// A weight multiplies a row: weight 2 counts as the row given twice, and rows of
// weight 0 count as absent.
//
// Binary labels are 0 and 1. Multiclass labels are class indices 0..k-1, with
// probabilities row-major, n rows of k. Intervals cover 95%.
//
// Random parts take a seed and draw from RNG, so that one seed gives one result
// on every machine. Reference values are pinned by the tests: scikit-learn, SciPy
// and statsmodels, as written by testdata/reference.py.
package metrics
