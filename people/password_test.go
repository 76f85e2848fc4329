package people

import (
	"errors"
	"testing"

	"ambit/internal/fault"
	"ambit/scopes"
)

const nextPassword = "another fine password"

func change(t *testing.T, s *Service, session Session, present, next string) (Person, error) {
	t.Helper()
	c, err := s.ChangePassword(t.Context(), session, present, next)
	return commit(t, s, c, err)
}

func TestChangePassword(t *testing.T) {
	s, _, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	addPerson(t, s, "bob", scopes.Viewer, false)
	own, other, bobs := mustLogin(t, s), mustLogin(t, s), useLink(t, s, "per_bob")
	if _, err := change(t, s, own.Session, password, nextPassword); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, cookie string
		want         fault.Code
	}{{"own", own.Cookie, ""}, {"other", other.Cookie, fault.Unauthenticated}, {"bob's", bobs.Cookie, ""}} {
		if _, _, _, err := s.VerifySession(t.Context(), tt.cookie); fault.CodeOf(err) != tt.want {
			t.Errorf("%s session: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := login(t, s, "ann@example.com", password, chrome); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("Login with the old password: %v, want unauthenticated", err)
	}
	if _, err := login(t, s, "ann@example.com", nextPassword, chrome); err != nil {
		t.Errorf("Login with the new password: %v", err)
	}
}

func TestChangePasswordRefusals(t *testing.T) {
	tests := []struct{ name, present, next, want string }{
		{"wrong present one", "not the password", nextPassword, "current_password"},
		{"no present one", "", nextPassword, "current_password"},
		{"short", password, "short", "new_password"},
		{"the email", password, "ann@example.com", "new_password"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			before := addPerson(t, s, "ann", scopes.Viewer, true)
			in := mustLogin(t, s)
			_, err := change(t, s, in.Session, tt.present, tt.next)
			if paths := wrongPaths(err); paths != tt.want || m.persons["per_ann"].PasswordHash != before.PasswordHash {
				t.Errorf("ChangePassword: %v; wrong %q, want %q", err, paths, tt.want)
			}
		})
	}
}

// TestFirstPassword is the way of a person who came by a link: set a password,
// then confirm with it, then be stepped up.
func TestFirstPassword(t *testing.T) {
	s, _, _ := newService(t)
	addPerson(t, s, "ann", scopes.Admin, false)
	in := useLink(t, s, "per_ann")
	if _, err := s.StepUp(t.Context(), in.Session, nextPassword); !fault.Is(err, fault.Conflict) {
		t.Fatalf("StepUp before there is a password = %v, want conflict", err)
	}
	if _, err := change(t, s, in.Session, "", nextPassword); err != nil {
		t.Fatal(err)
	}
	caller, _, _, err := s.VerifySession(t.Context(), in.Cookie)
	if err != nil || caller.SteppedUp {
		t.Errorf("after setting a password: %+v, %v, want signed in, not stepped up", caller, err)
	}
	c, err := s.StepUp(t.Context(), in.Session, nextPassword)
	if _, err := commit(t, s, c, err); err != nil {
		t.Fatal(err)
	}
	if caller, _, _, err = s.VerifySession(t.Context(), in.Cookie); err != nil || !caller.SteppedUp {
		t.Errorf("after stepping up: %+v, %v, want stepped up", caller, err)
	}
}

// TestChangePasswordKeepsOtherChanges: a role that was taken away while the
// password was hashed stays away, and of two changes at a time the second to
// commit is refused.
func TestChangePasswordKeepsOtherChanges(t *testing.T) {
	s, m, _ := newService(t)
	addPerson(t, s, "bob", scopes.Admin, false)
	addPerson(t, s, "ann", scopes.Admin, true)
	in := mustLogin(t, s)
	one, errOne := s.ChangePassword(t.Context(), in.Session, password, nextPassword)
	two, errTwo := s.ChangePassword(t.Context(), in.Session, password, "a third fine password")
	if err := errors.Join(errOne, errTwo); err != nil {
		t.Fatal(err)
	}
	if _, err := update(s, m, "per_ann", UpdateRequest{Role: new(scopes.Viewer)}); err != nil {
		t.Fatal(err)
	}
	if p, err := commit(t, s, one, nil); err != nil || p.Role != scopes.Viewer || m.persons["per_ann"].Role != scopes.Viewer {
		t.Errorf("first commit = %+v, %v, want the role viewer", p, err)
	}
	if _, err := commit(t, s, two, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("second commit = %v, want conflict", err)
	}
}

func TestChangePasswordWithoutStore(t *testing.T) {
	for _, call := range []string{"Person", "LockPeople", "UpdatePerson", "DeleteSessions"} {
		s, m, _ := newService(t)
		before := addPerson(t, s, "ann", scopes.Viewer, true)
		in := mustLogin(t, s)
		m.failing = call
		_, err := change(t, s, in.Session, password, nextPassword)
		if !errors.Is(err, m.err) || m.persons["per_ann"].PasswordHash != before.PasswordHash {
			t.Errorf("with %s failing: %v, want boom, and the old password", call, err)
		}
	}
}
