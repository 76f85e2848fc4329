package xgboost

import (
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"unsafe"

	"ambit/training"
)

// matrixFile names a matrix that was written for the child: float32 in the
// machine's byte order, Rows × Cols values, then labels, then weights.
type matrixFile struct {
	File       string `json:"file"`
	Rows       int    `json:"rows"`
	Cols       int    `json:"cols"`
	Label      bool   `json:"label,omitempty"`
	Weight     bool   `json:"weight,omitempty"`
	Categories []int  `json:"categories,omitempty"` // columns that hold category codes
}

// bytes returns the size of the file.
func (f matrixFile) bytes() int64 {
	n := int64(f.Rows) * int64(f.Cols)
	if f.Label {
		n += int64(f.Rows)
	}
	if f.Weight {
		n += int64(f.Rows)
	}
	return 4 * n
}

// maxFiles bounds the matrices that are kept for further fits of a session.
const maxFiles = 32

// shipment writes matrices to a folder, each content once: a search fits the
// same folds again and again.
type shipment struct {
	dir   string
	seed  maphash.Seed
	files map[matrixKey]matrixFile
	order []matrixKey // oldest first
	count int
}

// matrixKey stands for a matrix's content.
type matrixKey struct {
	rows, cols                      int
	data, label, weight, categories uint64
}

func newShipment(dir string) *shipment {
	return &shipment{dir: dir, seed: maphash.MakeSeed(), files: map[matrixKey]matrixFile{}}
}

// add writes a checked matrix unless its content is there already.
func (s *shipment) add(m training.Matrix) (matrixFile, error) {
	key := matrixKey{m.Rows, m.Cols, s.hash(m.Data), s.hash(m.Label), s.hash(m.Weight), maphash.Comparable(s.seed, fmt.Sprint(m.Categories))}
	if f, ok := s.files[key]; ok {
		return f, nil
	}
	s.count++
	f := matrixFile{File: fmt.Sprintf("matrix-%d", s.count), Rows: m.Rows, Cols: m.Cols, Label: len(m.Label) > 0, Weight: len(m.Weight) > 0}
	for i, is := range m.Categories {
		if is {
			f.Categories = append(f.Categories, i)
		}
	}
	if err := s.write(f.File, m.Data, m.Label, m.Weight); err != nil {
		return matrixFile{}, err
	}
	s.files[key] = f
	s.order = append(s.order, key)
	return f, nil
}

// trim removes the oldest files over the bound. It must not be called between
// add and the end of the fit that uses the file.
func (s *shipment) trim() {
	for len(s.order) > maxFiles {
		os.Remove(filepath.Join(s.dir, s.files[s.order[0]].File))
		delete(s.files, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *shipment) hash(v []float32) uint64 { return maphash.Bytes(s.seed, asBytes(v)) }

func (s *shipment) write(name string, parts ...[]float32) error {
	file, err := os.OpenFile(filepath.Join(s.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing a matrix: %w", err)
	}
	for _, part := range parts {
		if _, err := file.Write(asBytes(part)); err != nil {
			file.Close()
			return fmt.Errorf("writing a matrix: %w", err)
		}
	}
	return file.Close()
}

// readFloats reads a file of float32 that must hold want of them, and removes it.
func readFloats(path string, want int) ([]float32, error) {
	defer os.Remove(path)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading values: %w", err)
	}
	if len(raw) != 4*want {
		return nil, fmt.Errorf("reading values: %d bytes, want %d", len(raw), 4*want)
	}
	out := make([]float32, want)
	copy(asBytes(out), raw)
	return out, nil
}

// asBytes returns the memory of a slice of float32.
func asBytes(v []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}
