package people

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/limits"
	"ambit/internal/page"
	"ambit/scopes"
)

// memory is a Store in memory whose transactions run side by side: only
// LockPeople keeps them apart, as in PostgreSQL. The call named failing fails.
type memory struct {
	failing  string
	err      error
	touchErr error

	people sync.Mutex // held by LockPeople until the transaction ends

	mu       sync.Mutex
	persons  map[string]Person
	sessions map[string]Session
	links    map[string]Link
	calls    int
	touches  []clock.Time
}

func newMemory() *memory {
	return &memory{persons: map[string]Person{}, sessions: map[string]Session{}, links: map[string]Link{}, err: errors.New("boom")}
}

// enter counts a call and locks; the caller unlocks.
func (m *memory) enter(call string) error {
	m.mu.Lock()
	m.calls++
	if m.failing == call || m.failing == "all" {
		return m.err
	}
	return nil
}

type txKey struct{}

type tx struct{ undo, release []func() }

// inTx runs f; if it fails, what it did is undone.
func (m *memory) inTx(ctx context.Context, f func(context.Context) error) error {
	t := &tx{}
	defer func() {
		for _, release := range t.release {
			release()
		}
	}()
	err := f(context.WithValue(ctx, txKey{}, t))
	if err == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, undo := range slices.Backward(t.undo) {
		undo()
	}
	return err
}

// put sets a value, and how to undo that if the transaction fails.
func put[V any](ctx context.Context, in map[string]V, key string, v V) {
	old, had := in[key]
	in[key] = v
	onUndo(ctx, func() {
		if delete(in, key); had {
			in[key] = old
		}
	})
}

func onUndo(ctx context.Context, undo func()) {
	if t, ok := ctx.Value(txKey{}).(*tx); ok {
		t.undo = append(t.undo, undo)
	}
}

func notFound() error { return fault.New(fault.NotFound, "There is no such thing.") }

func (m *memory) LockPeople(ctx context.Context) error {
	if err := m.enter("LockPeople"); err != nil {
		m.mu.Unlock()
		return err
	}
	m.mu.Unlock()
	t := ctx.Value(txKey{}).(*tx) // outside a transaction it would lock nothing
	m.people.Lock()
	t.release = append(t.release, m.people.Unlock)
	return nil
}

func (m *memory) InsertPerson(ctx context.Context, p Person) error {
	defer m.mu.Unlock()
	if err := m.enter("InsertPerson"); err != nil {
		return err
	}
	for _, other := range m.persons {
		if other.Email == p.Email {
			return fault.New(fault.Conflict, "The email is taken.")
		}
	}
	put(ctx, m.persons, p.ID, p)
	return nil
}

func (m *memory) Person(_ context.Context, id string) (Person, error) {
	defer m.mu.Unlock()
	if err := m.enter("Person"); err != nil {
		return Person{}, err
	}
	if p, ok := m.persons[id]; ok {
		return p, nil
	}
	return Person{}, notFound()
}

func (m *memory) PersonByEmail(_ context.Context, email string) (Person, error) {
	defer m.mu.Unlock()
	if err := m.enter("PersonByEmail"); err != nil {
		return Person{}, err
	}
	for _, p := range m.persons {
		if p.Email == email {
			return p, nil
		}
	}
	return Person{}, notFound()
}

func (m *memory) People(_ context.Context, p page.Page) ([]Person, error) {
	defer m.mu.Unlock()
	if err := m.enter("People"); err != nil {
		return nil, err
	}
	var out []Person
	for _, q := range m.persons {
		if p.After.ID == "" || q.CreatedAt < p.After.At || q.CreatedAt == p.After.At && q.ID < p.After.ID {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, func(a, b Person) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), strings.Compare(b.ID, a.ID))
	})
	return out[:min(len(out), p.Limit+1)], nil
}

func (m *memory) UpdatePerson(ctx context.Context, p Person) error {
	defer m.mu.Unlock()
	if err := m.enter("UpdatePerson"); err != nil {
		return err
	}
	put(ctx, m.persons, p.ID, p)
	return nil
}

func (m *memory) CountPeople(context.Context) (int, error) {
	defer m.mu.Unlock()
	return len(m.persons), m.enter("CountPeople")
}

func (m *memory) OldestAdmin(context.Context) (Person, error) {
	defer m.mu.Unlock()
	if err := m.enter("OldestAdmin"); err != nil {
		return Person{}, err
	}
	var oldest Person
	for _, p := range m.persons {
		if p.Role == scopes.Admin && p.DisabledAt == 0 && (oldest.ID == "" || p.CreatedAt < oldest.CreatedAt) {
			oldest = p
		}
	}
	if oldest.ID == "" {
		return Person{}, notFound()
	}
	return oldest, nil
}

func (m *memory) InsertSession(ctx context.Context, s Session) error {
	defer m.mu.Unlock()
	if err := m.enter("InsertSession"); err != nil {
		return err
	}
	put(ctx, m.sessions, s.ID, s)
	return nil
}

func (m *memory) SessionByHash(_ context.Context, hash string) (Session, error) {
	defer m.mu.Unlock()
	if err := m.enter("SessionByHash"); err != nil {
		return Session{}, err
	}
	for _, s := range m.sessions {
		if s.Hash == hash {
			return s, nil
		}
	}
	return Session{}, notFound()
}

