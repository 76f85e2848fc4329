package xgboost

import (
	"fmt"
	"slices"
	"testing"
)

// TestShelf follows which matrices are kept, built and freed. The library is
// replaced by one that counts.
func TestShelf(t *testing.T) {
	t.Chdir(t.TempDir())
	built, freed := 0, []string{}
	var handles [20]byte
	names := map[pointer]string{}
	lib := &library{
		matrixCreate: func(_, _ string, out *pointer) int32 { *out = pointer(&handles[built]); built++; return 0 },
		matrixFree:   func(m pointer) int32 { freed = append(freed, names[m]); return 0 },
	}
	ship := newShipment(".")
	files := map[string]matrixFile{}
	for i, name := range []string{"a", "b", "c"} {
		f, err := ship.add(table(uint64(i), 10, 5, 0, binary)) // costs 800
		if err != nil {
			t.Fatal(err)
		}
		f.Label = false
		if err := ship.write(name, make([]float32, 50)); err != nil {
			t.Fatal(err)
		}
		f.File = name
		files[name] = f
	}
	s := shelf{limit: 2500}
	steps := []struct {
		bins, take string
		need       uint64
		built      int
		freed      string
	}{
		{"hist", "ab", 1600, 2, "[]"},
		{"hist", "ab", 1600, 2, "[]"},        // both are there
		{"hist", "c", 800, 3, "[]"},          // fits beside them
		{"hist", "a", 800, 3, "[]"},          // now b is the oldest
		{"approx", "a", 800, 4, "[b]"},       // other bins, another matrix
		{"approx", "aa", 800, 4, "[b]"},      // the same twice
		{"approx", "ac", 2400, 5, "[b c a]"}, // no room for others; the wanted one stays
	}
	for i, step := range steps {
		var want []matrixFile
		for _, name := range step.take {
			want = append(want, files[string(name)])
		}
		got, err := s.take(lib, step.bins, 1, step.need, want...)
		if err != nil {
			t.Fatal(err)
		}
		for j, m := range got {
			names[m.handle] = want[j].File
		}
		if built != step.built || fmt.Sprint(freed) != step.freed {
			t.Errorf("step %d: %d built, %v freed; want %d, %s", i, built, freed, step.built, step.freed)
		}
	}
	s.clear()
	if slices.Sort(freed[3:]); fmt.Sprint(freed[3:]) != "[a c]" || len(s.items) != 0 {
		t.Errorf("clear frees %v, want a and c", freed[3:])
	}
}

// TestShipment: one file a content, and the oldest go.
func TestShipment(t *testing.T) {
	s := newShipment(t.TempDir())
	m := table(1, 10, 3, 0, binary)
	first, err := s.add(m)
	if err != nil {
		t.Fatal(err)
	}
	if first.bytes() != 4*(30+10) {
		t.Errorf("%d bytes, want 160", first.bytes())
	}
	same := m
	same.Data = slices.Clone(m.Data)
	other := []func(){
		func() { same.Data[29]++ }, func() { same.Label = slices.Clone(m.Label); same.Label[9]++ },
		func() { same.Weight = make([]float32, 10) }, func() { same.Categories = []bool{false, false, true} },
		func() { same.Rows, same.Cols = 15, 2 },
	}
	if f, err := s.add(same); err != nil || f.File != first.File {
		t.Errorf("the same content goes to %s (%v), want %s", f.File, err, first.File)
	}
	seen := map[string]bool{first.File: true}
	for i, change := range other {
		change()
		f, err := s.add(same)
		if err != nil || seen[f.File] {
			t.Errorf("change %d goes to %s (%v) again", i, f.File, err)
		}
		seen[f.File] = true
	}
	for i := range maxFiles {
		if _, err := s.add(table(uint64(100+i), 2, 2, 0, binary)); err != nil {
			t.Fatal(err)
		}
	}
	s.trim()
	if f, err := s.add(m); err != nil || seen[f.File] || len(s.files) != maxFiles+1 {
		t.Errorf("after trimming %s (%v), %d files; want a new file", f.File, err, len(s.files))
	}
}
