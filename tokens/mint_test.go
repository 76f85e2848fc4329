package tokens

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ambit/internal/fault"
	"ambit/scopes"
)

func validMint() MintRequest {
	return MintRequest{Name: "ann's agent", Scope: scopes.Builder, Workspaces: []string{"ws_a"}, ActsFor: "per_ann"}
}

func TestMint(t *testing.T) {
	s, m, _ := newService(t)
	in := validMint()
	in.Name, in.Workspaces, in.ActsFor = "  ann's agent ", []string{"ws_b", "ws_a", "ws_b"}, "ann@example.com"
	got, secret, err := s.Mint(t.Context(), in, "person:per_ann")
	if err != nil {
		t.Fatal(err)
	}
	want := Token{
		ID: secret[4:16], Name: "ann's agent", Hash: hash(secret), Scope: scopes.Builder,
		Workspaces: []string{"ws_b", "ws_a"}, ActsFor: "per_ann", MaxConcurrent: 3, MaxDaily: 50,
		CreatedAt: at, CreatedBy: "person:per_ann", ExpiresAt: at.Add(720 * time.Hour),
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(m.tokens[got.ID], want) {
		t.Errorf("Mint = %+v, stored %+v, want %+v", got, m.tokens[got.ID], want)
	}
	if strings.Contains(fmt.Sprintf("%+v", m.tokens), secret[17:60]) {
		t.Error("the secret is in the store")
	}
}

func TestMintValues(t *testing.T) {
	tests := []struct {
		name   string
		change func(*MintRequest)
		maxAge time.Duration
		want   string // the paths that are wrong
	}{
		{"nothing wrong", func(*MintRequest) {}, 0, ""},
		{"longest name", func(in *MintRequest) { in.Name = strings.Repeat("ä", 100) }, 0, ""},
		{"long name", func(in *MintRequest) { in.Name = strings.Repeat("a", 101) }, 0, "name"},
		{"blank name", func(in *MintRequest) { in.Name = " \t" }, 0, "name"},
		{"a name of two lines", func(in *MintRequest) { in.Name = "a\nb" }, 0, "name"},
		{"a name that turns the text around", func(in *MintRequest) { in.Name = "a\u202eb" }, 0, "name"},
		{"too many workspaces", func(in *MintRequest) { in.Workspaces = make([]string, 1_001) }, 0, "workspace_ids"},
		{"no scope", func(in *MintRequest) { in.Scope = scopes.NoScope }, 0, "scope"},
		{"a scope that there is not", func(in *MintRequest) { in.Scope = scopes.Builder + 1 }, 0, "scope"},
		{"no workspace", func(in *MintRequest) { in.Workspaces = nil }, 0, "workspace_ids"},
		{"unknown workspaces", func(in *MintRequest) { in.Workspaces = []string{"ws_x", "ws_a", ""} }, 0, "workspace_ids[0] workspace_ids[2]"},
		{"nobody to act for", func(in *MintRequest) { in.ActsFor = "per_bob" }, 0, "acts_for"},
		{"acts for the oldest admin", func(in *MintRequest) { in.ActsFor = "" }, 0, ""},
		{"least runs", func(in *MintRequest) { in.MaxConcurrent, in.MaxDaily = new(1), new(1) }, 0, ""},
		{"most runs", func(in *MintRequest) { in.MaxConcurrent, in.MaxDaily = new(100), new(10_000) }, 0, ""},
		{"no runs", func(in *MintRequest) { in.MaxConcurrent, in.MaxDaily = new(0), new(0) }, 0, "max_concurrent max_daily"},
		{"too many runs", func(in *MintRequest) { in.MaxConcurrent, in.MaxDaily = new(101), new(10_001) }, 0, "max_concurrent max_daily"},
		{"shortest expiry", func(in *MintRequest) { in.Expires = new(time.Minute) }, 0, ""},
		{"short expiry", func(in *MintRequest) { in.Expires = new(time.Minute - 1) }, 0, "expires"},
		{"negative expiry", func(in *MintRequest) { in.Expires = new(-time.Hour) }, 0, "expires"},
		{"longest expiry", func(in *MintRequest) { in.Expires = new(365 * 24 * time.Hour) }, 0, ""},
		{"long expiry", func(in *MintRequest) { in.Expires = new(365*24*time.Hour + 1) }, 0, "expires"},
		{"over the admin's maximum", func(in *MintRequest) { in.Expires = new(25 * time.Hour) }, 24 * time.Hour, "expires"},
		{"default under the admin's maximum", func(*MintRequest) {}, 24 * time.Hour, ""},
		{"all at once", func(in *MintRequest) {
			*in = MintRequest{ActsFor: "x", MaxDaily: new(-1), Expires: new(time.Duration(0))}
		}, 0,
			"name scope max_daily expires workspace_ids acts_for"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			s.MaxAge = tt.maxAge
			in := validMint()
			tt.change(&in)
			got, secret, err := s.Mint(t.Context(), in, "cli")
			if paths := wrongPaths(err); paths != tt.want {
				t.Fatalf("Mint: %v; wrong %q, want %q", err, paths, tt.want)
			}
			if kept := len(m.tokens) == 1; kept != (tt.want == "") || (secret != "") != kept {
				t.Errorf("stored %d tokens, secret %q", len(m.tokens), secret)
			}
			if life := got.ExpiresAt.Sub(got.CreatedAt); tt.maxAge > 0 && life > tt.maxAge {
				t.Errorf("lives %v, want at most %v", life, tt.maxAge)
			}
		})
	}
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

func TestMintFailures(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name string
		fail func(*Service, *memory)
	}{
		{"insert", func(_ *Service, m *memory) { m.err = boom }},
		{"people", func(s *Service, _ *memory) { s.ActsFor = failingActsFor(boom) }},
		{"workspaces", func(s *Service, _ *memory) { s.MissingWorkspaces = failingMissing(boom) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, m, _ := newService(t)
			tt.fail(s, m)
			tok, secret, err := s.Mint(t.Context(), validMint(), "cli")
			if !errors.Is(err, boom) || secret != "" || tok.ID != "" || len(m.tokens) != 0 {
				t.Errorf("Mint = %+v, %q, %v, want nothing and boom", tok, secret, err)
			}
		})
	}
}
