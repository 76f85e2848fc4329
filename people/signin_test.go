package people

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/scopes"
)

func TestLogin(t *testing.T) {
	s, m, _ := newService(t)
	addPerson(t, s, "ann", scopes.Operator, true)
	in, err := login(t, s, " Ann@Example.COM ", password, chrome)
	if err != nil {
		t.Fatal(err)
	}
	want := Session{
		ID: in.Session.ID, Hash: hash(in.Cookie), Person: "per_ann", CreatedAt: at, LastSeenAt: at, SteppedUp: at,
		Agent: "Chrome", Address: "192.0.2.1",
	}
	if got := m.sessions[in.Session.ID]; got != want || in.Session != want || in.Person.ID != "per_ann" {
		t.Errorf("session = %+v, want %+v", got, want)
	}
	if !wellFormed(in.Cookie) || in.Session.Hash == in.Cookie {
		t.Errorf("cookie %q, hash %q", in.Cookie, in.Session.Hash)
	}
}

// TestLoginRefusals: whatever is wrong, the answer is the same, word for word,
// and a password was hashed.
func TestLoginRefusals(t *testing.T) {
	tests := []struct{ name, email, password string }{
		{"wrong password", "ann@example.com", "correct horse batterz"},
		{"no password given", "ann@example.com", ""},
		{"unknown", "eve@example.com", password},
		{"no password set", "bob@example.com", password},
		{"no password set, none given", "bob@example.com", ""},
		{"disabled", "cat@example.com", password},
		{"no email", "", password},
	}
	_, want := fault.Problem(wrongCredentials(), "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			addPerson(t, s, "ann", scopes.Viewer, true)
			addPerson(t, s, "bob", scopes.Viewer, false)
			cat := addPerson(t, s, "cat", scopes.Viewer, true)
			cat.DisabledAt = at
			m.persons[cat.ID] = cat
			_, err := login(t, s, tt.email, tt.password, chrome)
			if status, body := fault.Problem(err, ""); status != 401 || string(body) != string(want) || len(m.sessions) != 0 {
				t.Errorf("answer %d %s, %d sessions, want 401 %s", status, body, len(m.sessions), want)
			}
			full := &Hasher{cost: cheap, slots: make(chan struct{})} // no slot: who hashes, waits
			s.Hasher = full
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := s.Login(gone, tt.email, tt.password, chrome); !fault.Is(err, fault.Unavailable) {
				t.Errorf("Login without a free slot = %v, want unavailable: the refusal was for free", err)
			}
		})
	}
}

func TestLoginWithoutStore(t *testing.T) {
	s, m, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	for _, call := range []string{"PersonByEmail", "Person", "Sessions", "InsertSession"} {
		m.failing = call
		in, err := login(t, s, "ann@example.com", password, chrome)
		if !errors.Is(err, m.err) || in.Cookie != "" || len(m.sessions) != 0 {
			t.Errorf("with %s failing: %+v, %v, want nothing and boom", call, in, err)
		}
	}
}

// TestLoginOfAChangedAccount: what the slow half saw must still hold when the session begins.
func TestLoginOfAChangedAccount(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Person)
	}{
		{"disabled", func(p *Person) { p.DisabledAt = at }},
		{"new password", func(p *Person) { p.PasswordHash = reference }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			ann := addPerson(t, s, "ann", scopes.Viewer, true)
			c, err := s.Login(t.Context(), ann.Email, password, chrome)
			if err != nil {
				t.Fatal(err)
			}
			tt.change(&ann)
			m.persons[ann.ID] = ann
			if _, err := commit(t, s, c, nil); !fault.Is(err, fault.Conflict) || len(m.sessions) != 0 {
				t.Errorf("commit = %v, %d sessions, want conflict, none", err, len(m.sessions))
			}
		})
	}
}

// attempt is one sign-in of a walk through the throttle.
type attempt struct {
	email, password, address string
	forward                  time.Duration
	want                     fault.Code
	wantWait                 time.Duration
}

func times(n int, a attempt) (out []attempt) {
	for range n {
		out = append(out, a)
	}
	return out
}

