package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/scopes"
)

func failingActsFor(err error) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) { return "", err }
}

func failingMissing(err error) func(context.Context, []string) ([]string, error) {
	return func(context.Context, []string) ([]string, error) { return nil, err }
}

// minted returns a service with one token, which lives for 30 days.
func minted(t *testing.T) (*Service, *memory, *hand, Token, string) {
	t.Helper()
	s, m, h := newService(t)
	tok, secret, err := s.Mint(t.Context(), validMint(), "cli")
	if err != nil {
		t.Fatal(err)
	}
	return s, m, h, tok, secret
}

func TestVerify(t *testing.T) {
	s, _, _, tok, secret := minted(t)
	caller, got, err := s.Verify(t.Context(), secret)
	if err != nil || got.ID != tok.ID {
		t.Fatalf("Verify = %+v, %v, want token %s", got, err, tok.ID)
	}
	want := scopes.Caller{Kind: scopes.Token, ID: tok.ID, Scope: scopes.Builder, Workspaces: []string{"ws_a"}, ActsFor: "per_ann"}
	if !reflect.DeepEqual(caller, want) {
		t.Errorf("caller = %+v, want %+v", caller, want)
	}
}

// TestVerifyRefusals: whatever is wrong, the answer is the same, word for word.
func TestVerifyRefusals(t *testing.T) {
	otherSecret := func(id string) string {
		body := "amb_" + id + "_" + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
		return body + checksum(body)
	}
	tests := []struct {
		name   string
		bearer func(s *Service, m *memory, h *hand, tok Token, secret string) string
	}{
		{"malformed", func(*Service, *memory, *hand, Token, string) string { return "amb_nonsense" }},
		{"empty", func(*Service, *memory, *hand, Token, string) string { return "" }},
		{"unknown", func(*Service, *memory, *hand, Token, string) string { return golden }},
		{"right id, wrong secret", func(_ *Service, _ *memory, _ *hand, tok Token, _ string) string { return otherSecret(tok.ID) }},
		{"revoked", func(s *Service, _ *memory, _ *hand, tok Token, secret string) string {
			if _, err := s.Revoke(t.Context(), tok.ID); err != nil {
				t.Error(err)
			}
			return secret
		}},
		{"expires now", func(_ *Service, _ *memory, h *hand, _ Token, secret string) string {
			h.forward(DefaultExpiry)
			return secret
		}},
		{"a record without a hash", func(_ *Service, m *memory, _ *hand, tok Token, secret string) string {
			tok.Hash = ""
			m.tokens[tok.ID] = tok
			return secret
		}},
	}
	_, want := fault.Problem(refusal(), "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, h, tok, secret := minted(t)
			caller, got, err := s.Verify(t.Context(), tt.bearer(s, m, h, tok, secret))
			if caller.Kind != scopes.Nobody || got.ID != "" {
				t.Errorf("let in as %+v", caller)
			}
			if status, body := fault.Problem(err, ""); status != 401 || string(body) != string(want) {
				t.Errorf("answer %d %s, want 401 %s", status, body, want)
			}
		})
	}
}

func TestVerifyJustBeforeExpiry(t *testing.T) {
	s, _, h, _, secret := minted(t)
	h.forward(DefaultExpiry - time.Millisecond)
	if _, _, err := s.Verify(t.Context(), secret); err != nil {
		t.Errorf("Verify 1 ms before expiry: %v", err)
	}
}