func (m *memory) Sessions(_ context.Context, person string) ([]Session, error) {
	defer m.mu.Unlock()
	if err := m.enter("Sessions"); err != nil {
		return nil, err
	}
	var out []Session
	for _, s := range m.sessions {
		if s.Person == person {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Session) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return out, nil
}

func (m *memory) TouchSession(ctx context.Context, id string, seen clock.Time) error {
	defer m.mu.Unlock()
	if err := errors.Join(m.enter("TouchSession"), m.touchErr, ctx.Err()); err != nil {
		return err
	}
	s := m.sessions[id]
	s.LastSeenAt = seen
	m.sessions[id] = s
	m.touches = append(m.touches, seen)
	return nil
}

func (m *memory) StepUpSession(ctx context.Context, id string, at clock.Time) error {
	defer m.mu.Unlock()
	if err := m.enter("StepUpSession"); err != nil {
		return err
	}
	s := m.sessions[id]
	s.SteppedUp = at
	put(ctx, m.sessions, id, s)
	return nil
}

func (m *memory) DeleteSession(_ context.Context, person, id string) error {
	defer m.mu.Unlock()
	if err := m.enter("DeleteSession"); err != nil {
		return err
	}
	if m.sessions[id].Person == person {
		delete(m.sessions, id)
	}
	return nil
}

func (m *memory) DeleteSessions(_ context.Context, person, except string) error {
	defer m.mu.Unlock()
	if err := m.enter("DeleteSessions"); err != nil {
		return err
	}
	for id, s := range m.sessions {
		if s.Person == person && id != except {
			delete(m.sessions, id)
		}
	}
	return nil
}

func (m *memory) InsertLink(ctx context.Context, l Link) error {
	defer m.mu.Unlock()
	if err := m.enter("InsertLink"); err != nil {
		return err
	}
	put(ctx, m.links, l.Hash, l)
	return nil
}

func (m *memory) UseLink(ctx context.Context, hash string, now clock.Time) (Link, error) {
	defer m.mu.Unlock()
	if err := m.enter("UseLink"); err != nil {
		return Link{}, err
	}
	l, ok := m.links[hash]
	if !ok || l.UsedAt != 0 || now >= l.ExpiresAt {
		return Link{}, notFound()
	}
	l.UsedAt = now
	put(ctx, m.links, hash, l)
	return l, nil
}

// hand is a clock that a test moves.
type hand struct{ t clock.Time }

func (h *hand) now() clock.Time         { return h.t }
func (h *hand) forward(d time.Duration) { h.t = h.t.Add(d) }

// at is the time at which every test starts: 2026-01-02T20:00:00Z.
const at = clock.Time(1767384000000)

// password is right for everybody that addPerson adds with one.
const password = "correct horse battery"

// chrome is the browser of most tests.
var chrome = Meta{Agent: "Chrome", Address: "192.0.2.1"}

// cheap keeps tests fast; TestDefaultCost holds the real one.
var cheap = Cost{Memory: 64, Time: 1, Threads: 1}

// newService knows the workspaces ws_a and ws_b, and nobody.
func newService(t *testing.T) (*Service, *memory, *hand) {
	t.Helper()
	m, h := newMemory(), &hand{at}
	return &Service{
		Store: m, Now: h.now, Log: slog.New(slog.DiscardHandler), Hasher: NewHasherAt(cheap),
		Limiter: limits.NewLocal(func() time.Time { return h.t.Std() }),
		MissingWorkspaces: func(_ context.Context, ids []string) ([]string, error) {
			return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "ws_a" || id == "ws_b" }), nil
		},
	}, m, h
}

// addPerson adds name@example.com with the id per_name; hasPassword gives it [password].
func addPerson(t *testing.T, s *Service, name string, role scopes.Role, hasPassword bool) Person {
	t.Helper()
	p := Person{ID: "per_" + name, Email: name + "@example.com", Name: name, Role: role, Workspaces: []string{"ws_a"}, CreatedAt: s.Now()}
	if hasPassword {
		var err error
		if p.PasswordHash, err = s.Hasher.Hash(t.Context(), password); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Store.InsertPerson(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// commit runs the second half of a change in a transaction.
func commit[T any](t *testing.T, s *Service, c Commit[T], err error) (out T, _ error) {
	t.Helper()
	if err != nil {
		return out, err
	}
	err = s.Store.(*memory).inTx(t.Context(), func(ctx context.Context) error {
		out, err = c(ctx)
		return err
	})
	return out, err
}

func login(t *testing.T, s *Service, email, password string, m Meta) (SignIn, error) {
	t.Helper()
	c, err := s.Login(t.Context(), email, password, m)
	return commit(t, s, c, err)
}

// mustLogin signs ann in, who must be there.
func mustLogin(t *testing.T, s *Service) SignIn {
	t.Helper()
	in, err := login(t, s, "ann@example.com", password, chrome)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// useLink signs a person in with a new sign-in link.
func useLink(t *testing.T, s *Service, person string) SignIn {
	t.Helper()
	secret, err := s.SignInLink(t.Context(), person)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.UseLink(t.Context(), secret, chrome)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// wrongPaths returns the paths of an invalid fault, "" for success, the text of any other error.
func wrongPaths(err error) string {
	if err == nil {
		return ""
	}
	if !fault.Is(err, fault.Invalid) {
		return err.Error()
	}
	var paths []string
	for _, f := range fault.From(err).Fields {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, " ")
}
