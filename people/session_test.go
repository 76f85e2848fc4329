package people

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/scopes"
)

func TestVerifySession(t *testing.T) {
	s, _, _ := newService(t)
	addPerson(t, s, "ann", scopes.Operator, true)
	in := mustLogin(t, s)
	got, p, session, err := s.VerifySession(t.Context(), in.Cookie)
	want := scopes.Caller{Kind: scopes.Person, ID: "per_ann", Role: scopes.Operator, Workspaces: []string{"ws_a"}, SteppedUp: true}
	if err != nil || !reflect.DeepEqual(got, want) || p.ID != "per_ann" || session != in.Session {
		t.Errorf("VerifySession = %+v, %s, %+v, %v, want %+v", got, p.ID, session, err, want)
	}
}

// TestVerifySessionRefusals: whatever is wrong, the answer is the same, word for word.
func TestVerifySessionRefusals(t *testing.T) {
	tests := []struct {
		name   string
		change func(s *Service, m *memory, h *hand, cookie string) string // returns the cookie to send
	}{
		{"unknown", func(*Service, *memory, *hand, string) string { return newSecret() }},
		{"empty", func(*Service, *memory, *hand, string) string { return "" }},
		{"the stored hash", func(_ *Service, _ *memory, _ *hand, cookie string) string { return hash(cookie) }},
		{"logged out", func(s *Service, m *memory, _ *hand, cookie string) string {
			for _, session := range m.sessions {
				s.Logout(t.Context(), session)
			}
			return cookie
		}},
		{"disabled since", func(_ *Service, m *memory, _ *hand, cookie string) string {
			p := m.persons["per_ann"]
			p.DisabledAt = at
			m.persons[p.ID] = p
			return cookie
		}},
		{"gone since", func(_ *Service, m *memory, _ *hand, cookie string) string {
			delete(m.persons, "per_ann")
			return cookie
		}},
		{"idle for 12 hours", func(_ *Service, _ *memory, h *hand, cookie string) string {
			h.forward(12 * time.Hour)
			return cookie
		}},
	}
	_, want := fault.Problem(signedOut(), "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, h := newService(t)
			addPerson(t, s, "ann", scopes.Admin, true)
			cookie := tt.change(s, m, h, mustLogin(t, s).Cookie)
			caller, p, session, err := s.VerifySession(t.Context(), cookie)
			if caller.Kind != scopes.Nobody || p.ID != "" || session.ID != "" {
				t.Errorf("let in as %+v", caller)
			}
			if status, body := fault.Problem(err, ""); status != 401 || string(body) != string(want) {
				t.Errorf("answer %d %s, want 401 %s", status, body, want)
			}
		})
	}
}

// TestMalformedCookiesCostNoLookUp: nor do they reach the store.
func TestMalformedCookiesCostNoLookUp(t *testing.T) {
	s, m, _ := newService(t)
	good := newSecret()
	for _, cookie := range []string{"", good[:42], good + "0", good[:42] + "-", good[:42] + "\x00", good[:41] + "é"} {
		if _, _, _, err := s.VerifySession(t.Context(), cookie); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("VerifySession(%q) = %v, want unauthenticated", cookie, err)
		}
	}
	if m.calls != 0 {
		t.Errorf("the store was called %d times, want 0", m.calls)
	}
}

func TestVerifySessionWithoutStore(t *testing.T) {
	s, m, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	in := mustLogin(t, s)
	for _, call := range []string{"SessionByHash", "Person"} {
		m.failing = call
		caller, _, _, err := s.VerifySession(t.Context(), in.Cookie)
		if !fault.Is(err, fault.Unavailable) || !errors.Is(err, m.err) || caller.Kind != scopes.Nobody {
			t.Errorf("with %s failing: %+v, %v, want nobody, unavailable", call, caller, err)
		}
	}
}

// TestSessionLife: used every 11 hours a session lives for 7 days, and no longer.
func TestSessionLife(t *testing.T) {
	s, _, h := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	in := mustLogin(t, s)
	end := at.Add(7 * 24 * time.Hour)
	for h.t.Add(11*time.Hour) < end {
		h.forward(11 * time.Hour)
		if _, _, _, err := s.VerifySession(t.Context(), in.Cookie); err != nil {
			t.Fatalf("at %v: %v", h.t, err)
		}
	}
	h.t = end.Add(-time.Millisecond)
	if _, _, _, err := s.VerifySession(t.Context(), in.Cookie); err != nil {
		t.Errorf("1 ms before its end: %v", err)
	}
	h.t = end
	if _, _, _, err := s.VerifySession(t.Context(), in.Cookie); !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("at its end: %v, want unauthenticated", err)
	}
}

func TestTouchSession(t *testing.T) {
	s, m, h := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	in := mustLogin(t, s)
	for _, forward := range []time.Duration{0, 59 * time.Second, time.Second, 0, 59 * time.Second, time.Second} {
		h.forward(forward)
		if _, _, _, err := s.VerifySession(t.Context(), in.Cookie); err != nil {
			t.Fatal(err)
		}
	}
	if want := []clock.Time{at.Add(time.Minute), at.Add(2 * time.Minute)}; !reflect.DeepEqual(m.touches, want) {
		t.Errorf("touched at %v, want %v", m.touches, want)
	}
	h.forward(time.Minute)
	m.touchErr = errors.New("disk full")
	if _, _, _, err := s.VerifySession(t.Context(), in.Cookie); err != nil {
		t.Errorf("VerifySession with a failing touch: %v", err)
	}
	m.touchErr = nil
	h.forward(time.Minute)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, session, err := s.VerifySession(gone, in.Cookie); err != nil || session.LastSeenAt != h.t || len(m.touches) != 3 {
		t.Errorf("of a client that is gone: last seen %v, %v, %d touches, want now and 3", session.LastSeenAt, err, len(m.touches))
	}
}

