package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/scopes"
)

func add(t *testing.T, s *Service, in AddRequest) (Person, error) {
	t.Helper()
	c, err := s.Add(t.Context(), in)
	return commit(t, s, c, err)
}

func TestAdd(t *testing.T) {
	s, m, _ := newService(t)
	got, err := add(t, s, AddRequest{
		Email: " Ann@Example.com", Name: " Ann ", Role: scopes.Operator, Workspaces: []string{"ws_b", "ws_a", "ws_b"}, Password: password,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Person{
		ID: got.ID, Email: "ann@example.com", Name: "Ann", Role: scopes.Operator, Workspaces: []string{"ws_b", "ws_a"},
		PasswordHash: got.PasswordHash, CreatedAt: at,
	}
	if !reflect.DeepEqual(m.persons[got.ID], want) || !strings.HasPrefix(got.ID, "per_") {
		t.Errorf("stored %+v, want %+v", m.persons[got.ID], want)
	}
	mustLogin(t, s)
	if _, err := add(t, s, AddRequest{Email: "ANN@example.com", Role: scopes.Viewer}); !fault.Is(err, fault.Conflict) {
		t.Errorf("the same email again: %v, want conflict", err)
	}
	bob, err := add(t, s, AddRequest{Email: "bob@example.com", Role: scopes.Viewer})
	if err != nil || bob.PasswordHash != "" || bob.Name != "bob@example.com" {
		t.Errorf("Add without a password = %+v, %v, want no hash, and the email for a name", bob, err)
	}
}

func TestAddValues(t *testing.T) {
	tests := []struct {
		name   string
		change func(*AddRequest)
		want   string
	}{
		{"nothing wrong", func(*AddRequest) {}, ""},
		{"no email", func(in *AddRequest) { in.Email = "" }, "email"},
		{"no host", func(in *AddRequest) { in.Email = "ann@" }, "email"},
		{"a host without a dot", func(in *AddRequest) { in.Email = "ann@localhost" }, ""},
		{"two at signs", func(in *AddRequest) { in.Email = "ann@b@example.com" }, "email"},
		{"with a display name", func(in *AddRequest) { in.Email = "Ann <ann@example.com>" }, "email"},
		{"with a tag", func(in *AddRequest) { in.Email = "ann+ambit@example.com" }, ""},
		{"a line break", func(in *AddRequest) { in.Email = "ann@example.com\nbcc:x" }, "email"},
		{"looks like another letter", func(in *AddRequest) { in.Email = "аnn@example.com" }, "email"},
		{"longest email", func(in *AddRequest) { in.Email = strings.Repeat("a", 242) + "@example.com" }, ""},
		{"long email", func(in *AddRequest) { in.Email = strings.Repeat("a", 243) + "@example.com" }, "email"},
		{"longest name", func(in *AddRequest) { in.Name = strings.Repeat("ä", 100) }, ""},
		{"long name", func(in *AddRequest) { in.Name = strings.Repeat("ä", 101) }, "name"},
		{"a name that rings", func(in *AddRequest) { in.Name = "Ann\a" }, "name"},
		{"no role", func(in *AddRequest) { in.Role = scopes.NoRole }, "role"},
		{"a role that there is not", func(in *AddRequest) { in.Role = scopes.Admin + 1 }, "role"},
		{"unknown workspaces", func(in *AddRequest) { in.Workspaces = []string{"ws_a", "ws_x"} }, "workspace_ids[1]"},
		{"too many workspaces", func(in *AddRequest) { in.Workspaces = make([]string, 1_001) }, "workspace_ids"},
		{"no workspaces", func(in *AddRequest) { in.Workspaces = nil }, ""},
		{"shortest password", func(in *AddRequest) { in.Password = strings.Repeat("ä", 12) }, ""},
		{"short password", func(in *AddRequest) { in.Password = strings.Repeat("ä", 11) }, "password"},
		{"longest password", func(in *AddRequest) { in.Password = strings.Repeat("ä", 256) }, ""},
		{"long password", func(in *AddRequest) { in.Password = strings.Repeat("ä", 257) }, "password"},
		{"the email for a password", func(in *AddRequest) { in.Password = "Ann@Example.COM " }, "password"},
		{"all at once", func(in *AddRequest) {
			*in = AddRequest{Email: "x", Name: "\x00", Password: "y", Workspaces: []string{""}}
		}, "email name role password workspace_ids[0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			in := AddRequest{Email: "ann@example.com", Name: "Ann", Role: scopes.Viewer, Workspaces: []string{"ws_a"}, Password: password}
			tt.change(&in)
			_, err := add(t, s, in)
			if paths := wrongPaths(err); paths != tt.want {
				t.Errorf("Add: %v; wrong %q, want %q", err, paths, tt.want)
			}
			if kept := len(m.persons) == 1; kept != (tt.want == "") {
				t.Errorf("stored %d people", len(m.persons))
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	tests := []struct {
		name  string
		in    UpdateRequest
		want  func(p *Person)
		signs bool // whether the session lives on
	}{
		{"nothing", UpdateRequest{}, func(*Person) {}, true},
		{"role", UpdateRequest{Role: new(scopes.Operator)}, func(p *Person) { p.Role = scopes.Operator }, true},
		{"workspaces", UpdateRequest{Workspaces: &[]string{"ws_b", "ws_b"}}, func(p *Person) { p.Workspaces = []string{"ws_b"} }, true},
		{"no workspaces", UpdateRequest{Workspaces: &[]string{}}, func(p *Person) { p.Workspaces = []string{} }, true},
		{"disable", UpdateRequest{Disabled: new(true)}, func(p *Person) { p.DisabledAt = at }, false},
		{"enable", UpdateRequest{Disabled: new(false)}, func(*Person) {}, true},
		{"clear the password", UpdateRequest{ClearPassword: true}, func(p *Person) { p.PasswordHash = "" }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			want := addPerson(t, s, "ann", scopes.Viewer, true)
			in := mustLogin(t, s)
			got, err := update(s, m, "per_ann", tt.in)
			tt.want(&want)
			if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(m.persons["per_ann"], want) {
				t.Errorf("Update = %+v, %v, stored %+v, want %+v", got, err, m.persons["per_ann"], want)
			}
			if _, _, _, err := s.VerifySession(t.Context(), in.Cookie); (err == nil) != tt.signs || len(m.sessions) == 1 != tt.signs {
				t.Errorf("session: %v, %d left, want it to live: %v", err, len(m.sessions), tt.signs)
			}
		})
	}
}

func update(s *Service, m *memory, id string, in UpdateRequest) (p Person, err error) {
	err = m.inTx(context.Background(), func(ctx context.Context) error {
		p, err = s.Update(ctx, id, in)
		return err
	})
	return p, err
}

func TestDisableTwiceKeepsTheMoment(t *testing.T) {
	s, m, h := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, false)
	for range 2 {
		p, err := update(s, m, "per_ann", UpdateRequest{Disabled: new(true)})
		if err != nil || p.DisabledAt != at {
			t.Errorf("disabled at %v, %v, want %v", p.DisabledAt, err, at)
		}
		h.forward(time.Hour)
	}
	if p, err := update(s, m, "per_ann", UpdateRequest{Disabled: new(false)}); err != nil || p.DisabledAt != 0 {
		t.Errorf("enabled: disabled at %v, %v, want not", p.DisabledAt, err)
	}
}

func TestUpdateRefusals(t *testing.T) {
	s, m, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, false)
	tests := []struct {
		name, id string
		in       UpdateRequest
		want     fault.Code
	}{
		{"unknown", "per_eve", UpdateRequest{Disabled: new(true)}, fault.NotFound},
		{"no role", "per_ann", UpdateRequest{Role: new(scopes.NoRole)}, fault.Invalid},
		{"unknown workspace", "per_ann", UpdateRequest{Workspaces: &[]string{"ws_x"}}, fault.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := update(s, m, tt.id, tt.in); fault.CodeOf(err) != tt.want {
				t.Errorf("Update = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestLastAdmin(t *testing.T) {
	demote, disable := UpdateRequest{Role: new(scopes.Operator)}, UpdateRequest{Disabled: new(true)}
	tests := []struct {
		name   string
		others func(t *testing.T, s *Service, m *memory)
		in     UpdateRequest
		want   fault.Code
	}{
		{"demote the only one", func(*testing.T, *Service, *memory) {}, demote, fault.Conflict},
		{"disable the only one", func(*testing.T, *Service, *memory) {}, disable, fault.Conflict},
		{"what leaves an admin is fine", func(*testing.T, *Service, *memory) {}, UpdateRequest{Role: new(scopes.Admin), Workspaces: &[]string{"ws_b"}}, ""},
		{"another is there", func(t *testing.T, s *Service, _ *memory) { addPerson(t, s, "bob", scopes.Admin, false) }, demote, ""},
		{"the other is disabled", func(t *testing.T, s *Service, m *memory) {
			bob := addPerson(t, s, "bob", scopes.Admin, false)
			bob.DisabledAt = at
			m.persons[bob.ID] = bob
		}, disable, fault.Conflict},
		{"the others are no admins", func(t *testing.T, s *Service, _ *memory) {
			for i := range 250 { // more than two pages
				addPerson(t, s, fmt.Sprint("p", i), scopes.Operator, false)
			}
		}, demote, fault.Conflict},
		{"the other is on the last page", func(t *testing.T, s *Service, _ *memory) {
			addPerson(t, s, "aaa", scopes.Admin, false)
			for i := range 250 {
				addPerson(t, s, fmt.Sprint("p", i), scopes.Operator, false)
			}
		}, demote, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			before := addPerson(t, s, "ann", scopes.Admin, false)
			tt.others(t, s, m)
			_, err := update(s, m, "per_ann", tt.in)
			if fault.CodeOf(err) != tt.want || reflect.DeepEqual(m.persons["per_ann"], before) != (err != nil) {
				t.Errorf("Update = %v, stored %+v, want %q", err, m.persons["per_ann"], tt.want)
			}
		})
	}
}

// TestTwoAdminsDisableEachOther: one of them stays.
func TestTwoAdminsDisableEachOther(t *testing.T) {
	for range 20 {
		s, m, _ := newService(t)
		addPerson(t, s, "ann", scopes.Admin, false)
		addPerson(t, s, "bob", scopes.Admin, false)
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, id := range []string{"per_ann", "per_bob"} {
			wg.Go(func() { _, errs[i] = update(s, m, id, UpdateRequest{Disabled: new(true)}) })
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !fault.Is(errors.Join(errs...), fault.Conflict) {
			t.Fatalf("errors = %v, want one conflict", errs)
		}
	}
}

func TestUpdateWithoutStore(t *testing.T) {
	for _, call := range []string{"LockPeople", "Person", "People", "UpdatePerson", "DeleteSessions"} {
		s, m, _ := newService(t)
		before := addPerson(t, s, "ann", scopes.Admin, false)
		addPerson(t, s, "bob", scopes.Admin, false)
		m.failing = call
		if _, err := update(s, m, "per_ann", UpdateRequest{Disabled: new(true)}); !errors.Is(err, m.err) || !reflect.DeepEqual(m.persons["per_ann"], before) {
			t.Errorf("with %s failing: %v, stored %+v, want boom, unchanged", call, err, m.persons["per_ann"])
		}
	}
}

func TestActsFor(t *testing.T) {
	s, m, h := newService(t)
	for _, name := range []string{"old", "ann", "bob"} { // old is disabled below, and so not the oldest
		addPerson(t, s, name, scopes.Admin, false)
		h.forward(time.Second)
	}
	if _, err := update(s, m, "per_old", UpdateRequest{Disabled: new(true)}); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ ref, want string }{
		{"", "per_ann"},
		{"per_bob", "per_bob"},
		{" BOB@example.com", "per_bob"},
		{"per_old", "not_found"},
		{"old@example.com", "not_found"},
		{"eve@example.com", "not_found"},
		{"per_eve", "not_found"},
	}
	for _, tt := range tests {
		got, err := s.ActsFor(t.Context(), tt.ref)
		if err != nil {
			got = string(fault.CodeOf(err))
		}
		if got != tt.want {
			t.Errorf("ActsFor(%q) = %s, want %s", tt.ref, got, tt.want)
		}
	}
}

func TestList(t *testing.T) {
	s, _, h := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	h.forward(time.Second)
	addPerson(t, s, "bob", scopes.Viewer, false)
	newest, err := s.List(t.Context(), page.Page{Limit: 1})
	if err != nil || len(newest.Items) != 1 || newest.Items[0].ID != "per_bob" || newest.Next == "" {
		t.Fatalf("List = %+v, %v, want bob and a cursor", newest, err)
	}
	next, err := page.Parse(1, newest.Next)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := s.List(t.Context(), next)
	if err != nil || len(rest.Items) != 1 || rest.Items[0].ID != "per_ann" || rest.Next != "" {
		t.Errorf("List of the rest = %+v, %v, want ann and no cursor", rest, err)
	}
	if p, err := s.Get(t.Context(), "per_ann"); err != nil || p.Email != "ann@example.com" {
		t.Errorf("Get = %+v, %v, want ann", p, err)
	}
}

func TestViews(t *testing.T) {
	tests := []struct {
		name string
		view any
		want string
	}{
		{"person", Person{ID: "per_1", Email: "a@b.c", Name: "A", Role: scopes.Admin, PasswordHash: reference, CreatedAt: at}.View(),
			`{"id":"per_1","email":"a@b.c","name":"A","role":"admin","workspace_ids":[],"has_password":true,` +
				`"created_at":"2026-01-02T20:00:00.000Z","disabled_at":null}`},
		{"disabled, without a password", Person{ID: "per_1", Role: scopes.Viewer, Workspaces: []string{"ws_a"}, CreatedAt: at, DisabledAt: at}.View(),
			`{"id":"per_1","email":"","name":"","role":"viewer","workspace_ids":["ws_a"],"has_password":false,` +
				`"created_at":"2026-01-02T20:00:00.000Z","disabled_at":"2026-01-02T20:00:00.000Z"}`},
		{"session", Session{ID: "ses_1", Hash: "ffff", Person: "per_1", CreatedAt: at, LastSeenAt: at, Agent: "Chrome", Address: "192.0.2.1"}.View("ses_1"),
			`{"id":"ses_1","created_at":"2026-01-02T20:00:00.000Z","last_seen_at":"2026-01-02T20:00:00.000Z",` +
				`"expires_at":"2026-01-09T20:00:00.000Z","agent":"Chrome","address":"192.0.2.1","current":true}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.view)
			if err != nil || string(got) != tt.want {
				t.Errorf("view = %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}