// TestVerifyWithoutStore: what cannot be checked is not let in, even if it was a moment ago.
func TestVerifyWithoutStore(t *testing.T) {
	s, m, _, _, secret := minted(t)
	if _, _, err := s.Verify(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	m.err = errors.New("dial tcp 10.0.0.1: refused")
	caller, _, err := s.Verify(t.Context(), secret)
	if !fault.Is(err, fault.Unavailable) || !errors.Is(err, m.err) || caller.Kind != scopes.Nobody {
		t.Errorf("Verify = %+v, %v, want nobody, unavailable", caller, err)
	}
}

func TestTouch(t *testing.T) {
	s, m, h, _, secret := minted(t)
	for _, forward := range []time.Duration{0, 0, 59 * time.Second, time.Second, time.Second, 59 * time.Second} {
		h.forward(forward)
		if _, _, err := s.Verify(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	want := []clock.Time{at, at.Add(time.Minute), at.Add(2 * time.Minute)}
	if !reflect.DeepEqual(m.touches, want) {
		t.Errorf("touched at %v, want %v", m.touches, want)
	}
}

// TestTouchOfStaleRecord: a record from a cache, which still says "never used", is not written again.
func TestTouchOfStaleRecord(t *testing.T) {
	s, m, _, tok, secret := minted(t)
	for range 3 {
		m.tokens[tok.ID] = tok
		if _, _, err := s.Verify(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.touches) != 1 {
		t.Errorf("touched %d times, want 1", len(m.touches))
	}
}

// TestTouchNeverFailsTheRequest: not when the write fails, nor when the client has hung up.
func TestTouchNeverFailsTheRequest(t *testing.T) {
	s, m, _, _, secret := minted(t)
	m.touchErr = errors.New("disk full")
	if _, _, err := s.Verify(t.Context(), secret); err != nil {
		t.Errorf("Verify with a failing touch: %v", err)
	}
	s, m, _, _, secret = minted(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Verify(gone, secret); err != nil || len(m.touches) != 1 {
		t.Errorf("Verify of a client that is gone: %v, touched %d times, want 1", err, len(m.touches))
	}
}

func TestRevoke(t *testing.T) {
	s, _, h, tok, _ := minted(t)
	h.forward(time.Hour)
	for range 2 {
		got, err := s.Revoke(t.Context(), tok.ID)
		if err != nil || got.RevokedAt != at.Add(time.Hour) {
			t.Errorf("Revoke = revoked at %v, %v, want %v", got.RevokedAt, err, at.Add(time.Hour))
		}
		h.forward(time.Hour)
	}
	if _, err := s.Revoke(t.Context(), "0123456789AB"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Revoke of an unknown token: %v, want not_found", err)
	}
	if got, err := s.Get(t.Context(), tok.ID); err != nil || got.RevokedAt == 0 {
		t.Errorf("Get = %+v, %v, want the revoked token", got, err)
	}
}

func TestList(t *testing.T) {
	s, _, h, first, _ := minted(t)
	h.forward(time.Second)
	second, _, err := s.Mint(t.Context(), validMint(), "cli")
	if err != nil {
		t.Fatal(err)
	}
	newest, err := s.List(t.Context(), page.Page{Limit: 1})
	if err != nil || len(newest.Items) != 1 || newest.Items[0].ID != second.ID || newest.Next == "" {
		t.Fatalf("List = %+v, %v, want %s and a cursor", newest, err, second.ID)
	}
	next, err := page.Parse(1, newest.Next)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := s.List(t.Context(), next)
	if err != nil || len(rest.Items) != 1 || rest.Items[0].ID != first.ID || rest.Next != "" {
		t.Errorf("List of the rest = %+v, %v, want %s and no cursor", rest, err, first.ID)
	}
}

func TestView(t *testing.T) {
	tok := Token{
		ID: "0123456789AB", Name: "n", Hash: "ffff", Scope: scopes.Compute, ActsFor: "per_ann",
		MaxConcurrent: 3, MaxDaily: 50, CreatedAt: at, CreatedBy: "cli", ExpiresAt: at.Add(time.Hour),
	}
	got, err := json.Marshal(tok.View())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"0123456789AB","name":"n","scope":"compute","workspace_ids":[],"acts_for":"per_ann",` +
		`"max_concurrent":3,"max_daily":50,"created_at":"2026-01-02T20:00:00.000Z","created_by":"cli",` +
		`"expires_at":"2026-01-02T21:00:00.000Z","revoked_at":null,"last_used_at":null}`
	if string(got) != want {
		t.Errorf("View = %s\nwant %s", got, want)
	}
}

// TestRevokeActing revokes over more than a page, and nobody else's tokens.
func TestRevokeActing(t *testing.T) {
	s, m, _ := newService(t)
	const each = page.MaxLimit + 20
	for i := range 2 * each {
		tok := Token{ID: fmt.Sprintf("t%03d", i), ActsFor: []string{"per_ann", "per_bob"}[i%2], CreatedAt: at + clock.Time(i), ExpiresAt: at.Add(time.Hour)}
		if err := m.InsertToken(t.Context(), tok); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.RevokeActing(t.Context(), "per_ann"); n != each || err != nil {
		t.Errorf("RevokeActing = %d, %v, want %d", n, err, each)
	}
	for id, tok := range m.tokens {
		if (tok.RevokedAt != 0) != (tok.ActsFor == "per_ann") {
			t.Errorf("token %s of %s was revoked at %d", id, tok.ActsFor, tok.RevokedAt)
		}
	}
	if n, err := s.RevokeActing(t.Context(), "per_ann"); n != 0 || err != nil {
		t.Errorf("again: %d, %v, want none left", n, err)
	}
}
