package tokens

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
)

// memory is a Store in memory. It counts calls, and fails them all with err if that is set.
type memory struct {
	err      error
	touchErr error

	mu      sync.Mutex
	tokens  map[string]Token
	runs    map[string]int // running and of today, by token
	locks   map[string]*sync.Mutex
	calls   int
	touches []clock.Time
}

func newMemory() *memory {
	return &memory{tokens: map[string]Token{}, runs: map[string]int{}, locks: map[string]*sync.Mutex{}}
}

// enter counts a call and locks; the caller unlocks.
func (m *memory) enter() error {
	m.mu.Lock()
	m.calls++
	return m.err
}

func (m *memory) InsertToken(_ context.Context, t Token) error {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return err
	}
	m.tokens[t.ID] = t
	return nil
}

func (m *memory) Token(_ context.Context, id string) (Token, error) {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return Token{}, err
	}
	t, ok := m.tokens[id]
	if !ok {
		return Token{}, fault.New(fault.NotFound, "There is no token %s.", id)
	}
	return t, nil
}

func (m *memory) Tokens(_ context.Context, p page.Page) ([]Token, error) {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return nil, err
	}
	var out []Token
	for _, t := range m.tokens {
		if p.After.ID == "" || t.CreatedAt < p.After.At || t.CreatedAt == p.After.At && t.ID < p.After.ID {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b Token) int { return int(b.CreatedAt - a.CreatedAt) })
	return out[:min(len(out), p.Limit+1)], nil
}

func (m *memory) RevokeToken(_ context.Context, id string, at clock.Time) error {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return err
	}
	if t := m.tokens[id]; t.RevokedAt == 0 {
		t.RevokedAt = at
		m.tokens[id] = t
	}
	return nil
}

func (m *memory) TouchToken(ctx context.Context, id string, at clock.Time) error {
	defer m.mu.Unlock()
	if err := errors.Join(m.enter(), m.touchErr, ctx.Err()); err != nil {
		return err
	}
	t := m.tokens[id]
	t.LastUsedAt = at
	m.tokens[id] = t
	m.touches = append(m.touches, at)
	return nil
}

func (m *memory) LockUsage(ctx context.Context, id string, day clock.Time) (Token, Usage, error) {
	tx := ctx.Value(txKey{}).(*tx)
	m.mu.Lock()
	if m.locks[id] == nil {
		m.locks[id] = &sync.Mutex{}
	}
	lock := m.locks[id]
	m.mu.Unlock()
	lock.Lock()
	tx.release = append(tx.release, lock.Unlock)
	t, err := m.Token(ctx, id)
	if err != nil {
		return Token{}, Usage{}, err
	}
	u, err := m.Usage(ctx, id, day)
	return t, u, err
}

func (m *memory) Usage(_ context.Context, id string, _ clock.Time) (Usage, error) {
	defer m.mu.Unlock()
	if err := m.enter(); err != nil {
		return Usage{}, err
	}
	return Usage{Concurrent: m.runs[id], Today: m.runs[id]}, nil
}

// addRun makes a run of the token.
func (m *memory) addRun(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[id]++
}

type txKey struct{}

type tx struct{ release []func() }

// inTx runs f holding the locks that it takes until it ends.
func (m *memory) inTx(ctx context.Context, f func(context.Context) error) error {
	t := &tx{}
	defer func() {
		for _, release := range t.release {
			release()
		}
	}()
	return f(context.WithValue(ctx, txKey{}, t))
}

// hand is a clock that a test moves.
type hand struct{ t clock.Time }

func (h *hand) now() clock.Time         { return h.t }
func (h *hand) forward(d time.Duration) { h.t = h.t.Add(d) }

// at is the time at which every test starts: 2026-01-02T20:00:00Z.
const at = clock.Time(1767384000000)

// newService knows the workspaces ws_a and ws_b and the person per_ann.
func newService(t *testing.T) (*Service, *memory, *hand) {
	t.Helper()
	m, h := newMemory(), &hand{at}
	s := &Service{
		Store: m, Now: h.now, Log: slog.New(slog.DiscardHandler),
		ActsFor: func(_ context.Context, ref string) (string, error) {
			if !slices.Contains([]string{"", "per_ann", "ann@example.com"}, ref) {
				return "", fault.New(fault.NotFound, "There is no such person.")
			}
			return "per_ann", nil
		},
		MissingWorkspaces: func(_ context.Context, ids []string) ([]string, error) {
			return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "ws_a" || id == "ws_b" }), nil
		},
	}
	return s, m, h
}