func concat(parts ...[]attempt) (out []attempt) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestThrottle(t *testing.T) {
	const ann, bob, wrongPassword = "ann@example.com", "bob@example.com", "not her password"
	one := func(a attempt) []attempt { return []attempt{a} }
	tests := []struct {
		name  string
		steps []attempt
	}{
		{"ten failures of an account, wherever they come from", concat(
			times(5, attempt{ann, wrongPassword, "192.0.2.1", 0, fault.Unauthenticated, 0}),
			times(5, attempt{"ANN@example.com ", wrongPassword, "192.0.2.2", 0, fault.Unauthenticated, 0}),
			one(attempt{ann, password, "192.0.2.3", 0, fault.RateLimited, 90 * time.Second}),
			one(attempt{bob, password, "192.0.2.3", 0, "", 0}),
			one(attempt{ann, password, "192.0.2.3", 90 * time.Second, "", 0}),
		)},
		{"ten failures of an address, whatever account they try", concat(
			times(9, attempt{"nobody@example.com", wrongPassword, "192.0.2.1", 0, fault.Unauthenticated, 0}),
			one(attempt{ann, wrongPassword, "192.0.2.1", 0, fault.Unauthenticated, 0}),
			one(attempt{bob, password, "192.0.2.1", 0, fault.RateLimited, 90 * time.Second}),
			one(attempt{bob, password, "192.0.2.2", 0, "", 0}),
		)},
		{"an unknown account is throttled as a known one", concat(
			times(10, attempt{"eve@example.com", password, "192.0.2.1", 0, fault.Unauthenticated, 0}),
			one(attempt{"eve@example.com", password, "192.0.2.2", 0, fault.RateLimited, 90 * time.Second}),
		)},
		{"success does not count", concat(
			times(30, attempt{ann, password, "192.0.2.1", 0, "", 0}),
			times(10, attempt{ann, wrongPassword, "192.0.2.1", 0, fault.Unauthenticated, 0}),
		)},
		{"success does not wipe out failures", concat(
			times(9, attempt{ann, wrongPassword, "192.0.2.1", 0, fault.Unauthenticated, 0}),
			one(attempt{ann, password, "192.0.2.1", 0, "", 0}),
			one(attempt{ann, wrongPassword, "192.0.2.1", 0, fault.Unauthenticated, 0}),
			one(attempt{ann, wrongPassword, "192.0.2.1", 0, fault.RateLimited, 90 * time.Second}),
		)},
		{"what is refused for the address does not count for the account", concat(
			times(10, attempt{"x@example.com", wrongPassword, "192.0.2.1", 0, fault.Unauthenticated, 0}),
			times(20, attempt{ann, wrongPassword, "192.0.2.1", 0, fault.RateLimited, 90 * time.Second}),
			one(attempt{ann, password, "192.0.2.2", 0, "", 0}),
		)},
		{"an IPv6 network counts as one address", concat(
			times(5, attempt{"a@example.com", wrongPassword, "2001:db8:1:2::1", 0, fault.Unauthenticated, 0}),
			times(5, attempt{"b@example.com", wrongPassword, "2001:db8:1:2:ffff::9", 0, fault.Unauthenticated, 0}),
			one(attempt{ann, password, "2001:db8:1:2::abc", 0, fault.RateLimited, 90 * time.Second}),
			one(attempt{ann, password, "2001:db8:1:3::1", 0, "", 0}),
		)},
		{"an IPv4 address in IPv6 form is the same address", concat(
			times(10, attempt{"a@example.com", wrongPassword, "::ffff:192.0.2.1", 0, fault.Unauthenticated, 0}),
			one(attempt{ann, password, "192.0.2.1", 0, fault.RateLimited, 90 * time.Second}),
		)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _, h := newService(t)
			addPerson(t, s, "ann", scopes.Viewer, true)
			addPerson(t, s, "bob", scopes.Viewer, true)
			for i, a := range tt.steps {
				h.forward(a.forward)
				_, err := login(t, s, a.email, a.password, Meta{Address: a.address})
				if code, wait := fault.CodeOf(err), fault.From(err).RetryAfter; code != a.want || wait != a.wantWait {
					t.Fatalf("attempt %d (%s from %s): %q after %v, want %q after %v", i+1, a.email, a.address, code, wait, a.want, a.wantWait)
				}
			}
		})
	}
}

// TestThrottleConcurrently: attempts at the same time count before they are known to fail.
func TestThrottleConcurrently(t *testing.T) {
	s, _, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	var tried atomic.Int64
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			_, err := s.Login(t.Context(), "ann@example.com", fmt.Sprint("guess number ", i), Meta{Address: fmt.Sprint("192.0.2.", i)})
			if fault.Is(err, fault.Unauthenticated) {
				tried.Add(1)
			}
		})
	}
	wg.Wait()
	if got := tried.Load(); got != 10 {
		t.Errorf("%d of 50 guesses were checked, want 10", got)
	}
}

// TestBusyIsNoFailure: who could not be checked was not wrong.
func TestBusyIsNoFailure(t *testing.T) {
	s, _, _ := newService(t)
	addPerson(t, s, "ann", scopes.Viewer, true)
	free := s.Hasher
	s.Hasher = &Hasher{cost: cheap, slots: make(chan struct{})}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, err := s.Login(gone, "ann@example.com", password, chrome); !fault.Is(err, fault.Unavailable) {
			t.Fatalf("Login = %v, want unavailable", err)
		}
	}
	s.Hasher = free
	mustLogin(t, s)
}
