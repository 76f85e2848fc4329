package workspaces

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/fault"
)

// memory is a Store in memory; err fails every call.
type memory struct {
	err  error
	kept []Workspace
}

func (m *memory) InsertWorkspace(_ context.Context, w Workspace) error {
	if m.err != nil {
		return m.err
	}
	if slices.ContainsFunc(m.kept, func(k Workspace) bool { return k.Name == w.Name }) {
		return fault.New(fault.Conflict, "The name is taken.")
	}
	m.kept = append(m.kept, w)
	return nil
}

func (m *memory) Workspace(_ context.Context, id string) (Workspace, error) {
	for _, w := range m.kept {
		if w.ID == id {
			return w, nil
		}
	}
	return Workspace{}, fault.New(fault.NotFound, "There is no such workspace.")
}

func (m *memory) Workspaces(_ context.Context, ids []string) ([]Workspace, error) {
	var out []Workspace
	for _, w := range m.kept {
		if ids == nil || slices.Contains(ids, w.ID) {
			out = append(out, w)
		}
	}
	return out, m.err
}

// at is 2026-01-02T20:00:00Z.
const at = clock.Time(1767384000000)

func newService() (*Service, *memory) {
	m := &memory{}
	return &Service{Store: m, Now: func() clock.Time { return at }}, m
}

func TestCreate(t *testing.T) {
	s, m := newService()
	got, err := s.Create(t.Context(), "  churn ", "keep customers", "person:per_ann")
	want := Workspace{ID: got.ID, Name: "churn", Goal: "keep customers", Stage: Explore, CreatedAt: at, CreatedBy: "person:per_ann"}
	if err != nil || got != want || len(m.kept) != 1 || m.kept[0] != want {
		t.Errorf("Create = %+v, %v, stored %+v, want %+v", got, err, m.kept, want)
	}
	if !strings.HasPrefix(got.ID, "ws_") || len(got.ID) != 19 {
		t.Errorf("id = %q, want ws_ and 16 characters", got.ID)
	}
}

func TestCreateRefusals(t *testing.T) {
	tests := []struct {
		name, wsName, goal string
		storeErr           error
		want               fault.Code
		wantPaths          string
	}{
		{"longest", strings.Repeat("ä", 100), strings.Repeat("g", 2048), nil, "", ""},
		{"no name", " \t", "", nil, fault.Invalid, "name"},
		{"a name of two lines", "a\nb", "", nil, fault.Invalid, "name"},
		{"a name that turns the text around", "a\u202eb", "", nil, fault.Invalid, "name"},
		{"long name", strings.Repeat("ä", 101), "", nil, fault.Invalid, "name"},
		{"long goal", "new", strings.Repeat("g", 2049), nil, fault.Invalid, "goal"},
		{"all at once", "", strings.Repeat("ä", 1025), nil, fault.Invalid, "name goal"},
		{"taken", "taken", "", nil, fault.Conflict, ""},
		{"no store", "new", "", errors.New("boom"), fault.Internal, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m := newService()
			m.kept = []Workspace{{ID: "ws_taken", Name: "taken"}}
			m.err = tt.storeErr
			got, err := s.Create(t.Context(), tt.wsName, tt.goal, "cli")
			var paths []string
			if err != nil {
				for _, f := range fault.From(err).Fields {
					paths = append(paths, f.Path)
				}
			}
			if fault.CodeOf(err) != tt.want || strings.Join(paths, " ") != tt.wantPaths {
				t.Errorf("Create: %v (%v), want %q (%s)", err, paths, tt.want, tt.wantPaths)
			}
			if kept := len(m.kept) == 2; kept != (err == nil) || kept != (got.ID != "") {
				t.Errorf("Create = %+v, stored %d, error %v", got, len(m.kept), err)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	s, m := newService()
	m.kept = []Workspace{{ID: "ws_a", Name: "a"}, {ID: "ws_b", Name: "b"}}
	tests := []struct{ ids, want string }{
		{"", ""},
		{"ws_a ws_b", ""},
		{"ws_x ws_a ws_y", "ws_x ws_y"},
		{"ws_A", "ws_A"},
	}
	for _, tt := range tests {
		ids := strings.Fields(tt.ids)
		got, err := s.Missing(t.Context(), ids)
		if err != nil || strings.Join(got, " ") != tt.want || strings.Join(ids, " ") != tt.ids {
			t.Errorf("Missing(%s) = %v, %v, want %s", tt.ids, got, err, tt.want)
		}
	}
	m.err = errors.New("boom")
	if _, err := s.Missing(t.Context(), []string{"ws_a"}); !errors.Is(err, m.err) {
		t.Errorf("Missing without a store = %v, want boom", err)
	}
}

func TestWorkspaceJSON(t *testing.T) {
	got, err := json.Marshal(Workspace{ID: "ws_a", Name: "a", Stage: Explore, CreatedAt: at, CreatedBy: "cli"})
	const want = `{"id":"ws_a","name":"a","stage":"explore","created_at":"2026-01-02T20:00:00.000Z","created_by":"cli"}`
	if err != nil || string(got) != want {
		t.Errorf("workspace = %s, %v\nwant %s", got, err, want)
	}
}
