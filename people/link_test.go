package people

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/scopes"
)

var firstAdmin = SetupRequest{Email: "Ann@Example.com", Name: "Ann", Password: password}

func setup(t *testing.T, s *Service, secret string, in SetupRequest) (SignIn, error) {
	t.Helper()
	c, err := s.Setup(t.Context(), secret, in, chrome)
	return commit(t, s, c, err)
}

func setupLink(t *testing.T, s *Service) string {
	t.Helper()
	secret, err := s.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestSetup(t *testing.T) {
	s, m, h := newService(t)
	secret := setupLink(t, s)
	if l := m.links[hash(secret)]; l.Person != "" || l.ExpiresAt != at.Add(30*time.Minute) || len(m.links) != 1 {
		t.Errorf("links = %+v, want one for nobody, good for 30 minutes", m.links)
	}
	h.forward(30*time.Minute - time.Millisecond)
	in, err := setup(t, s, secret, firstAdmin)
	if err != nil {
		t.Fatal(err)
	}
	p := m.persons[in.Person.ID]
	if p.Email != "ann@example.com" || p.Name != "Ann" || p.Role != scopes.Admin || p.DisabledAt != 0 {
		t.Errorf("first person = %+v, want the admin ann@example.com", p)
	}
	caller, _, _, err := s.VerifySession(t.Context(), in.Cookie)
	if err != nil || caller.Role != scopes.Admin || !caller.Everywhere || !caller.SteppedUp {
		t.Errorf("caller = %+v, %v, want an admin everywhere, stepped up", caller, err)
	}
	mustLogin(t, s)
	if _, err := s.SetupLink(t.Context()); !fault.Is(err, fault.Conflict) {
		t.Errorf("SetupLink with people = %v, want conflict", err)
	}
}

func TestSetupRefusals(t *testing.T) {
	change := func(f func(*SetupRequest)) SetupRequest { in := firstAdmin; f(&in); return in }
	tests := []struct {
		name   string
		before func(t *testing.T, s *Service, h *hand, secret string) string // returns the secret to use
		in     SetupRequest
		want   fault.Code
	}{
		{"a guess", func(*testing.T, *Service, *hand, string) string { return newSecret() }, firstAdmin, fault.Unauthenticated},
		{"nonsense", func(*testing.T, *Service, *hand, string) string { return "x" }, firstAdmin, fault.Unauthenticated},
		{"expired", func(_ *testing.T, _ *Service, h *hand, secret string) string {
			h.forward(30 * time.Minute)
			return secret
		}, firstAdmin, fault.Unauthenticated},
		{"people are there", func(t *testing.T, s *Service, _ *hand, secret string) string {
			addPerson(t, s, "bob", scopes.Viewer, false)
			return secret
		}, firstAdmin, fault.Conflict},
		{"a sign-in link", func(t *testing.T, s *Service, _ *hand, _ string) string {
			secret, err := s.newLink(t.Context(), "per_x", signInFor)
			if err != nil {
				t.Fatal(err)
			}
			return secret
		}, firstAdmin, fault.Unauthenticated},
		{"short password", nil, change(func(in *SetupRequest) { in.Password = "short" }), fault.Invalid},
		{"no password", nil, change(func(in *SetupRequest) { in.Password = "" }), fault.Invalid},
		{"no email", nil, change(func(in *SetupRequest) { in.Email = "" }), fault.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, h := newService(t)
			good := setupLink(t, s)
			secret := good
			if tt.before != nil {
				secret = tt.before(t, s, h, good)
			}
			people := len(m.persons)
			if _, err := setup(t, s, secret, tt.in); fault.CodeOf(err) != tt.want {
				t.Errorf("Setup = %v, want %s", err, tt.want)
			}
			if len(m.persons) != people || len(m.sessions) != 0 || m.links[hash(secret)].UsedAt != 0 {
				t.Errorf("something happened: people %v, sessions %v, links %v", m.persons, m.sessions, m.links)
			}
		})
	}
}

// TestSetupIsAllOrNothing: a link is not used up by a set-up that fails.
func TestSetupIsAllOrNothing(t *testing.T) {
	s, m, _ := newService(t)
	secret := setupLink(t, s)
	for _, call := range []string{"CountPeople", "LockPeople", "UseLink", "InsertPerson", "Sessions", "InsertSession"} {
		m.failing = call
		if _, err := setup(t, s, secret, firstAdmin); !errors.Is(err, m.err) || len(m.persons) != 0 {
			t.Errorf("with %s failing: %v, %d people, want boom, none", call, err, len(m.persons))
		}
	}
	m.failing = ""
	if _, err := setup(t, s, secret, firstAdmin); err != nil {
		t.Errorf("Setup after failures: %v", err)
	}
}

