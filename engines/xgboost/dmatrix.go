package xgboost

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dmatrix is a matrix inside the library.
type dmatrix struct {
	lib    *library
	handle pointer
	rows   int
	cost   uint64 // estimate of its memory, in bytes
}

// loadMatrix maps a matrix file of the working folder and copies it into the
// library; the mapping ends with the call.
func loadMatrix(lib *library, f matrixFile, threads int) (*dmatrix, error) {
	raw, err := mapFile(f.File, f.bytes())
	if err != nil {
		return nil, err
	}
	defer unmap(raw)
	m := &dmatrix{lib: lib, rows: f.Rows, cost: matrixCost(f.Rows, f.Cols)}
	base := pointer(unsafe.SliceData(raw))
	config := fmt.Sprintf(`{"missing":NaN,"nthread":%d}`, threads)
	if err := lib.check("create matrix", lib.matrixCreate(arrayOf(base, f.Rows, f.Cols), config, &m.handle)); err != nil {
		return nil, err
	}
	if err := m.describe(f, base); err != nil {
		m.free()
		return nil, err
	}
	return m, nil
}

// describe sets labels, weights and column types.
func (m *dmatrix) describe(f matrixFile, base pointer) error {
	at := 4 * f.Rows * f.Cols
	for _, part := range []struct {
		field string
		there bool
	}{{"label", f.Label}, {"weight", f.Weight}} {
		if !part.there {
			continue
		}
		array := arrayOf(unsafe.Add(base, at), f.Rows, 0)
		if err := m.lib.check("set "+part.field, m.lib.matrixSetInfo(m.handle, part.field, array)); err != nil {
			return err
		}
		at += 4 * f.Rows
	}
	if len(f.Categories) == 0 {
		return nil
	}
	types := texts(columnTypes(f))
	result := m.lib.matrixSetTexts(m.handle, "feature_type", unsafe.SliceData(types), uint64(len(types)))
	runtime.KeepAlive(types)
	return m.lib.check("set column types", result)
}

// columnTypes returns "c" for columns of categories and "q", a quantity, for others.
func columnTypes(f matrixFile) []string {
	types := make([]string, f.Cols)
	for i := range types {
		types[i] = "q"
	}
	for _, i := range f.Categories {
		types[i] = "c"
	}
	return types
}

func (m *dmatrix) free() { m.lib.matrixFree(m.handle) }

// mapFile maps a file that must have the given size.
func mapFile(name string, want int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening a file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("looking at a file: %w", err)
	}
	if info.Size() != want || want == 0 {
		return nil, fmt.Errorf("%s has %d bytes, want %d", name, info.Size(), want)
	}
	raw, err := unix.Mmap(int(file.Fd()), 0, int(want), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("mapping a file: %w", err)
	}
	return raw, nil
}
