package tokens_test

import (
	"context"
	"testing"

	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/tokens"
)

// slowStore is a store with one token, whose read can be held open.
type slowStore struct {
	tokens.Store
	token   tokens.Token
	reads   int
	reading func() // called after the row was read, before it is returned
}

func (s *slowStore) Token(_ context.Context, id string) (tokens.Token, error) {
	s.reads++
	t := s.token
	if id != t.ID {
		return tokens.Token{}, fault.New(fault.NotFound, "No such token.")
	}
	if s.reading != nil {
		s.reading()
	}
	return t, nil
}

func (s *slowStore) RevokeToken(_ context.Context, _ string, at clock.Time) error {
	s.token.RevokedAt = at
	return nil
}

// commits collects what is to be done after a commit.
type commits struct{ after []func() }

func (c *commits) add(_ context.Context, f func()) { c.after = append(c.after, f) }

func (c *commits) commit() {
	for _, f := range c.after {
		f()
	}
	c.after = nil
}

func TestCacheReadsOnce(t *testing.T) {
	store := &slowStore{token: tokens.Token{ID: "a"}}
	c := &tokens.Cache{Store: store, AfterCommit: (&commits{}).add}
	for range 3 {
		if _, err := c.Token(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	if store.reads != 1 {
		t.Errorf("%d reads of the store, want 1", store.reads)
	}
	for range 3 {
		if _, err := c.Token(t.Context(), "unknown"); fault.CodeOf(err) != fault.NotFound {
			t.Fatalf("an unknown token = %v, want not_found", err)
		}
	}
	if store.reads != 4 {
		t.Errorf("%d reads of the store, want 4: an unknown token is not remembered", store.reads)
	}
}

func TestCacheForgetsARevokedToken(t *testing.T) {
	store, tx := &slowStore{token: tokens.Token{ID: "a"}}, &commits{}
	c := &tokens.Cache{Store: store, AfterCommit: tx.add}
	if _, err := c.Token(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := c.RevokeToken(t.Context(), "a", 7); err != nil {
		t.Fatal(err)
	}
	tx.commit()
	if got, err := c.Token(t.Context(), "a"); err != nil || got.RevokedAt != 7 {
		t.Errorf("after the revocation the cache says %v, %v; want revoked at 7", got.RevokedAt, err)
	}
}

// A read that began before a revocation must not bring the token back.
func TestCacheKeepsNothingThatARevocationOvertook(t *testing.T) {
	store, tx := &slowStore{token: tokens.Token{ID: "a"}}, &commits{}
	c := &tokens.Cache{Store: store, AfterCommit: tx.add}
	store.reading = func() {
		store.reading = nil
		if err := c.RevokeToken(t.Context(), "a", 7); err != nil {
			t.Error(err)
		}
		tx.commit()
	}
	if _, err := c.Token(t.Context(), "a"); err != nil { // this one may still see the old row
		t.Fatal(err)
	}
	if got, _ := c.Token(t.Context(), "a"); got.RevokedAt != 7 {
		t.Errorf("the next read says revoked at %v, want 7: the old row was kept", got.RevokedAt)
	}
}
