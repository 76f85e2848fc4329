// Package audit records what was done and refused, by whom. Each record carries
// the hash of the one before, so that none is changed or taken out unnoticed.
package audit

import (
	"context"

	"ambit/internal/clock"
)

// OK is the outcome of what was done; every other outcome is a refusal's code.
const OK = "ok"

// Entry is one record. Texts that a caller claims (Tool, Host) are recorded as
// claims and decide nothing.
type Entry struct {
	Seq       int64      `json:"seq"` // from 1, without gaps
	At        clock.Time `json:"at"`
	Principal string     `json:"principal"` // "token:<id>", "person:<id>", "cli", "system"
	ActsFor   string     `json:"acts_for,omitempty"`
	Tool      string     `json:"tool,omitempty"`
	Host      string     `json:"host,omitempty"`
	Route     string     `json:"route"`
	Workspace string     `json:"workspace_id,omitempty"`
	Entity    string     `json:"entity,omitempty"` // "plan:pl_…"
	Outcome   string     `json:"outcome"`          // "ok", or the code of the refusal
	Detail    string     `json:"detail,omitempty"` // what a person needs beside it, in our words
	Key       string     `json:"idempotency_key,omitempty"`
	Replay    bool       `json:"replay,omitempty"`
	Digest    string     `json:"request_digest,omitempty"` // SHA-256 of the request
	RequestID string     `json:"request_id,omitempty"`
	Prev      string     `json:"prev_hash"`
	Hash      string     `json:"hash"`
}

// Recorder keeps records.
type Recorder interface {
	// Append chains the entry to the last one and keeps it, in the transaction
	// of ctx if there is one: as the last thing before its commit, which fails
	// with it. It sets Seq, Prev and Hash. When it fails, what it records must
	// not happen.
	Append(ctx context.Context, e Entry) error
}

// Filter chooses records. Empty fields choose all.
type Filter struct {
	Principal  string
	Workspaces []string // nil chooses all
	Route      string
	Tool       string
	Outcome    string
	Entity     string
	From, To   clock.Time
	After      int64 // records before this Seq; 0 starts at the newest
	Limit      int
}

// Store reads records.
type Store interface {
	Recorder
	// Entries returns the newest first.
	Entries(ctx context.Context, f Filter) ([]Entry, error)
	// Walk calls f with every record, oldest first, until it fails.
	Walk(ctx context.Context, f func(Entry) error) error
	// Head returns the sequence number and hash of the last record and the
	// signature over them; zero values if there is none.
	Head(ctx context.Context) (Head, error)
	// Snapshot calls f with a context in which everything is read as it was at
	// one moment. Nothing can be written with it.
	Snapshot(ctx context.Context, f func(ctx context.Context) error) error
}

// Head is the end of the chain.
type Head struct {
	Seq       int64
	Hash      string
	Signature string // Ed25519 over "<seq> <hash>", hex
}
