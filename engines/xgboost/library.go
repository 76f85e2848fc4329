package xgboost

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// pointer is an address on the C side: a handle, or memory that the library owns.
type pointer = unsafe.Pointer

// library is the part of XGBoost's C interface that Ambit uses, as declared in
// xgboost/c_api.h of 1.7. Its state (random numbers, last error, buffers of
// results) is of the operating-system thread: one locked thread calls it.
type library struct {
	version   func(major, minor, patch *int32)
	lastError func() string

	matrixCreate   func(array, config string, out *pointer) int32
	matrixFree     func(matrix pointer) int32
	matrixSetInfo  func(matrix pointer, field, array string) int32
	matrixSetTexts func(matrix pointer, field string, texts *pointer, n uint64) int32

	boosterCreate  func(matrices *pointer, n uint64, out *pointer) int32
	boosterFree    func(booster pointer) int32
	boosterSet     func(booster pointer, name, value string) int32
	boosterUpdate  func(booster pointer, round int32, train pointer) int32
	boosterEval    func(booster pointer, round int32, matrices, names *pointer, n uint64, out *pointer) int32
	boosterPredict func(booster, matrix pointer, config string, shape *pointer, dim *uint64, out *pointer) int32
	boosterSlice   func(booster pointer, begin, end, step int32, out *pointer) int32
	boosterSave    func(booster pointer, config string, n *uint64, out *pointer) int32
	boosterLoad    func(booster, model pointer, n uint64) int32
}

// symbols pairs each field with its C function.
func (l *library) symbols() []symbol {
	return []symbol{
		{&l.version, "XGBoostVersion"},
		{&l.lastError, "XGBGetLastError"},
		{&l.matrixCreate, "XGDMatrixCreateFromDense"},
		{&l.matrixFree, "XGDMatrixFree"},
		{&l.matrixSetInfo, "XGDMatrixSetInfoFromInterface"},
		{&l.matrixSetTexts, "XGDMatrixSetStrFeatureInfo"},
		{&l.boosterCreate, "XGBoosterCreate"},
		{&l.boosterFree, "XGBoosterFree"},
		{&l.boosterSet, "XGBoosterSetParam"},
		{&l.boosterUpdate, "XGBoosterUpdateOneIter"},
		{&l.boosterEval, "XGBoosterEvalOneIter"},
		{&l.boosterPredict, "XGBoosterPredictFromDMatrix"},
		{&l.boosterSlice, "XGBoosterSlice"},
		{&l.boosterSave, "XGBoosterSaveModelToBuffer"},
		{&l.boosterLoad, "XGBoosterLoadModelFromBuffer"},
	}
}

type symbol struct {
	target any // pointer to a func
	name   string
}

// openLibrary loads the named library, or the system's.
func openLibrary(name string) (*library, error) {
	names := []string{name}
	if name == "" {
		names = systemNames()
	}
	var failed []error
	for _, n := range names {
		handle, err := purego.Dlopen(n, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return bind(handle)
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

func systemNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libxgboost.dylib", "/opt/homebrew/opt/xgboost/lib/libxgboost.dylib", "/usr/local/opt/xgboost/lib/libxgboost.dylib"}
	}
	return []string{"libxgboost.so.0", "libxgboost.so"}
}

// bind finds the functions and refuses versions whose model format and rules
// are not those that this package checks and follows.
func bind(handle uintptr) (lib *library, err error) {
	defer func() { // the binding panics on a missing symbol
		if r := recover(); r != nil {
			lib, err = nil, fmt.Errorf("not a library of XGBoost 1.7: %v", r)
		}
	}()
	lib = &library{}
	for _, s := range lib.symbols() {
		purego.RegisterLibFunc(s.target, handle, s.name)
	}
	var major, minor, patch int32
	lib.version(&major, &minor, &patch)
	if major != 1 || minor != 7 {
		return nil, fmt.Errorf("found XGBoost %d.%d.%d, need 1.7", major, minor, patch)
	}
	return lib, nil
}

// name returns the engine's name and version.
func (l *library) name() string {
	var major, minor, patch int32
	l.version(&major, &minor, &patch)
	return fmt.Sprintf("xgboost %d.%d.%d", major, minor, patch)
}

// check turns the result of a call into an error. After one, the handles that
// took part are in an unknown state (a refused weight was seen to count) and
// must be freed.
func (l *library) check(call string, result int32) error {
	if result == 0 {
		return nil
	}
	message, _, _ := strings.Cut(l.lastError(), "Stack trace")
	return fmt.Errorf("%s: %s", call, strings.TrimSpace(message))
}

// arrayOf describes rows × cols float32 at an address to the library; cols 0 is a vector.
func arrayOf(p pointer, rows, cols int) string {
	shape := fmt.Sprintf("%d", rows)
	if cols > 0 {
		shape = fmt.Sprintf("%d,%d", rows, cols)
	}
	return fmt.Sprintf(`{"data":[%d,true],"shape":[%s],"typestr":"<f4","version":3}`, uintptr(p), shape)
}

// text copies a C string.
func text(p pointer) string {
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// texts lays out strings as C does. The result must be kept alive during the call.
func texts(values []string) []pointer {
	out := make([]pointer, len(values))
	for i, v := range values {
		out[i] = pointer(unsafe.SliceData(append([]byte(v), 0)))
	}
	return out
}
