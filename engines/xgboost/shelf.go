package xgboost

// shelf keeps matrices for the next fit: building one and cutting its columns
// into bins costs as much as many rounds.
type shelf struct {
	limit uint64      // bytes, for what lies here and the fit under way
	items []shelfItem // least recently used first
}

// shelfItem is a matrix and how its columns are cut: one that was cut for
// another method must not be used, as the library would not cut it again.
type shelfItem struct {
	file, bins string
	matrix     *dmatrix
}

// take returns the matrices of files. All others are freed, least recently
// used first, until need, the whole fit's estimate, fits beside them.
func (s *shelf) take(lib *library, bins string, threads int, need uint64, files ...matrixFile) ([]*dmatrix, error) {
	wanted := map[string]bool{}
	for _, f := range files {
		if s.touch(f.File, bins) {
			wanted[f.File] = true
		}
	}
	s.makeRoom(need, len(wanted))
	out := make([]*dmatrix, len(files))
	for i, f := range files {
		if s.touch(f.File, bins) {
			out[i] = s.items[len(s.items)-1].matrix
			continue
		}
		m, err := loadMatrix(lib, f, threads)
		if err != nil {
			return nil, err
		}
		s.items = append(s.items, shelfItem{f.File, bins, m})
		out[i] = m
	}
	return out, nil
}

// touch makes a matrix the most recently used, if it is there.
func (s *shelf) touch(file, bins string) bool {
	for i, it := range s.items {
		if it.file == file && it.bins == bins {
			s.items = append(append(s.items[:i:i], s.items[i+1:]...), it)
			return true
		}
	}
	return false
}

// makeRoom frees matrices, but not the wanted ones at the end, until need fits.
func (s *shelf) makeRoom(need uint64, wanted int) {
	others := s.items[:len(s.items)-wanted]
	held := uint64(0)
	for _, it := range others {
		held += it.matrix.cost
	}
	for ; len(others) > 0 && held+need > s.limit; others = others[1:] {
		held -= others[0].matrix.cost
		others[0].matrix.free()
		s.items = s.items[1:]
	}
}

func (s *shelf) clear() {
	for _, it := range s.items {
		it.matrix.free()
	}
	s.items = nil
}