// TestSetupOnce: of many at the same time, with one link and with two, one makes the admin.
func TestSetupOnce(t *testing.T) {
	s, m, _ := newService(t)
	links := []string{setupLink(t, s), setupLink(t, s)}
	var ready []Commit[SignIn]
	for i := range 8 {
		in := SetupRequest{Email: fmt.Sprintf("admin%d@example.com", i), Password: password}
		c, err := s.Setup(t.Context(), links[i%2], in, chrome)
		if err != nil {
			t.Fatal(err)
		}
		ready = append(ready, c)
	}
	var made atomic.Int64
	var wg sync.WaitGroup
	for _, c := range ready {
		wg.Go(func() {
			err := m.inTx(t.Context(), func(ctx context.Context) error { _, err := c(ctx); return err })
			if err == nil {
				made.Add(1)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 || len(m.persons) != 1 || len(m.sessions) != 1 {
		t.Errorf("%d made an admin: %d people, %d sessions, want 1, 1, 1", made.Load(), len(m.persons), len(m.sessions))
	}
}

// TestSetupIsThrottled: a stranger gets no endless hashing out of it.
func TestSetupIsThrottled(t *testing.T) {
	s, _, _ := newService(t)
	for range 10 {
		if _, err := setup(t, s, newSecret(), firstAdmin); !fault.Is(err, fault.Unauthenticated) {
			t.Fatalf("Setup = %v, want unauthenticated", err)
		}
	}
	if _, err := s.Setup(t.Context(), newSecret(), firstAdmin, chrome); !fault.Is(err, fault.RateLimited) {
		t.Errorf("Setup = %v, want rate_limited", err)
	}
}

func TestUseLink(t *testing.T) {
	s, m, h := newService(t)
	addPerson(t, s, "ann", scopes.Admin, true)
	secret, err := s.SignInLink(t.Context(), "per_ann")
	if err != nil {
		t.Fatal(err)
	}
	h.forward(15*time.Minute - time.Millisecond)
	in, err := s.UseLink(t.Context(), secret, chrome)
	if err != nil || in.Person.ID != "per_ann" {
		t.Fatalf("UseLink = %+v, %v, want ann", in, err)
	}
	caller, _, _, err := s.VerifySession(t.Context(), in.Cookie)
	if err != nil || caller.Role != scopes.Admin || caller.SteppedUp {
		t.Errorf("caller = %+v, %v, want an admin who is not stepped up", caller, err)
	}
	if _, err := s.UseLink(t.Context(), secret, chrome); !fault.Is(err, fault.Unauthenticated) || len(m.sessions) != 1 {
		t.Errorf("UseLink again = %v, %d sessions, want unauthenticated, 1", err, len(m.sessions))
	}
}

func TestUseLinkRefusals(t *testing.T) {
	tests := []struct {
		name   string
		change func(m *memory, h *hand, secret string) string // returns the secret to use
	}{
		{"a guess", func(*memory, *hand, string) string { return newSecret() }},
		{"nonsense", func(*memory, *hand, string) string { return strings.Repeat("-", secretLen) }},
		{"empty", func(*memory, *hand, string) string { return "" }},
		{"expired", func(_ *memory, h *hand, secret string) string { h.forward(15 * time.Minute); return secret }},
		{"disabled since", func(m *memory, _ *hand, secret string) string {
			p := m.persons["per_ann"]
			p.DisabledAt = at
			m.persons[p.ID] = p
			return secret
		}},
		{"gone since", func(m *memory, _ *hand, secret string) string { delete(m.persons, "per_ann"); return secret }},
		{"a set-up link", func(m *memory, _ *hand, _ string) string {
			secret := newSecret()
			m.links[hash(secret)] = Link{Hash: hash(secret), ExpiresAt: at.Add(time.Hour)}
			return secret
		}},
	}
	_, want := fault.Problem(badLink(), "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, h := newService(t)
			addPerson(t, s, "ann", scopes.Viewer, false)
			secret, err := s.SignInLink(t.Context(), "per_ann")
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.UseLink(t.Context(), tt.change(m, h, secret), chrome)
			if status, body := fault.Problem(err, ""); status != 401 || string(body) != string(want) || len(m.sessions) != 0 {
				t.Errorf("answer %d %s, want 401 %s", status, body, want)
			}
		})
	}
}

func TestSignInLinkRefusals(t *testing.T) {
	s, m, _ := newService(t)
	ann := addPerson(t, s, "ann", scopes.Viewer, false)
	ann.DisabledAt = at
	m.persons[ann.ID] = ann
	for _, id := range []string{"per_ann", "per_eve", ""} {
		if secret, err := s.SignInLink(t.Context(), id); !fault.Is(err, fault.NotFound) || secret != "" || len(m.links) != 0 {
			t.Errorf("SignInLink(%q) = %q, %v, want not_found", id, secret, err)
		}
	}
}

func TestUseLinkWithoutStore(t *testing.T) {
	s, m, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, false)
	for _, call := range []string{"InsertLink", "UseLink", "Person", "InsertSession"} {
		secret, err := s.SignInLink(t.Context(), "per_ann")
		if err != nil {
			t.Fatal(err)
		}
		if m.failing = call; call == "InsertLink" {
			_, err = s.SignInLink(t.Context(), "per_ann")
		} else {
			_, err = s.UseLink(t.Context(), secret, chrome)
		}
		if m.failing = ""; !errors.Is(err, m.err) || len(m.sessions) != 0 {
			t.Errorf("with %s failing: %v, %d sessions, want boom, none", call, err, len(m.sessions))
		}
	}
}
