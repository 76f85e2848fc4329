package xgboost

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// booster is a model inside the library.
type booster struct {
	lib    *library
	handle pointer
}

// newBooster makes an untrained booster that keeps its predictions for the given matrices.
func newBooster(lib *library, settings []setting, matrices ...*dmatrix) (*booster, error) {
	handles := handlesOf(matrices)
	b := &booster{lib: lib}
	result := lib.boosterCreate(unsafe.SliceData(handles), uint64(len(handles)), &b.handle)
	runtime.KeepAlive(handles)
	if err := lib.check("create booster", result); err != nil {
		return nil, err
	}
	for _, s := range settings {
		if err := b.set(s.Name, s.Value); err != nil {
			b.free()
			return nil, err
		}
	}
	return b, nil
}

// loadBooster reads a model that has been validated: the library trusts it blindly.
func loadBooster(lib *library, model []byte, threads int) (*booster, error) {
	b, err := newBooster(lib, nil)
	if err != nil {
		return nil, err
	}
	result := lib.boosterLoad(b.handle, pointer(unsafe.SliceData(model)), uint64(len(model)))
	runtime.KeepAlive(model)
	err = lib.check("load model", result)
	if err == nil {
		err = b.set("nthread", strconv.Itoa(threads))
	}
	if err != nil {
		b.free()
		return nil, err
	}
	return b, nil
}

func (b *booster) set(name, value string) error {
	return b.lib.check("set "+name, b.lib.boosterSet(b.handle, name, value))
}

func (b *booster) free() { b.lib.boosterFree(b.handle) }

// update adds a round.
func (b *booster) update(round int, train *dmatrix) error {
	return b.lib.check("update", b.lib.boosterUpdate(b.handle, int32(round), train.handle))
}

// eval returns the watched metric on a matrix, NaN and infinities included.
func (b *booster) eval(round int, m *dmatrix) (float64, error) {
	handles, names := []pointer{m.handle}, texts([]string{"on"})
	var out pointer
	result := b.lib.boosterEval(b.handle, int32(round), unsafe.SliceData(handles), unsafe.SliceData(names), 1, &out)
	runtime.KeepAlive(handles)
	runtime.KeepAlive(names)
	if err := b.lib.check("evaluate", result); err != nil {
		return 0, err
	}
	return parseMetric(text(out))
}

// parseMetric reads the value of a line such as "[3]\ton-auc:0.97". C++ writes
// nan, -nan, inf and -inf.
func parseMetric(line string) (float64, error) {
	value := line[strings.LastIndexByte(line, ':')+1:]
	v, err := strconv.ParseFloat(strings.Replace(value, "-nan", "nan", 1), 64)
	if err != nil {
		return 0, fmt.Errorf("reading the metric %q: %w", line, err)
	}
	return v, nil
}

// first returns a booster of the first n rounds. Only trees can be cut so.
func (b *booster) first(n, threads int) (*booster, error) {
	out := &booster{lib: b.lib}
	if err := b.lib.check("slice", b.lib.boosterSlice(b.handle, 0, int32(n), 1, &out.handle)); err != nil {
		return nil, err
	}
	if err := out.set("nthread", strconv.Itoa(threads)); err != nil {
		out.free()
		return nil, err
	}
	return out, nil
}

// model returns the booster as JSON, in memory that the library overwrites at its next call.
func (b *booster) model() ([]byte, error) {
	var n uint64
	var out pointer
	if err := b.lib.check("save model", b.lib.boosterSave(b.handle, `{"format":"json"}`, &n, &out)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(out), n), nil
}

// snapshot returns the booster as JSON in memory of our own.
func (b *booster) snapshot() ([]byte, error) {
	m, err := b.model()
	return bytes.Clone(m), err
}

// predict writes a prediction to a file of float32, rows × what a row gets.
func (b *booster) predict(m *dmatrix, what predictionType, file string) error {
	config := fmt.Sprintf(`{"type":%d,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":true}`, what)
	var shape, out pointer
	var dim uint64
	if err := b.lib.check("predict", b.lib.boosterPredict(b.handle, m.handle, config, &shape, &dim, &out)); err != nil {
		return err
	}
	n := uint64(1)
	for _, length := range unsafe.Slice((*uint64)(shape), dim) {
		n *= length
	}
	return os.WriteFile(file, asBytes(unsafe.Slice((*float32)(out), n)), 0o600)
}

func handlesOf(matrices []*dmatrix) []pointer {
	handles := make([]pointer, len(matrices))
	for i, m := range matrices {
		handles[i] = m.handle
	}
	return handles
}