func TestStepUp(t *testing.T) {
	s, _, h := newService(t)
	addPerson(t, s, "ann", scopes.Admin, true)
	in := mustLogin(t, s)
	steppedUp := func() bool {
		t.Helper()
		caller, _, _, err := s.VerifySession(t.Context(), in.Cookie)
		if err != nil {
			t.Fatal(err)
		}
		return caller.SteppedUp
	}
	h.forward(5*time.Minute - time.Millisecond)
	if !steppedUp() {
		t.Error("not stepped up within 5 minutes of a sign-in with a password")
	}
	h.forward(time.Millisecond)
	if steppedUp() {
		t.Error("still stepped up after 5 minutes")
	}
	c, err := s.StepUp(t.Context(), in.Session, password)
	until, err := commit(t, s, c, err)
	if err != nil || until != h.t.Add(5*time.Minute) || !steppedUp() {
		t.Errorf("StepUp = until %v, %v, stepped up %v, want in 5 minutes, true", until, err, steppedUp())
	}
	h.forward(5 * time.Minute)
	if steppedUp() {
		t.Error("still stepped up 5 minutes after the step-up")
	}
}

func TestStepUpRefusals(t *testing.T) {
	s, m, _ := newService(t)
	addPerson(t, s, "ann", scopes.Admin, true)
	addPerson(t, s, "bob", scopes.Admin, false)
	ann, bob := useLink(t, s, "per_ann"), useLink(t, s, "per_bob")
	tests := []struct {
		name     string
		session  Session
		password string
		want     fault.Code
		wantFix  string
	}{
		{"wrong password", ann.Session, "not the password", fault.Invalid, "Correct the listed fields"},
		{"no password given", ann.Session, "", fault.Invalid, "Correct the listed fields"},
		{"none set yet", bob.Session, password, fault.Conflict, "POST a new password to /api/auth/password first"},
		{"none set yet, none given", bob.Session, "", fault.Conflict, "POST a new password to /api/auth/password first"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.StepUp(t.Context(), tt.session, tt.password)
			if f := fault.From(err); f.Code != tt.want || !strings.HasPrefix(f.Fix, tt.wantFix) {
				t.Errorf("StepUp = %v (%s), want %s (%s…)", err, f.Fix, tt.want, tt.wantFix)
			}
		})
	}
	for _, session := range m.sessions {
		if session.SteppedUp != 0 {
			t.Errorf("session of %s is stepped up", session.Person)
		}
	}
}

// TestStepUpIsThrottled: a stolen session gets no more guesses than a stranger.
func TestStepUpIsThrottled(t *testing.T) {
	s, _, _ := newService(t)
	addPerson(t, s, "ann", scopes.Admin, true)
	in := mustLogin(t, s)
	for range 10 {
		if _, err := s.StepUp(t.Context(), in.Session, "a wrong guess"); !fault.Is(err, fault.Invalid) {
			t.Fatalf("StepUp = %v, want invalid", err)
		}
	}
	if _, err := s.StepUp(t.Context(), in.Session, password); !fault.Is(err, fault.RateLimited) {
		t.Errorf("StepUp = %v, want rate_limited", err)
	}
}

func TestSessions(t *testing.T) {
	s, m, h := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	addPerson(t, s, "bob", scopes.Viewer, false)
	first := mustLogin(t, s)
	bob := useLink(t, s, "per_bob")
	h.forward(time.Hour)
	second := mustLogin(t, s)
	list := func() string {
		t.Helper()
		sessions, err := s.Sessions(t.Context(), "per_ann")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, session := range sessions {
			ids = append(ids, session.ID)
		}
		return strings.Join(ids, " ")
	}
	if got, want := list(), second.Session.ID+" "+first.Session.ID; got != want {
		t.Errorf("sessions = %s, want %s", got, want)
	}
	if err := s.RevokeSession(t.Context(), "per_ann", bob.Session.ID); err != nil || len(m.sessions) != 3 {
		t.Errorf("revoking another's session: %v, %d left, want nil, 3", err, len(m.sessions))
	}
	h.forward(11 * time.Hour)
	if got, want := list(), second.Session.ID; got != want {
		t.Errorf("sessions after the first one's 12 hours = %s, want %s", got, want)
	}
	third := mustLogin(t, s)
	if _, kept := m.sessions[first.Session.ID]; kept {
		t.Error("a new sign-in left an expired session behind")
	}
	if err := s.RevokeSession(t.Context(), "per_ann", second.Session.ID); err != nil || list() != third.Session.ID {
		t.Errorf("after revoking: %s, %v, want %s", list(), err, third.Session.ID)
	}
}

// TestMetaIsCut: what a browser says of itself is bounded, and stays text.
func TestMetaIsCut(t *testing.T) {
	s, _, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	in, err := login(t, s, "ann@example.com", password, Meta{Agent: "x" + strings.Repeat("é", 200), Address: strings.Repeat("1", 99)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(len(in.Session.Agent), utf8.ValidString(in.Session.Agent), len(in.Session.Address)), "255 true 64"; got != want {
		t.Errorf("agent and address = %s, want %s", got, want)
	}
}
